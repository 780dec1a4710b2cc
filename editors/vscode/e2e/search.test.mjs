// The quick pick that searches while one types.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { until } from './driver.mjs';
import { openWindow } from './fixture.mjs';

const FILES = {
  'src/retry.py': 'import time\n\n\ndef wait(header):\n    retry_after = float(header)\n    time.sleep(retry_after)\n',
  'src/emoji.txt': 'say 😀é retry_after twice, retry_after\n',
  'docs/notes.md': '# Retry_After\n\nword retry, words retrying\n',
  'build/out.txt': 'retry_after, generated\n',
  'node_modules/dep/index.js': 'retry_after, foreign\n',
  '.ignore': 'ignored.txt\n',
  'ignored.txt': 'retry_after, ignored\n',
  'long.txt': `${'line\n'.repeat(200)}the end\n`,
};

let window, w;
before(async () => {
  window = await openWindow(FILES, { settings: { 'search.exclude': { '**/node_modules': true, build: true } } });
  w = window.workbench;
});
after(() => window?.close());
afterEach(() => w.closeQuick());

const labels = rows => rows.map(row => row.label);

test('typing lists the matches by file with exact counts', async () => {
  await w.search('retry_after');
  const rows = await w.waitQuickRows(found => found.length === 4, 'four rows');
  assert.deepEqual(labels(rows), [
    '# Retry_After',
    'say 😀é retry_after twice, retry_after',
    'retry_after = float(header)',
    'time.sleep(retry_after)',
  ]);
  assert.deepEqual(rows.map(row => row.description), ['line 1', 'line 1', 'line 5', 'line 6']);
  assert.match(await w.quickTitle(), /^4 matching lines in 3 files · complete/);
  assert.match(rows[0].aria, /docs\/notes\.md/);
  const marked = w.quick.locator('.monaco-list-row .highlight');
  assert.deepEqual(new Set(await marked.allInnerTexts()), new Set(['retry_after', 'Retry_After']));
  await w.picture('vscode-search.png');
});

test('enter opens the file with exactly the occurrence selected, also after an emoji', async () => {
  await w.search('retry_after');
  await w.waitQuickRows(found => found.length === 4);
  await w.page.keyboard.press('ArrowDown');
  await w.page.keyboard.press('Enter');
  await until(async () => (await w.activeTab()) === 'emoji.txt', 'the file');
  const selected = 'retry_after'.length;
  await until(async () => (await w.position()).selected === selected, 'the selection');
  await until(async () => {
    await w.page.keyboard.press('Control+C');
    return (await w.page.evaluate(() => navigator.clipboard.readText())) === 'retry_after';
  }, 'the selected text in the clipboard');
  assert.equal((await w.position()).line, 1);
});

test('the row that is looked at is shown in the editor, and escape goes back to where one was', async () => {
  await w.openFile('long.txt');
  await w.goTo(150, 3);
  await w.search('retry_after');
  await until(async () => (await w.activeTab()) === 'notes.md', 'the first row in the editor');
  await w.page.keyboard.press('ArrowDown');
  await w.page.keyboard.press('ArrowDown');
  await until(async () => (await w.activeTab()) === 'retry.py', 'the third row in the editor');
  await w.page.keyboard.press('Escape');
  await until(async () => (await w.activeTab()) === 'long.txt', 'the file from before');
  await w.waitPosition(150, 3, 0);
  const tabs = w.page.locator('.part.editor .tab .label-name');
  await until(async () => !(await tabs.allInnerTexts()).includes('retry.py'), 'the preview to be closed');
});

test('each key replaces the search before it', async () => {
  await w.command('Signal Grep: Search');
  await w.quickInput.pressSequentially('retrying');
  await w.answered();
  await w.waitQuickRows(rows => rows.length === 1 && rows[0].label.includes('retrying'));
});

test('a regex, case and whole words are a key away', async () => {
  await w.search('Retry\\w+');
  await w.waitQuickRows(rows => rows[0].label.includes('Nothing found'));
  await w.page.keyboard.press('Alt+R');
  await w.waitQuickRows(rows => rows[0].label === '# ⟦Retry_After⟧', 'the regex');
  assert.match(await w.quickTitle(), /regex, smart case/);
  await w.page.keyboard.press('Alt+C');
  await w.page.keyboard.press('Alt+C');
  await w.waitQuickRows(rows => rows.length === 5 && rows.some(row => row.label.includes('⟦retrying⟧')), 'any case');
  await w.page.keyboard.press('Alt+C');
  await w.page.keyboard.press('Alt+R');
  await w.type('retry');
  await w.page.keyboard.press('Alt+W');
  await w.waitQuickRows(rows => rows.length === 1 && rows[0].label.startsWith('word retry'), 'whole words');
  await w.page.keyboard.press('Alt+W');
});

test('globs narrow a search and are lifted again', async () => {
  await w.search('retry_after');
  for (const [globs, count] of [['*.py, *.md', 3], ['', 4]]) {
    await w.pressButton('Files to Include');
    await w.page.getByPlaceholder('').first().waitFor();
    await until(async () => (await w.quick.locator('.quick-input-message').innerText()).includes('Globs'), 'the question');
    await w.quickInput.fill(globs);
    await w.page.keyboard.press('Enter');
    await w.waitQuickRows(rows => rows.length === count && rows[0].label.includes('Retry_After'), `${count} rows`);
  }
});

test('what the editor excludes and ignore files leave out is a button away', async () => {
  await w.search('retry_after,');
  await w.waitQuickRows(rows => rows[0].label.includes('Nothing found') || rows.length === 1);
  await w.pressButton('Exclude Settings');
  const rows = await w.waitQuickRows(found => found.length === 3, 'three rows more');
  assert.deepEqual(labels(rows), ['retry_after, generated', 'retry_after, ignored', 'retry_after, foreign']);
  await w.pressButton('Excluded and Ignored');
  await w.waitQuickRows(found => found[0].label.includes('Nothing found'));
});

test('unsaved text is found where it stands, and is not when only saved text is wanted', async () => {
  await w.openFile('long.txt');
  await w.goTo(1, 1);
  await w.page.keyboard.type('fresh 😀 words\n');
  await w.search('fresh 😀 words');
  await w.waitQuickRows(rows => rows.length === 1 && rows[0].label === 'fresh 😀 words');
  await w.pressButton('Unsaved Text');
  await w.waitQuickRows(rows => rows[0].label.includes('Nothing found'));
  await w.pressButton('Only Saved');
  await w.waitQuickRows(rows => rows[0].label === 'fresh 😀 words');
  assert.ok(!fs.readFileSync(path.join(window.folder, 'long.txt'), 'utf8').includes('fresh'));
});

test('earlier searches come back with alt and the arrow keys, and are listed before one types', async () => {
  for (const pattern of ['float', 'generated, not there', 'import']) {
    await w.search(pattern);
    await w.page.keyboard.press('Enter');
  }
  await w.closeQuick();
  await w.command('Signal Grep: Search');
  const rows = await w.waitQuickRows(found => found.length > 1);
  assert.deepEqual(labels(rows).slice(0, 2).map(label => label.trim()), ['import', 'float']);
  for (const [key, pattern] of [['Alt+ArrowUp', 'import'], ['Alt+ArrowUp', 'float'], ['Alt+ArrowDown', 'import']]) {
    await w.page.keyboard.press(key);
    await until(async () => (await w.quickInput.inputValue()) === pattern, `${pattern} in the input`);
  }
});

test('the word at the cursor is searched as a whole word', async () => {
  await w.openFile('retry.py');
  await w.goTo(4, 6);
  await w.command('Signal Grep: Search Selection or Word Under Cursor');
  await w.answered();
  assert.equal(await w.quickInput.inputValue(), 'wait');
  assert.match(await w.quickTitle(), /whole word/);
});

test('a folder of the explorer is searched alone', async () => {
  await w.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'docs' }).first().click({ button: 'right' });
  const entry = w.page.getByRole('menuitem', { name: 'Signal Grep: Search in Folder' });
  await entry.waitFor();
  await until(async () => {
    if (await entry.isVisible()) await entry.click({ timeout: 1000 }); // one too soon after the menu opened is passed over
    return w.quickInput.isVisible();
  }, 'the search of the folder');
  await w.type('retry_after');
  assert.match(await w.quickTitle(), /1 matching line in 1 file.*docs/);
});
