/** One matching line as the label of a row. */

import type { Range, StreamedMatch } from '../common/protocol';

export interface Label {
  text: string;
  /** [start, end) of each occurrence in `text`, in UTF-16 units. */
  marks: [number, number][];
}

/** UTF-16 units shown before the first occurrence of a long line. */
const BEFORE = 40;
const ELLIPSIS = '…';

/** The line without its indentation, its beginning cut where that would push the occurrence out of sight. */
export function labelOf(match: StreamedMatch): Label {
  const marks = match.clipped ? [] : match.ranges.map(range => span(range, match)).filter(mark => mark !== undefined);
  const indented = match.text.length - match.text.trimStart().length;
  const first = marks[0]?.[0] ?? indented;
  let from = Math.min(indented, first);
  let lead = '';
  if (first - from > BEFORE) {
    from = wholeCharacter(match.text, first - BEFORE);
    lead = ELLIPSIS;
  }
  const shift = lead.length - from;
  return {
    text: lead + match.text.slice(from).replace(/[\t\r\n\f\v]/g, ' '),
    marks: marks.map(([start, end]) => [start + shift, end + shift]),
  };
}

/**
 * The same for a quick pick, which can mark nothing but the first place where the typed text stands.
 * Where that is not the occurrence, the occurrence is put between brackets.
 */
export function quickPickLabel(match: StreamedMatch, typed: string): string {
  const { text, marks } = labelOf(match);
  const [mark] = marks;
  const markedByItself = text.toLowerCase().indexOf(typed.toLowerCase());
  const plain =
    mark === undefined || markedByItself === mark[0]
      ? text
      : `${text.slice(0, mark[0])}⟦${text.slice(mark[0], mark[1])}⟧${text.slice(mark[1])}`;
  // `$(name)` would become an icon.
  return plain.replaceAll('$(', '$\u200b(');
}

/** An occurrence in `match.text`, if it is all in there: it may go on in the next line, or the line be cut by a lone CR. */
function span(range: Range, match: StreamedMatch): [number, number] | undefined {
  const { start, end } = range;
  const isInLine = start.line === match.location.range.start.line && !match.text.includes('\r');
  if (!isInLine || start.character >= match.text.length) return undefined;
  return [start.character, end.line === start.line ? Math.min(end.character, match.text.length) : match.text.length];
}

/** `at`, or one before, so that no character is cut in two. */
function wholeCharacter(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at;
}
