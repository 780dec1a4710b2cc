/** One inspection as a page to read: its lines, where they come from, and what is said about them. */

import { l10n } from 'vscode';
import type { InspectResult, Inspection, Location, Structure } from '../common/protocol';

export interface InspectionPage {
  /** Ends as the file's name does: VS Code chooses the language by it. */
  name: string;
  text: string;
  /** 1-based number of the first line of `text` in its file; undefined when the text is no source. */
  startLine: number | undefined;
  heading: string;
  location: Location | undefined;
}

export function inspectionPage(result: InspectResult): InspectionPage {
  const [inspection] = result.inspections;
  if (inspection === undefined) throw new Error('an inspection without an answer');
  const block = inspection.block === undefined ? undefined : result.blocks[inspection.block];
  const place = `${inspection.path}:${inspection.line}`;
  return {
    name: l10n.t('Inspection: {0}', inspection.path.slice(inspection.path.lastIndexOf('/') + 1)),
    text: block?.lines.join('\n') ?? `${inspection.message ?? inWords(inspection.structure)}\n`,
    startLine: block?.startLine,
    heading: [place, what(inspection), ...omitted(inspection)].join(' · '),
    location: inspection.location,
  };
}

function what({ symbol, structure }: Inspection): string {
  if (symbol === undefined) return inWords(structure);
  const name = symbol.container === undefined ? symbol.name : `${symbol.container}.${symbol.name}`;
  return l10n.t('{0} {1}, found by {2}', symbol.kind, name, symbol.provider);
}

function omitted({ linesOmittedBefore = 0, linesOmittedAfter = 0 }: Inspection): string[] {
  const lines = linesOmittedBefore + linesOmittedAfter;
  return lines === 0 ? [] : [l10n.t('{0} lines left out', lines)];
}

export function inWords(structure: Structure): string {
  switch (structure) {
    case 'available':
      return l10n.t('enclosing symbol found');
    case 'no-enclosing-symbol':
      return l10n.t('no symbol encloses this line');
    case 'provider-unavailable':
      return l10n.t('neither Universal Ctags nor a grammar for this language is there');
    case 'unsupported-range':
      return l10n.t('where symbols end is not known for this language');
    case 'parse-error':
      return l10n.t('the file could not be parsed');
    case 'oversized':
      return l10n.t('the file is too large to look for symbols');
    case 'source-unavailable':
      return l10n.t('the source cannot be read');
    case 'source-changed':
      return l10n.t('the source has changed since the search, so it is not shown');
  }
}
