import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluginOptions } from '../../src/server/plugins';

test('what is installed is told to the server, and what is part of VS Code is not', () => {
  const extensions = [
    { id: 'vscode.git', packageJSON: { isBuiltin: true } },
    { id: 'someone.search', packageJSON: { isBuiltin: false } },
    { id: 'someone.theme', packageJSON: {} },
  ];
  assert.deepEqual(pluginOptions(() => extensions), { plugins: ['someone.search', 'someone.theme'] });
});

test('a list that cannot be had is a failure with its reason, and not an empty list', () => {
  const broken = () => {
    throw new Error('no extensions today');
  };
  assert.deepEqual(pluginOptions(broken), { pluginsFailure: 'no extensions today' });
});
