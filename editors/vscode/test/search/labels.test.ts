import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamedMatch } from '../../src/common/protocol';
import { labelOf, quickPickLabel } from '../../src/search/labels';

/** The match of `word` in `text`. */
function match(text: string, word: string, clipped = false): StreamedMatch {
  const character = text.indexOf(word);
  const range = { start: { line: 4, character }, end: { line: 4, character: character + word.length } };
  return { uri: 'file:///a', path: 'a', line: 5, location: { uri: 'file:///a', range }, ranges: [range], text, clipped };
}

function marked(found: StreamedMatch): string[] {
  const { text, marks } = labelOf(found);
  return marks.map(([start, end]) => text.slice(start, end));
}

test('indentation is left out and the occurrence stays marked', () => {
  const found = match('\t\treturn 😀 retry', 'retry');
  assert.equal(labelOf(found).text, 'return 😀 retry');
  assert.deepEqual(marked(found), ['retry']);
});

test('a match of the indentation itself is not cut away', () => {
  assert.deepEqual(labelOf(match('    x', '  ')), { text: '    x', marks: [[0, 2]] });
});

test('an occurrence far to the right comes into sight', () => {
  const found = match(`${'a'.repeat(300)} needle`, 'needle');
  assert.ok(labelOf(found).text.startsWith('…aaa'));
  assert.ok(labelOf(found).text.length < 60);
  assert.deepEqual(marked(found), ['needle']);
});

test('no character is cut in two', () => {
  for (const before of [100, 101]) {
    const { text } = labelOf(match(`${'b'.repeat(before - 100)}${'😀'.repeat(50)}needle`, 'needle'));
    assert.doesNotThrow(() => encodeURIComponent(text), URIError); // of a lone surrogate
  }
});

test('a line that the server has cut has no marks, since its columns are those of the whole line', () => {
  assert.deepEqual(labelOf(match('…some needle…', 'needle', true)).marks, []);
});

test('an occurrence that goes on in the next line is marked to the end of its first', () => {
  const found = match('begin here', 'here');
  const [range] = found.ranges;
  assert.ok(range);
  range.end = { line: 7, character: 1 };
  assert.deepEqual(marked(found), ['here']);
});

test('brackets show an occurrence where the quick pick would mark another place or none', () => {
  assert.equal(quickPickLabel(match('a retry', 'retry'), 'Retry'), 'a retry');
  assert.equal(quickPickLabel(match('a retry', 'retry'), 're.*y'), 'a ⟦retry⟧');
  assert.equal(quickPickLabel(match('words, word', ' word'), 'word'), 'words,⟦ word⟧');
});

test('source is not taken for an icon', () => {
  assert.equal(quickPickLabel(match('$(check) ok', 'ok'), 'ok'), '$\u200b(check) ok');
});
