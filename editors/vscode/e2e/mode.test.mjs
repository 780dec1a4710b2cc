// Whose key Find in Files is, the card with metrics, and a window in Chinese.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { link, until } from './driver.mjs';
import { EXTENSION, openWindow, write } from './fixture.mjs';

const FILES = { 'a.txt': 'needle in a.txt\n', 'many.txt': 'a row of many, each of them as long as this one is\n'.repeat(90) };

/** Of a folder that names programs of its own. A search with any of them would fail. */
const PROGRAMS = ['serverPath', 'pythonPath', 'rgPath', 'ctagsPath'].map(name => [`signalGrep.${name}`, '/bin/false']);
const FOREIGN_SETTINGS = { '.vscode/settings.json': JSON.stringify(Object.fromEntries(PROGRAMS)) };

let window, w, chinese;
before(async () => {
  window = await openWindow(FILES);
  w = window.workbench;
});
after(() => Promise.all([window?.close(), chinese?.close()]));
afterEach(() => w.closeQuick());

/** What the key of Find in Files leads to: `ours` or `builtin`. */
async function findInFiles(workbench) {
  const searchView = workbench.page.locator('.part.sidebar .search-view');
  await until(async () => {
    await workbench.closeQuick();
    await workbench.page.keyboard.press('Control+Shift+E');
    return !(await searchView.isVisible());
  }, 'another view than the search');
  await workbench.page.keyboard.press('Control+Shift+F');
  return until(async () => {
    if (await workbench.quick.locator('input[placeholder*="Alt+Up"]').count()) return 'ours';
    return (await searchView.isVisible()) && 'builtin';
  }, 'a search');
}

const choices = ({ userFile }) => JSON.parse(fs.readFileSync(userFile, 'utf8'));
const choose = ({ userFile }, changes) =>
  fs.writeFileSync(userFile, JSON.stringify({ ...choices({ userFile }), ...changes }));

/** Links the extension, and beside it one that the server knows to own the key. */
function withBetterSearch(home) {
  link(home, EXTENSION);
  const manifest = { publisher: 'ekinertac', name: 'better-search', version: '1.0.0', engines: { vscode: '*' } };
  write(home, { 'better-search/package.json': JSON.stringify(manifest) });
  link(home, path.join(home, 'better-search'));
}

test('the key of Find in Files is ours while override is on, and is given back at once', async () => {
  assert.equal(await findInFiles(w), 'builtin');
  await w.command('Signal Grep: Turn Override On');
  await w.waitNotification(/^Override is on: Find in Files is Signal Grep/);
  assert.equal(choices(window).overrideBuiltinGrep, true);
  await w.openFile('a.txt');
  await w.goTo(1, 1);
  await w.page.keyboard.press('Control+Shift+ArrowRight');
  await w.page.keyboard.press('Control+Shift+F');
  await w.waitQuickRows(rows => rows.length === 1 && rows[0].label === 'needle in a.txt', 'the selection to be found');
  assert.equal(await w.quickInput.inputValue(), 'needle');
  await w.closeQuick();
  await w.command('Signal Grep: Turn Override Off');
  await w.waitNotification(/^Override is off/);
  assert.equal(await findInFiles(w), 'builtin');
});

/** Lets the window have the focus or not, which a headless browser never takes away. */
async function setFocus(focused) {
  await w.page.evaluate(async focused => {
    document.hasFocus = () => focused;
    globalThis.dispatchEvent(new Event(focused ? 'focus' : 'blur'));
    await new Promise(done => setTimeout(done)); // VS Code looks at it in a timer of its own, set before this one
  }, focused);
}

test('what another editor chooses holds once the window has the focus again', async () => {
  await setFocus(false);
  choose(window, { overrideBuiltinGrep: true });
  await setFocus(true);
  await until(async () => (await findInFiles(w)) === 'ours', 'the key', 10_000);
});

test('an override that was chosen before holds from the start of a window, and metrics begin with it', async () => {
  choose(window, { overrideBuiltinGrep: true, startMetricsOnNextLoad: true });
  await w.reload();
  await until(async () => (await findInFiles(w)) === 'ours', 'the key');
  await until(async () => (await w.metricsCard.innerText()).includes('nothing counted yet'), 'the card');
  assert.equal(choices(window).startMetricsOnNextLoad, false);
});

/** Searches for `pattern`, lists it, and waits for the card to tell so. */
async function count(pattern, card) {
  await w.search(pattern);
  await w.page.keyboard.press('Alt+S');
  await until(async () => card.test(await w.metricsCard.innerText()), `a card like ${card}`);
}

test('the card tells what was saved, and what was not', async () => {
  await count('needle', /^\s*\d+ tokens more$/);
  await count('a row of many', /^\s*1\.\dK tokens saved$/);
  await w.metricsCard.hover();
  const figures = w.page.locator('.workbench-hover table');
  await figures.waitFor();
  assert.match(await figures.innerText(), /usual grep tool\s+1,\d{3}\s+[5-6],\d{3}\s/);
  await w.picture('vscode-metrics.png');
  await w.metricsCard.click();
  await w.waitNotification(/^2 searches: about .* tokens instead of/);
  await w.clickNotificationButton('2 searches', 'Turn Metrics Off');
  await w.metricsCard.waitFor({ state: 'detached' });
});

test('in a Chinese VS Code all words are Chinese, those of the server too once that is wished', async () => {
  chinese = await openWindow({ ...FILES, ...FOREIGN_SETTINGS }, { locale: 'zh-cn', trust: true, install: withBetterSearch });
  const { workbench } = chinese;
  await workbench.command('Signal Grep: 显示模式');
  await workbench.waitNotification(/^接管模式已关闭/);
  await workbench.waitNotification(/服务器目前使用英文/);
  await workbench.clickNotificationButton('服务器目前使用英文', '是');
  await until(() => choices(chinese).locale === 'zh-CN', 'the language to be kept');
  await workbench.command('Signal Grep: 开启统计');
  await until(async () => /尚无数据/.test(await workbench.metricsCard.innerText()), 'the card');
  await workbench.metricsCard.click();
  await workbench.waitNotification(/^统计已开启/);
});

test('where an extension owns the key, override is refused, and one that was chosen waits and says why', async () => {
  const { workbench } = chinese;
  await workbench.command('Signal Grep: 开启接管模式');
  await workbench.waitNotification(/^未能接管编辑器的 grep：.*Better Search/);
  assert.equal(choices(chinese).overrideBuiltinGrep, false);
  choose(chinese, { overrideBuiltinGrep: true });
  await workbench.command('Signal Grep: 重启服务器');
  await workbench.waitNotification(/^本次会话中 Signal Grep 不会接管编辑器的 grep：已安装的 Better Search/);
  await workbench.command('Signal Grep: 显示模式');
  await workbench.waitNotification(/^已选择接管模式，但在此窗口中未生效：已安装的 Better Search/);
  assert.equal(await findInFiles(workbench), 'builtin');
  assert.equal(choices(chinese).overrideBuiltinGrep, true);
});

test('in a folder that is not trusted a search works, with none of the programs that the folder names', async () => {
  const { workbench } = chinese;
  await workbench.page.locator('.statusbar-item[id="status.workspaceTrust"]').waitFor();
  await workbench.command('Signal Grep: 搜索');
  await workbench.quickInput.fill('needle');
  await workbench.waitQuickRows(rows => rows.length === 1 && rows[0].label === 'needle in a.txt');
});
