import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';
import { mayOverride, readUserFile, userFile, type Machine } from '../../src/mode/userFile';

const NAME = path.join('signal-grep', 'signal-grep.json');
const linux = (environment: Machine['environment']) => userFile({ environment, platform: 'linux', home: '/home/me' });

test('the file is in the folder for configurations of the platform', () => {
  assert.equal(linux({}), path.join('/home/me/.config', NAME));
  assert.equal(linux({ XDG_CONFIG_HOME: '/config' }), path.join('/config', NAME));
  assert.equal(linux({ XDG_CONFIG_HOME: ' ' }), path.join('/home/me/.config', NAME));
  const mac = userFile({ environment: {}, platform: 'darwin', home: '/Users/me' });
  assert.equal(mac, path.join('/Users/me/Library/Application Support', NAME));
  const windows = userFile({ environment: { LOCALAPPDATA: '/local' }, platform: 'win32', home: '/me' });
  assert.equal(windows, path.join('/local', NAME));
});

test('the environment names another file', () => {
  assert.equal(linux({ SG_CONFIG: '/elsewhere/mine.json', XDG_CONFIG_HOME: '/config' }), path.resolve('/elsewhere/mine.json'));
});

test('only an override, or a file that is not as it should be, is worth asking the server', () => {
  const file = { overrideBuiltinGrep: false, startMetricsOnNextLoad: false, locale: 'en' };
  assert.equal(mayOverride(undefined), false);
  assert.equal(mayOverride(JSON.stringify(file)), false);
  assert.equal(mayOverride(JSON.stringify({ ...file, overrideBuiltinGrep: true })), true);
  for (const wrong of ['', '{', 'null', '[]', '{"overrideBuiltinGrep": 0}']) assert.equal(mayOverride(wrong), true, wrong);
});

test('a file that is not there is told from one that cannot be read', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sg-user-file-'));
  try {
    assert.equal(await readUserFile(path.join(folder, 'none.json')), undefined);
    assert.equal(await readUserFile(folder), '');
    fs.writeFileSync(path.join(folder, 'some.json'), '{}');
    assert.equal(await readUserFile(path.join(folder, 'some.json')), '{}');
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
