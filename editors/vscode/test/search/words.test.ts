import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchResult } from '../../src/common/protocol';
import { DEFAULT_OPTIONS } from '../../src/search/query';
import { optionsInWords, summary } from '../../src/search/words';

const FOUND: SearchResult = {
  mode: 'summary',
  status: 'complete',
  partialReasons: [],
  totals: { matches: 1234, occurrences: 2000, files: 56, filesSearched: 9000, retained: 1234 },
  unverifiedFiles: 0,
  elapsedMs: 1,
};

test('a complete answer is said to be complete', () => {
  assert.equal(summary(FOUND), '1,234 matching lines in 56 files · complete');
});

test('a partial answer says why, and what is not verified', () => {
  const result: SearchResult = { ...FOUND, status: 'partial', partialReasons: ['retention-limit', 'binary-file'], unverifiedFiles: 2 };
  assert.equal(
    summary(result),
    '1,234 matching lines in 56 files · partial: more matches than are kept, a file turned out to be binary · 2 files not verified',
  );
});

test('nothing found says where was looked and which files hold the pattern nevertheless', () => {
  const result: SearchResult = {
    ...FOUND,
    mode: 'empty',
    totals: { matches: 0, occurrences: 0, files: 0, filesSearched: 7, retained: 0 },
    keptOut: { files: 3, matching: [{ path: 'dist/a.js', uri: 'file:///dist/a.js' }], complete: true },
  };
  assert.equal(
    summary(result),
    'Nothing found in 7 files searched · complete · kept out by ignore, hidden or binary rules: dist/a.js',
  );
});

test('only options that differ from a plain search are spelled out', () => {
  assert.deepEqual(optionsInWords(DEFAULT_OPTIONS), ['text', 'smart case']);
  assert.deepEqual(optionsInWords({ ...DEFAULT_OPTIONS, regex: true, wholeWord: true, hidden: false, include: ['*.py'] }), [
    'regex',
    'smart case',
    'whole word',
    'no hidden files',
    'in *.py',
  ]);
});
