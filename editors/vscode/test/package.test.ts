import { getL10nJson } from '@vscode/l10n-dev';
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { COMMANDS, CONTEXT, RESULTS_VIEW, SERVER_SETTINGS } from '../src/common/constants';

interface Manifest {
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string; title: string }[];
    views: { signalGrep: { id: string }[] };
    configuration: { properties: Record<string, { type: unknown; default: unknown; scope: string; markdownDescription: string }> };
  };
}

const read = (file: string) => fs.readFileSync(file, 'utf8');
const keys = (file: string) => Object.keys(JSON.parse(read(file)) as object).sort();
const text = read('package.json');
const manifest = JSON.parse(text) as Manifest;
const sources = fs.readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'));

test('every word of package.json is there in both languages, and none is left over', () => {
  const used = [...text.matchAll(/%([^%"]+)%/g)].map(([, key]) => key);
  assert.deepEqual(keys('package.nls.json'), [...new Set(used)].sort());
  assert.deepEqual(keys('package.nls.zh-cn.json'), keys('package.nls.json'));
});

test('every word in the code is translated, with the same places for values', async () => {
  const contents = sources.map(name => ({ extension: '.ts' as const, contents: read(path.join('src', name)) }));
  const words = Object.keys(await getL10nJson(contents));
  const bundle = JSON.parse(read('l10n/bundle.l10n.zh-cn.json')) as Record<string, string>;
  assert.deepEqual(Object.keys(bundle).sort(), words.sort());
  const places = (message: string) => [...message.matchAll(/\{\d+\}/g)].map(String).sort();
  for (const [word, translation] of Object.entries(bundle)) assert.deepEqual(places(translation), places(word), word);
});

test('the code and package.json have the same commands, views and context keys', () => {
  const contributed = manifest.contributes.commands.map(({ command }) => command);
  assert.deepEqual(Object.values(COMMANDS).sort(), contributed.sort());
  assert.deepEqual(manifest.contributes.views.signalGrep.map(({ id }) => id), [RESULTS_VIEW]);
  const named = new Set([...text.matchAll(/signalGrep\.(?:hasResults|pickerOpen)\b/g)].map(String));
  assert.deepEqual([...named].sort(), Object.values(CONTEXT).sort());
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
