// Finding, installing and starting the server, and what is said when that fails.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { cli, until } from './driver.mjs';
import { EXTENSION, SignalGrepWorkbench, openWindow, write } from './fixture.mjs';

const FILES = { 'a.txt': 'needle in a.txt\n', 'b.txt': 'this hangs\n' };

const windows = [];
after(() => Promise.all(windows.map(window => window.close())));

async function open(options) {
  const window = await openWindow(FILES, options);
  windows.push(window);
  return window;
}

/** A stand-in for ripgrep: finds what ripgrep finds, but does not end when asked for `hangs`. */
function hangingRg(home) {
  const program = path.join(home, 'rg');
  const real = execFileSync('sh', ['-c', 'command -v rg'], { encoding: 'utf8' }).trim();
  const hang = `case "$*" in *hangs*) echo $$ > '${home}/rg.pid'; ${real} "$@"; exec sleep 600 ;; esac`;
  const script = ['#!/bin/sh', hang, `exec ${real} "$@"`, ''];
  fs.writeFileSync(program, script.join('\n'), { mode: 0o755 });
  return program;
}

const isAlive = pid => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('without ctags its loss is told once, with the way to install it', async () => {
  const { workbench: w, close } = await open({ env: ['export PATH=/nowhere'] });
  await w.search('needle');
  await w.page.keyboard.press('Enter');
  const told = await w.waitNotification(/ctags/);
  assert.match(told, /Install it \(.*universal-ctags/);
  await w.command('Notifications: Clear All Notifications');
  await w.command('Signal Grep: Restart Server');
  await w.search('needle');
  assert.ok(!(await w.notifications()).some(message => message.includes('ctags')));
  await close();
});

test('a long search shows what it has found, can be cancelled, and leaves nothing running', async () => {
  const { workbench: w, home, close } = await open({ rg: hangingRg });
  await w.search('needle');
  await w.quickInput.fill('hangs');
  await w.waitQuickRows(rows => rows.length === 1 && rows[0].label === 'this hangs', 'a row of the unfinished search');
  assert.match(await w.quickTitle(), /1 matching line in 1 file so far/);
  const first = Number(fs.readFileSync(path.join(home, 'rg.pid'), 'utf8'));
  await w.type('needle');
  await w.waitQuickRows(rows => rows.length === 1);
  await until(() => !isAlive(first), 'the former search to be gone');

  fs.rmSync(path.join(home, 'rg.pid'));
  await w.quickInput.fill('hangs too');
  await w.page.keyboard.press('Alt+S');
  const toast = w.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: 'Searching for hangs too' });
  await toast.waitFor();
  const second = Number(fs.readFileSync(path.join(home, 'rg.pid'), 'utf8'));
  await toast.getByRole('button', { name: 'Cancel' }).click();
  await toast.waitFor({ state: 'detached' });
  await until(() => !isAlive(second), 'the cancelled search to be gone');
  await close();
});

test('two windows work side by side, one of them on two folders', async () => {
  const { workbench: w, home, browser, url, close } = await open();
  await w.search('needle');
  write(home, {
    'one/a.txt': 'needle of one\n',
    'two/a.txt': 'needle of two\n',
    'both.code-workspace': JSON.stringify({ folders: [{ path: 'one' }, { path: 'two' }] }),
  });
  const other = await SignalGrepWorkbench.open(browser, url, path.join(home, 'both.code-workspace'));
  await other.search('needle');
  const rows = await other.waitQuickRows(found => found.length === 2);
  assert.deepEqual(rows.map(row => row.label), ['needle of one', 'needle of two']);
  assert.match(rows[1].aria, /two\/a\.txt/);
  await w.page.bringToFront();
  await w.search('needle in');
  await w.waitQuickRows(found => found.length === 1);
  await close();
});

test('a server that is not where the setting says is told with the remedy, and a click starts it once it is there; a changed path is followed', async () => {
  const { workbench: w, home, close } = await open();
  const program = path.join(home, 'sg-server');
  fs.renameSync(program, `${program}.away`);
  await w.command('Signal Grep: Show Health');
  const told = await w.waitNotification(/no program at/);
  assert.ok(told.includes(program) && told.includes('signalGrep.serverPath'), told);
  await until(async () => (await w.status()) === 'not running', 'the status');
  fs.renameSync(`${program}.away`, program);
  await w.statusItem.click();
  await until(async () => (await w.status()) === 'running', 'the server');

  const changed = { 'signalGrep.serverPath': program, 'signalGrep.rgPath': hangingRg(home) };
  write(home, { 'data/Machine/settings.json': JSON.stringify(changed) });
  await w.command('Signal Grep: Search');
  await w.quickInput.fill('hangs');
  await until(() => fs.existsSync(path.join(home, 'rg.pid')), 'the ripgrep that is set now');
  await close();
});

test('the packaged extension installs its server when it is allowed to, and searches with it', async () => {
  execFileSync('npm', ['run', '--silent', 'package'], { cwd: EXTENSION, stdio: 'pipe', env: { ...process.env, PYTHON: process.env.SG_PYTHON } });
  const { workbench: w, home, close } = await open({
    install: home => cli(home, '--install-extension', path.join(EXTENSION, 'dist/signal-grep.vsix')),
    server: false,
    machine: { 'signalGrep.pythonPath': process.env.SG_PYTHON },
    path: '/usr/bin:/bin',
  });
  await w.command('Signal Grep: Show Health');
  await w.waitNotification(/server is not installed.*Install it into a Python environment/);
  await w.clickNotificationButton('server is not installed', /^Install$/);
  await until(async () => (await w.activeTab()) === 'Signal Grep.md', 'the health document', 120_000);
  const storage = path.join(home, 'data/User/globalStorage/signal-grep.signal-grep');
  assert.equal(fs.readdirSync(storage).filter(name => name.startsWith('server-')).length, 1);
  await w.search('needle');
  await w.waitQuickRows(rows => rows.length === 1 && rows[0].label === 'needle in a.txt');
  await close();
});
