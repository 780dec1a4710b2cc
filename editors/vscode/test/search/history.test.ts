import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History, Walk, type Storage } from '../../src/search/history';
import { DEFAULT_OPTIONS, type Query } from '../../src/search/query';

function storage(): Storage {
  const values = new Map<string, unknown>();
  return {
    get: <T>(key: string, otherwise: T) => (values.has(key) ? (values.get(key) as T) : otherwise),
    update: (key, value) => Promise.resolve(void values.set(key, value)),
  };
}

const query = (pattern: string): Query => ({ ...DEFAULT_OPTIONS, pattern, within: [] });

test('the latest search comes first, and a repeated one moves up', async () => {
  const history = new History(storage());
  for (const pattern of ['a', 'b', 'a']) await history.add(query(pattern));
  assert.deepEqual(history.queries.map(({ pattern }) => pattern), ['a', 'b']);
});

test('fifty searches are kept', async () => {
  const history = new History(storage());
  for (let i = 0; i < 60; i += 1) await history.add(query(`${i}`));
  assert.deepEqual([history.queries.length, history.queries[0]?.pattern], [50, '59']);
});

test('options are remembered, and new ones have their defaults', async () => {
  const kept = storage();
  await new History(kept).keepOptions({ ...DEFAULT_OPTIONS, regex: true });
  assert.deepEqual(new History(kept).options, { ...DEFAULT_OPTIONS, regex: true });
});

test('a walk goes back, stays at the oldest, and returns to what was typed', () => {
  const walk = new Walk(['new', 'old'], 'typed');
  assert.deepEqual([walk.move(1), walk.move(1), walk.move(1)], ['new', 'old', 'old']);
  assert.deepEqual([walk.move(-1), walk.move(-1), walk.move(-1)], ['new', 'typed', 'typed']);
});
