/** Counts and states of a search in words. */

import { l10n } from 'vscode';
import type { PartialReason, SearchResult } from '../common/protocol';
import type { Options } from './query';

export function counts(matches: number, files: number): string {
  if (matches === 1) return l10n.t('1 matching line in 1 file');
  if (files === 1) return l10n.t('{0} matching lines in 1 file', shown(matches));
  return l10n.t('{0} matching lines in {1} files', shown(matches), shown(files));
}

/** Exact counts, whether this is all there is, and if not, why. */
export function summary(result: SearchResult): string {
  const { totals } = result;
  const found =
    totals.matches === 0
      ? l10n.t('Nothing found in {0} files searched', shown(totals.filesSearched))
      : counts(totals.matches, totals.files);
  const notes = [result.status === 'complete' ? l10n.t('complete') : partial(result.partialReasons)];
  if (result.unverifiedFiles > 0) notes.push(l10n.t('{0} files not verified', shown(result.unverifiedFiles)));
  const { keptOut } = result;
  if (keptOut !== undefined && keptOut.matching.length > 0) {
    notes.push(l10n.t('kept out by ignore, hidden or binary rules: {0}', keptOut.matching.map(({ path }) => path).join(', ')));
  }
  return `${found} · ${notes.join(' · ')}`;
}

export function partial(reasons: readonly PartialReason[]): string {
  return l10n.t('partial: {0}', reasons.map(reasonInWords).join(', '));
}

/** The options that differ from a plain search, for a title. */
export function optionsInWords(options: Options): string[] {
  const cases = { smart: l10n.t('smart case'), sensitive: l10n.t('match case'), insensitive: l10n.t('ignore case') };
  return [
    options.regex ? l10n.t('regex') : l10n.t('text'),
    cases[options.case],
    ...(options.wholeWord ? [l10n.t('whole word')] : []),
    ...(options.hidden ? [] : [l10n.t('no hidden files')]),
    ...(options.unsaved ? [] : [l10n.t('saved text only')]),
    ...(options.editorRules ? [] : [l10n.t('excluded and ignored files too')]),
    ...(options.include.length === 0 ? [] : [l10n.t('in {0}', options.include.join(', '))]),
    ...(options.exclude.length === 0 ? [] : [l10n.t('not in {0}', options.exclude.join(', '))]),
  ];
}

function reasonInWords(reason: PartialReason): string {
  switch (reason) {
    case 'retention-limit':
      return l10n.t('more matches than are kept');
    case 'unreadable-path':
      return l10n.t('something could not be read');
    case 'oversized-line':
      return l10n.t('a line was too long to keep');
    case 'binary-file':
      return l10n.t('a file turned out to be binary');
  }
}

function shown(count: number): string {
  return count.toLocaleString('en-US');
}
