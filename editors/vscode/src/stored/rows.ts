/** The rows of the quick pick over stored text. */

import * as vscode from 'vscode';
import type { ContextGrepResult, Entry, EntryMatch, Location } from '../common/protocol';

export interface StoredRow extends vscode.QuickPickItem {
  location?: Location;
}

const BEGINNING = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
/** Digits of an id that are shown: of two entries of one minute the first eight are often the same. */
const ID_SHOWN = 13;

export function entryRows(entries: readonly Entry[]): StoredRow[] {
  if (entries.length === 0) return [note(vscode.l10n.t('Nothing has been stored yet'))];
  return entries.map(({ uri, threadId, summary, createdAt, tags }) => ({
    label: plain(summary ?? threadId),
    description: [new Date(createdAt).toLocaleString(), ...tags].join(' · '),
    alwaysShow: true,
    location: { uri, range: BEGINNING },
  }));
}

export function matchRows({ results, truncated }: ContextGrepResult): StoredRow[] {
  if (results.length === 0) return [note(vscode.l10n.t('Nothing found in stored text'))];
  const rows = results.flatMap((match, at) => {
    const row = matchRow(match);
    return match.id === results[at - 1]?.id ? [row] : [heading(match), row];
  });
  return truncated ? [...rows, note(vscode.l10n.t('There are more'))] : rows;
}

function matchRow({ id, line, lineNumber, range }: EntryMatch): StoredRow {
  return {
    label: plain(line.trim()),
    description: vscode.l10n.t('line {0}', lineNumber),
    alwaysShow: true,
    location: { uri: `sg-context://entry/${id}.md`, range },
  };
}

function heading({ id }: EntryMatch): StoredRow {
  return { label: id.slice(0, ID_SHOWN), kind: vscode.QuickPickItemKind.Separator };
}

function note(text: string): StoredRow {
  return { label: `$(info) ${text}`, alwaysShow: true };
}

/** `$(name)` would become an icon. */
function plain(text: string): string {
  return text.replaceAll('$(', '$\u200b(').replaceAll(/\s+/g, ' ');
}
