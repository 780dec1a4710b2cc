import { getL10nJson } from '@vscode/l10n-dev';
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { COMMANDS, CONTEXT, RESULTS_VIEW, SERVER_SETTINGS } from '../src/common/constants';

interface Manifest {
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string; title: string }[];
    keybindings: { command: string; key: string; mac?: string; when?: string }[];
    views: { signalGrep: { id: string }[] };
    configuration: { properties: Record<string, { type: unknown; default: unknown; scope: string; markdownDescription: string }> };
  };
}

const read = (file: string) => fs.readFileSync(file, 'utf8');
const words = (file: string) => JSON.parse(read(file)) as Record<string, string>;
const keys = (file: string) => Object.keys(words(file)).sort();
const text = read('package.json');
const manifest = JSON.parse(text) as Manifest;
const sources = fs.readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'));

/** Names of programs and folders, and a line of Python. */
const NO_SENTENCE = /Signal Grep|Universal Ctags|Application Support|^import sys, .*/g;

/** Text with words in it that is neither translated, nor logged, nor an error that only the code sees. */
function sentencesOutsideL10n(name: string, contents: string): string[] {
  const found: string[] = [];
  const isForNobody = (node: ts.Node) =>
    ts.isImportDeclaration(node) ||
    (ts.isNewExpression(node) && node.expression.getText() === 'Error') ||
    (ts.isCallExpression(node) && /(^|\.)(l10n\.t|output\.\w+)$/.test(node.expression.getText()));
  const visit = (node: ts.Node) => {
    if (isForNobody(node)) return;
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && /[a-z]{2,} [a-z]{2,}/i.test(node.text.replace(NO_SENTENCE, ''))) found.push(`${name}: ${node.text}`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, contents, ts.ScriptTarget.Latest, true));
  return found;
}

test('every word of package.json is there in both languages, and none is left over', () => {
  const used = [...text.matchAll(/%([^%"]+)%/g)].map(([, key]) => key);
  assert.deepEqual(keys('package.nls.json'), [...new Set(used)].sort());
  assert.deepEqual(keys('package.nls.zh-cn.json'), keys('package.nls.json'));
});

test('what package.json shows to people is taken from the words, but for the name', () => {
  const shown = [...text.matchAll(/"(?:title|description|markdownDescription|name|contents)": "([^"]*)"/g)].map(([, word]) => word);
  assert.ok(shown.length > 40);
  assert.deepEqual(shown.filter(word => !/^(%.+%|Signal Grep|signal-grep)$/.test(word ?? '')), []);
});

test('translations of package.json name the same programs, settings and commands', () => {
  const english = words('package.nls.json');
  const names = (message: string | undefined) => [...(message ?? '').matchAll(/`[^`]+`|\(command:[^)]+\)/g)].map(String).sort();
  for (const [key, translation] of Object.entries(words('package.nls.zh-cn.json'))) {
    assert.deepEqual(names(translation), names(english[key]), key);
  }
});

test('every word in the code is translated, with the same places for values', async () => {
  const contents = sources.map(name => ({ extension: '.ts' as const, contents: read(path.join('src', name)) }));
  const used = Object.keys(await getL10nJson(contents));
  const bundle = words('l10n/bundle.l10n.zh-cn.json');
  assert.deepEqual(Object.keys(bundle).sort(), used.sort());
  const places = (message: string) => [...message.matchAll(/\{\d+\}/g)].map(String).sort();
  for (const [word, translation] of Object.entries(bundle)) assert.deepEqual(places(translation), places(word), word);
});

test('no sentence in the code goes past the translations', () => {
  const missed = sources.flatMap(name => sentencesOutsideL10n(name, read(path.join('src', name))));
  assert.deepEqual(missed, []);
});

test('Chinese is set with Chinese punctuation', () => {
  for (const file of ['package.nls.zh-cn.json', 'l10n/bundle.l10n.zh-cn.json']) {
    for (const translation of Object.values(words(file))) assert.doesNotMatch(translation, /[\u4e00-\u9fff][,:;?!](?! )/, translation);
  }
});

test('the code and package.json have the same commands, views and context keys', () => {
  const contributed = manifest.contributes.commands.map(({ command }) => command);
  assert.deepEqual(Object.values(COMMANDS).sort(), contributed.sort());
  assert.deepEqual(manifest.contributes.views.signalGrep.map(({ id }) => id), [RESULTS_VIEW]);
  const conditions = [...text.matchAll(/"when": "([^"]*)"/g)].map(([, condition]) => condition ?? '');
  const named = new Set(conditions.flatMap(condition => condition.match(/signalGrep\.\w+/g) ?? []));
  named.delete(RESULTS_VIEW);
  assert.deepEqual([...named].sort(), Object.values(CONTEXT).sort());
});

test('the key of Find in Files is taken only while the override is in force', () => {
  const { keybindings } = manifest.contributes;
  const taken = keybindings.filter(({ key }) => key === 'ctrl+shift+f');
  assert.deepEqual(taken.map(({ command, mac }) => [command, mac]), [[COMMANDS.findInFiles, 'cmd+shift+f']]);
  assert.ok(taken[0]?.when?.startsWith(`${CONTEXT.override} && `));
});

test('no command has an id of the server', () => {
  for (const id of Object.values(COMMANDS)) assert.match(id, /^signalGrep\./);
});

test('a workspace cannot choose which program is run', () => {
  const { properties } = manifest.contributes.configuration;
  const paths = Object.keys(properties).filter(name => name.endsWith('Path'));
  assert.equal(paths.length, 4);
  for (const name of paths) assert.equal(properties[name]?.scope, 'machine', name);
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.sort(), paths.sort());
});

test('settings that go to the server are settings of the server', () => {
  const reference = read('../../docs/settings.md');
  for (const name of SERVER_SETTINGS) {
    assert.ok(reference.includes(`| \`${name}\` |`), name);
    assert.ok(`signalGrep.${name}` in manifest.contributes.configuration.properties, name);
  }
});
