import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ServerNotThere, findServer, onPath } from '../../src/server/find';

let folder: string;
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sg-find-')));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

/** A program `name` in `folder`/`where`. Returns the folder it is in. */
function program(where: string, name = 'sg-server', mode = 0o755): string {
  const inside = path.join(folder, where);
  fs.mkdirSync(inside, { recursive: true });
  fs.writeFileSync(path.join(inside, name), '', { mode });
  return inside;
}

const NOWHERE = { setting: undefined, environment: undefined, path: '', outside: [] };

test('the setting goes before the environment, and that before PATH', () => {
  const [named, found] = [path.join(program('named'), 'sg-server'), program('found')];
  const places = { ...NOWHERE, setting: named, environment: '/env/bin/python', path: found };
  assert.deepEqual(findServer(places), { command: named, args: [], found: 'setting' });
  assert.equal(findServer({ ...places, setting: undefined })?.command, '/env/bin/python');
  assert.equal(findServer({ ...NOWHERE, path: found })?.command, path.join(found, 'sg-server'));
  assert.equal(findServer(NOWHERE), undefined);
});

test('a server that is named and not there is an error, and no other takes its place', () => {
  const found = program('found');
  assert.throws(() => findServer({ ...NOWHERE, setting: path.join(folder, 'gone'), path: found }), ServerNotThere);
});

test('an installed server does not look for modules in the workspace', () => {
  assert.ok(findServer({ ...NOWHERE, environment: '/env/bin/python' })?.args.includes('-I'));
});

test('nothing is run from a workspace folder, also not through a symbolic link or a relative entry', () => {
  const [inside, outside] = [program('work/bin'), program('tools')];
  const link = path.join(folder, 'link');
  fs.symlinkSync(inside, link);
  const searched = [inside, link, 'bin', '', outside].join(path.delimiter);
  assert.equal(onPath(['sg-server'], searched, [path.join(folder, 'work')]), path.join(outside, 'sg-server'));
});

test('what cannot be executed is passed over', () => {
  const [text, real] = [program('text', 'sg-server', 0o644), program('real')];
  fs.mkdirSync(path.join(folder, 'folders/sg-server'), { recursive: true });
  const searched = [path.join(folder, 'folders'), text, real].join(path.delimiter);
  assert.equal(onPath(['sg-server'], searched, []), path.join(real, 'sg-server'));
});
