// Stored text: its entries as documents, and the quick pick over them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { until } from './driver.mjs';
import { openWindow } from './fixture.mjs';

const NOTES = '# Ünï\n\nbefore 😀 needle after\n\n## Next\n\nmore\n';
const FILES = { 'a.txt': 'a file\n' };

let window, w, id;
before(async () => {
  window = await openWindow(FILES, { env: ['export SG_STORE="$(dirname "$0")/entries.sqlite3"'] });
  w = window.workbench;
  const put = (text, ...more) =>
    execFileSync(path.join(window.home, 'sg-server'), ['context', 'put', '--thread', 'notes', ...more], { input: text, encoding: 'utf8' }).trim();
  put('older\n', '--tag', 'log');
  id = put(NOTES, '--summary', 'About everything.');
});
after(() => window?.close());

async function pick(typed) {
  await w.command('Signal Grep: Search Stored Text');
  if (typed !== '') await w.quickInput.fill(typed);
}

test('the newest entries are listed before anything is typed', async () => {
  await pick('');
  const rows = await w.waitQuickRows(found => found.length === 2, 'two entries');
  assert.deepEqual(rows.map(row => row.label), ['About everything.', 'notes']);
  assert.match(rows[1].description, / · log$/);
});

test('a match opens its entry, read only, with exactly the match selected', async () => {
  await pick('NEEDLE');
  const [row] = await w.waitQuickRows(found => found.length === 1 && found[0].label === 'before 😀 needle after', 'the match');
  assert.equal(row.description, 'line 3');
  await w.page.keyboard.press('Enter');
  await until(async () => (await w.activeTab()) === `${id}.md`, 'the entry');
  await until(async () => (await w.position()).selected === 'needle'.length, 'the selection');
  assert.equal((await w.position()).line, 3);
  await until(async () => {
    await w.page.keyboard.press('Control+C');
    return (await w.page.evaluate(() => navigator.clipboard.readText())) === 'needle';
  }, 'the selected text in the clipboard');
  assert.deepEqual(await w.editorLines(), NOTES.split('\n'));
  await w.page.keyboard.type('x');
  await until(async () => /read-only/.test(await w.page.locator('.monaco-editor-overlaymessage').innerText()), 'the refusal of an edit');
});

test('what is not stored is said', async () => {
  await pick('nowhere');
  const [row] = await w.waitQuickRows(found => found.length === 1 && /Nothing/.test(found[0].label));
  assert.match(row.label, /Nothing found in stored text/);
  await w.closeQuick();
});
