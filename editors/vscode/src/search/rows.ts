/** The rows of the quick pick for each state of a search. */

import * as vscode from 'vscode';
import type { StreamedMatch } from '../common/protocol';
import { quickPickLabel } from './labels';
import type { LiveState } from './live';
import type { Query } from './query';
import { counts, summary } from './words';

export interface Row extends vscode.QuickPickItem {
  match?: StreamedMatch;
  earlier?: Query;
  /** Everything goes to the results view. */
  toResults?: true;
}

export function rowsFor(state: LiveState, typed: string): Row[] {
  if (state.failure !== undefined) return [note(`$(error) ${state.failure}`)];
  const rows = [...byFile(state.matches)].flatMap(([path, matches]) => [
    { label: path, kind: vscode.QuickPickItemKind.Separator },
    ...matches.map(match => matchRow(match, typed)),
  ]);
  const { result } = state;
  if (result === undefined) return rows;
  if (result.totals.matches === 0) return [note(`$(info) ${summary(result)}`)];
  const left = result.totals.matches - state.matches.length;
  if (left === 0) return rows;
  const label = vscode.l10n.t('{0} more: send all to the results view', left.toLocaleString('en-US'));
  return [...rows, { label: '', kind: vscode.QuickPickItemKind.Separator }, { label: `$(list-tree) ${label}`, alwaysShow: true, toResults: true }];
}

export function earlierRows(queries: readonly Query[]): Row[] {
  return queries.map(earlier => ({
    label: `$(history) ${earlier.pattern.replaceAll('$(', '$\u200b(')}`,
    alwaysShow: true,
    earlier,
  }));
}

/** What identifies a row when the rows are made anew. */
export function keyOf(match: StreamedMatch): string {
  const { uri, range } = match.location;
  return `${uri}:${range.start.line}:${range.start.character}`;
}

export function progressInWords(state: LiveState): string {
  if (state.result !== undefined) return summary(state.result);
  if (state.totals === undefined) return '';
  return vscode.l10n.t('{0} so far', counts(state.totals.matches, state.totals.files));
}

function matchRow(match: StreamedMatch, typed: string): Row {
  return {
    label: quickPickLabel(match, typed),
    description: vscode.l10n.t('line {0}', match.line),
    alwaysShow: true,
    buttons: [{ iconPath: new vscode.ThemeIcon('symbol-method'), tooltip: vscode.l10n.t('Inspect') }],
    match,
  };
}

function note(label: string): Row {
  return { label, alwaysShow: true };
}

function byFile(matches: readonly StreamedMatch[]): Map<string, StreamedMatch[]> {
  const files = new Map<string, StreamedMatch[]>();
  for (const match of matches) {
    const rows = files.get(match.path);
    if (rows) rows.push(match);
    else files.set(match.path, [match]);
  }
  return files;
}
