import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Inspection } from '../../src/common/protocol';
import { inspectionPage } from '../../src/inspection/page';

const INSPECTION: Inspection = {
  path: 'app/retry.py',
  uri: 'file:///app/retry.py',
  line: 4,
  outcome: 'returned',
  structure: 'available',
  symbol: {
    name: 'wait',
    kind: 'method',
    container: 'Client',
    language: 'Python',
    range: { start: { line: 1, character: 0 }, end: { line: 3, character: 0 } },
    provider: 'ctags',
  },
  block: 0,
};

test('a page has the lines, where they begin, and the symbol in its heading', () => {
  const blocks = [{ uri: INSPECTION.uri, path: INSPECTION.path, startLine: 2, lines: ['def wait():', '  pass'] }];
  const page = inspectionPage({ status: 'complete', inspections: [{ ...INSPECTION, linesOmittedAfter: 3 }], blocks });
  assert.deepEqual([page.text, page.startLine], ['def wait():\n  pass', 2]);
  assert.equal(page.heading, 'app/retry.py:4 · method Client.wait, found by ctags · 3 lines left out');
  assert.ok(page.name.endsWith('retry.py'));
});

test('source that is refused is told in words, not shown', () => {
  const { path, uri, line } = INSPECTION;
  const changed: Inspection = { path, uri, line, outcome: 'error', structure: 'source-changed' };
  const page = inspectionPage({ status: 'partial', inspections: [changed], blocks: [] });
  assert.equal(page.startLine, undefined);
  assert.match(page.text, /has changed since the search/);
});
