// The results view, and inspections from it and from the editor.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { until } from './driver.mjs';
import { openWindow, write } from './fixture.mjs';

const FILES = {
  'app/retry.py': [
    'class Client:',
    '    def wait(self, header):',
    '        retry_after = float(header)',
    '        return retry_after',
    '',
    '    def close(self):',
    '        self.closed = True',
    '',
  ].join('\n'),
  'app/emoji.txt': '😀 retry_after\n',
  'many.txt': 'plenty of rows\n'.repeat(2500),
  ...Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`spread/${i}.txt`, 'spread thin\n'])),
};

let window, w;
before(async () => {
  window = await openWindow(FILES);
  w = window.workbench;
});
after(() => window?.close());
afterEach(() => w.closeQuick());

/** Searches for `pattern` and sends everything to the results view. */
async function list(pattern, header) {
  await w.search(pattern);
  await w.page.keyboard.press('Alt+S');
  return w.waitHeader(header);
}

/** Opens the file with `label`, the first of the list: a click that is lost, or comes twice, is made up for. */
async function expand(label) {
  await until(async () => {
    await w.pane('Results').locator('.monaco-list').focus();
    await w.page.keyboard.press('Home');
    const isOpen = async () => (await row(label).getAttribute('aria-expanded', { timeout: 1000 })) === 'true';
    if (await isOpen()) return true;
    await row(label).click({ timeout: 1000 });
    return until(isOpen, `${label} to open`, 2000);
  }, `the file ${label}`);
}

/** Clicks the last row, which has `label`, until it has been followed: a click on a list that is just drawn anew is lost. */
async function follow(label) {
  let wasThere = false;
  await until(async () => {
    await w.pane('Results').locator('.monaco-list').focus();
    await w.page.keyboard.press('End');
    if ((await row(label).count()) === 0) return wasThere;
    wasThere = true; // now, for a click that takes too long may have been one all the same
    await row(label).click({ timeout: 1000 });
    await row(label).waitFor({ state: 'detached', timeout: 5000 });
    return true;
  }, `what follows the row ${label}`);
}

const row = label => w.pane('Results').locator('.monaco-list-row').filter({ hasText: label }).first();

async function rowAction(label, title) {
  await row(label).hover();
  await row(label).getByRole('button', { name: title }).click();
}

test('results are listed by file with exact counts, and each opens where it is', async () => {
  await list('retry_after', /^3 matching lines in 2 files · complete$/);
  const rows = await w.waitTree(found => found.length === 5);
  assert.deepEqual(
    rows.map(({ level, label, description }) => [level, label, description]),
    [
      [1, 'retry.py', '2 · app'],
      [2, 'retry_after = float(header)', 'line 3'],
      [2, 'return retry_after', 'line 4'],
      [1, 'emoji.txt', '1 · app'],
      [2, '😀 retry_after', 'line 1'],
    ],
  );
  const marked = w.pane('Results').locator('.monaco-list-row .highlight');
  assert.deepEqual(await marked.allInnerTexts(), Array(3).fill('retry_after'));
  await row('return retry_after').click();
  await w.waitPosition(4, 27, 11);
  await w.picture('vscode-results.png');
});

test('F4 and shift+F4 go from match to match across files', async () => {
  await w.page.keyboard.press('F4');
  await until(async () => (await w.activeTab()) === 'emoji.txt', 'the next file');
  await until(async () => (await w.position()).selected === 11, 'the match there');
  await w.page.keyboard.press('Shift+F4');
  await until(async () => (await w.activeTab()) === 'retry.py', 'the file before');
  await w.waitPosition(4, 27, 11);
  await w.page.keyboard.press('Shift+F4');
  await w.waitPosition(3, 20, 11);
});

test('a match is inspected with the symbol around it', async () => {
  await rowAction('return retry_after', 'Inspect Match');
  const heading = w.page.locator('.codelens-decoration').first();
  await until(async () => /wait/.test(await heading.innerText()), 'the heading');
  assert.match((await heading.innerText()).replaceAll('\u00a0', ' '), /app\/retry\.py:4 · \w+ Client\.wait, found by (ctags|tree-sitter)/);
  const lines = await w.editorLines();
  assert.ok(lines.some(line => line.endsWith('return retry_after')), lines.join('\n'));
  assert.ok(!lines.some(line => line.includes('closed')), lines.join('\n'));
  await w.picture('vscode-inspection.png');
});

test('the place of the cursor is inspected, and a place outside any symbol is said to be that', async () => {
  await w.openFile('retry.py');
  await w.goTo(7, 5);
  await w.command('Signal Grep: Inspect at Cursor');
  const heading = w.page.locator('.editor-group-container.active .codelens-decoration').first();
  await until(async () => /Client\.close/.test(await heading.innerText()), 'the symbol');
  await w.openFile('many.txt');
  await w.command('Signal Grep: Inspect at Cursor');
  await until(async () => /many\.txt:1 · /.test((await heading.innerText()).replaceAll('\u00a0', ' ')), 'the file without symbols');
});

test('results are copied as the text made for a model', async () => {
  await w.command('Signal Grep: Copy Results as Text');
  await until(async () => /retry_after/.test(await w.page.evaluate(() => navigator.clipboard.readText())), 'the text');
  assert.match(await w.page.evaluate(() => navigator.clipboard.readText()), /app\/retry\.py/);
});

test('a row is taken from the list, and the counts stay what was found', async () => {
  await rowAction('emoji.txt', 'Remove from List');
  await w.waitTree(rows => rows.length === 3 && rows[0].label === 'retry.py');
  await w.waitHeader(/^3 matching lines in 2 files · complete · 1 removed/);
});

test('searching again finds what is there now', async () => {
  write(window.folder, { 'app/new.txt': 'retry_after\n' });
  await w.command('Signal Grep: Search Again');
  await w.waitHeader(/^4 matching lines in 3 files · complete$/);
});

test('many files and many matches are read on demand', async () => {
  await list('spread thin', /^400 matching lines in 400 files · complete$/);
  await follow('Load more (370 files left)');
  await follow('Load more (70 files left)');
  await until(async () => {
    await w.page.keyboard.press('End');
    const rows = await w.treeRows('Results');
    return rows.at(-1).index === 399;
  }, 'all 400 files');
  await list('plenty of rows', /^2,500 matching lines in 1 file · complete$/);
  await expand('many.txt');
  await w.waitTree(rows => rows.some(({ label }) => label === 'plenty of rows'));
  await follow('Load more (1,500 lines left)');
  await follow('Load more (500 lines left)');
});

test('of fifty thousand matches only those that are looked at are read', async t => {
  write(window.folder, Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`huge/${i}.log`, 'one of fifty thousand\n'.repeat(1000)])));
  await w.page.evaluate(() => {
    globalThis.longest = 0;
    let last = performance.now();
    const frame = now => {
      globalThis.longest = Math.max(globalThis.longest, now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await list('one of fifty thousand', /^50,000 matching lines in 50 files · complete$/);
  await expand('0.log');
  await w.waitTree(rows => rows.some(({ label }) => label === 'one of fifty thousand'));
  await w.pane('Results').locator('.monaco-list').focus();
  await w.page.keyboard.press('End');
  const [files, more, matches] = [30, 1, 1000];
  await w.waitTree(rows => rows.at(-1).index + 1 === files + more + matches, 'thirty files, one of them open, and more');
  t.diagnostic(`the window stood still for at most ${Math.round(await w.page.evaluate(() => globalThis.longest))} ms`);
});

test('a server that is killed comes back, and results that it no longer has can be searched for again', async () => {
  const pid = Number(fs.readFileSync(path.join(window.home, 'server.pid'), 'utf8'));
  await list('retry_after', /^4 matching lines in 3 files/);
  await w.waitTree(rows => rows.some(({ label }) => label === 'return retry_after'));
  process.kill(pid, 'SIGKILL');
  await until(() => Number(fs.readFileSync(path.join(window.home, 'server.pid'), 'utf8')) !== pid, 'another server');
  await rowAction('return retry_after', 'Inspect Match');
  await w.waitNotification(/no longer keeps/);
  await w.search('retry_after');
  await w.waitQuickRows(rows => rows.length === 4);
});

test('the server is restarted on demand', async () => {
  const pid = fs.readFileSync(path.join(window.home, 'server.pid'), 'utf8');
  await w.command('Signal Grep: Restart Server');
  await until(() => fs.readFileSync(path.join(window.home, 'server.pid'), 'utf8') !== pid, 'another server');
  await w.search('retry_after');
  await w.waitQuickRows(rows => rows.length === 4);
});

test('clear leaves nothing behind', async () => {
  await w.command('Signal Grep: Clear Results');
  await until(async () => (await w.treeRows('Results')).length === 0, 'no rows');
  await w.pane('Results').getByText('Nothing has been searched yet').waitFor();
});

test('the health of the server is a document to read', async () => {
  await w.command('Signal Grep: Show Health');
  await until(async () => (await w.activeTab()) === 'Signal Grep.md', 'the document');
  // Markdown is wrapped to the width of its editor.
  await until(async () => /ripgrep: .*\d+\.\d+/.test((await w.editorLines()).join('')), 'the version of ripgrep');
});
