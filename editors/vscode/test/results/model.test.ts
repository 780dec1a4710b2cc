import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileRow, Match, PageParams, SearchResult } from '../../src/common/protocol';
import { Results, type MatchNode, type Node } from '../../src/results/model';
import { DEFAULT_OPTIONS } from '../../src/search/query';

const FILES_A_PAGE = 30;

/** A snapshot with these numbers of matches in its files, read as the server has it read. */
class Snapshot {
  readonly reads: PageParams[] = [];

  constructor(private readonly sizes: number[]) {}

  results(): Results {
    const query = { ...DEFAULT_OPTIONS, pattern: 'x', within: [] };
    return new Results(query, this.summary(0), params => Promise.resolve(this.read(params)));
  }

  private read(params: PageParams): SearchResult {
    this.reads.push(params);
    const [kind, a, b] = params.cursor?.split(' ') ?? ['matches', params.uri?.[0] ?? '', '0'];
    return kind === 'files' ? this.summary(Number(a)) : this.matches(Number(a), Number(b), params.limit ?? 20);
  }

  private summary(from: number): SearchResult {
    const files = this.sizes.slice(from, from + FILES_A_PAGE).map((size, i) => fileRow(from + i, size));
    const isLast = from + FILES_A_PAGE >= this.sizes.length;
    return { ...this.answer(), files, ...(isLast ? {} : { cursor: `files ${from + FILES_A_PAGE}` }) };
  }

  private matches(file: number, from: number, limit: number): SearchResult {
    const size = this.sizes[file] ?? 0;
    const count = Math.min(limit, size - from);
    const matches = Array.from({ length: count }, (_, i) => matchRow(file, from + i));
    return { ...this.answer(), matches, ...(from + count < size ? { cursor: `matches ${file} ${from + count}` } : {}) };
  }

  private answer(): SearchResult {
    const matches = this.sizes.reduce((sum, size) => sum + size, 0);
    const totals = { matches, occurrences: matches, files: this.sizes.length, filesSearched: 100, retained: matches };
    return { mode: 'summary', status: 'complete', partialReasons: [], totals, snapshot: 's', unverifiedFiles: 0, elapsedMs: 1 };
  }
}

function fileRow(file: number, size: number): FileRow {
  return { uri: `${file}`, path: `${file}`, matches: size, occurrences: size, retained: size, verified: true };
}

function matchRow(file: number, line: number): Match {
  const range = { start: { line, character: 0 }, end: { line, character: 1 } };
  const location = { uri: `${file}`, range };
  return { index: file * 1_000_000 + line, uri: `${file}`, path: `${file}`, line, location, ranges: [range], text: 'x', clipped: false, source: 'disk', verified: true };
}

const shown = (nodes: Node[]) =>
  nodes.map(node => (node.kind === 'file' ? node.row.path : node.kind === 'match' ? node.match.index : `more ${node.left}`));
const at = (node: MatchNode | undefined) => node && [node.file.row.path, node.match.line];

test('files are read on in loads, and what is left is counted', async () => {
  const results = new Snapshot(Array<number>(700).fill(1)).results();
  assert.deepEqual(shown(await results.children()).slice(-2), ['29', 'more 670']);
  await results.loadMore(undefined);
  assert.deepEqual(shown(await results.children()).slice(-2), ['329', 'more 370']);
  await results.loadMore(undefined);
  await results.loadMore(undefined);
  assert.deepEqual(shown(await results.children()), Array.from({ length: 700 }, (_, i) => `${i}`));
});

test('matches of a file are read when they are looked at, from the first one', async () => {
  const snapshot = new Snapshot([2500]);
  const results = snapshot.results();
  const [file] = await results.children();
  assert.ok(file?.kind === 'file');
  assert.equal(snapshot.reads.length, 0);
  assert.deepEqual(shown(await results.children(file)).slice(-2), [999, 'more 1500']);
  await Promise.all([results.loadMore(file), results.loadMore(file), results.loadMore(file)]);
  assert.deepEqual(shown(await results.children(file)), Array.from({ length: 2500 }, (_, i) => i));
});

test('next visits every match of every file once, reading on as it goes', async () => {
  const sizes = [1200, 3, ...Array<number>(60).fill(1)];
  const results = new Snapshot(sizes).results();
  const visited: unknown[] = [];
  for (let node = await results.neighbour(undefined, 1); node; node = await results.neighbour(node, 1)) visited.push(at(node));
  assert.deepEqual(visited, sizes.flatMap((size, file) => Array.from({ length: size }, (_, line) => [`${file}`, line])));
});

test('previous goes to the last match of the file before, even when that has not been read', async () => {
  const results = new Snapshot([1200, 1]).results();
  const [, second] = await results.children();
  assert.ok(second?.kind === 'file');
  const [match] = await results.children(second);
  assert.ok(match?.kind === 'match');
  assert.deepEqual(at(await results.neighbour(match, -1)), ['0', 1199]);
});

test('what was removed is passed over, and still counts', async () => {
  const results = new Snapshot([2, 2, 2]).results();
  const [first, second] = await results.children();
  assert.ok(first?.kind === 'file' && second);
  const [match] = await results.children(first);
  assert.ok(match?.kind === 'match');
  const [, after] = await results.children(first);
  assert.ok(after);
  results.remove(after);
  results.remove(second);
  assert.deepEqual(at(await results.neighbour(match, 1)), ['2', 0]);
  assert.deepEqual(shown(await results.children()), ['0', '2']);
  assert.deepEqual([results.removedCount, results.result.totals.matches], [2, 6]);
});

test('there is nothing before the first match and after the last', async () => {
  const results = new Snapshot([1]).results();
  const only = await results.neighbour(undefined, 1);
  assert.deepEqual(at(only), ['0', 0]);
  assert.equal(await results.neighbour(only, 1), undefined);
  assert.equal(await results.neighbour(only, -1), undefined);
});
