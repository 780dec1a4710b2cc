import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editorRules } from '../../src/search/editorRules';
import { DEFAULT_OPTIONS, globsIn, searchParams, type Query } from '../../src/search/query';

const SETTINGS = { filesExclude: {}, searchExclude: {}, useIgnoreFiles: true, followSymlinks: false, encoding: 'utf8' };
const RULES = editorRules({ ...SETTINGS, searchExclude: { '**/node_modules': true }, followSymlinks: true });

function query(changes: Partial<Query>): Query {
  return { ...DEFAULT_OPTIONS, pattern: 'x', within: [], ...changes };
}

test('a plain search is literal, in smart case, and follows the rules of the editor', () => {
  assert.deepEqual(searchParams(query({}), RULES), {
    pattern: 'x',
    literal: true,
    wholeWord: false,
    exclude: ['**/node_modules'],
    hidden: true,
    ignored: false,
    follow: true,
    includeUnsaved: true,
  });
});

test('past the rules of the editor everything but its encoding is searched, and own globs still count', () => {
  const params = searchParams(query({ editorRules: false, exclude: ['*.log'] }), { ...RULES, encoding: 'shift_jis' });
  assert.deepEqual(
    [params.exclude, params.ignored, params.follow, params.encoding],
    [['*.log'], true, false, 'shift_jis'],
  );
});

test('case is left open only when it is smart', () => {
  assert.equal(searchParams(query({ case: 'smart' }), RULES).ignoreCase, undefined);
  assert.equal(searchParams(query({ case: 'sensitive' }), RULES).ignoreCase, false);
  assert.equal(searchParams(query({ case: 'insensitive' }), RULES).ignoreCase, true);
});

test('globs are separated by commas, but not inside braces', () => {
  assert.deepEqual(globsIn(' *.{ts,js}, src/** ,,'), ['*.{ts,js}', 'src/**']);
  assert.deepEqual(globsIn(''), []);
});

test('a name alone is a child of the folder, and one with a slash stays as it is', () => {
  const rules = editorRules({ ...SETTINGS, filesExclude: { out: true, '**/.git': true, 'a/b/': true } });
  assert.deepEqual(rules.exclude, ['/out', '**/.git', 'a/b']);
});

test('excludes that are off or depend on siblings leave nothing out, and equal ones count once', () => {
  const rules = editorRules({
    ...SETTINGS,
    filesExclude: { off: false, '**/*.js': { when: '$(basename).ts' }, '**/x': true },
    searchExclude: { '**/x': true },
  });
  assert.deepEqual(rules.exclude, ['**/x']);
});

test('encodings of the editor become labels of ripgrep, and unknown ones leave the choice to it', () => {
  const label = (encoding: string) => editorRules({ ...SETTINGS, encoding }).encoding;
  assert.deepEqual(['shiftjis', 'windows1252', 'utf16le', 'utf8', 'cp437'].map(label), [
    'shift_jis',
    'windows-1252',
    'utf-16le',
    undefined,
    undefined,
  ]);
});
