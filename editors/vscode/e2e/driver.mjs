// Starts code-server (VS Code as a server) and drives its workbench in headless Chromium: how to find things there.
import { spawn, execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const TOOLS = process.env.SG_VSCODE_E2E ?? path.join(os.homedir(), '.cache', 'signal-grep', 'vscode-e2e');
const ENTRY = path.join(TOOLS, 'node_modules/code-server/out/node/entry.js');

export const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.reduceMotion': 'on',
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'chat.commandCenter.enabled': false,
  'git.enabled': false,
  'files.autoSave': 'off',
};

const TRUST_SETTINGS = {
  'security.workspace.trust.enabled': true,
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
};

/** Polls fn until it returns something truthy; a throw counts as "not yet". */
export async function until(fn, what, timeout = 60_000) {
  const end = Date.now() + timeout;
  let last;
  for (;;) {
    try { const value = await fn(); if (value) return value; last = value; } catch (error) { last = error; }
    if (Date.now() > end) throw new Error(`timed out after ${timeout} ms waiting for ${what}; last: ${last}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

function cleanEnv(extra = {}) {
  const env = { ...process.env, ...extra };
  for (const name of Object.keys(env)) if (/^(VSCODE_|CODE_SERVER_|PASSWORD$|PORT$|ELECTRON_)/.test(name)) delete env[name];
  return env;
}

function dirArgs(home) {
  return ['--config', path.join(home, 'config.yaml'), '--user-data-dir', path.join(home, 'data'), '--extensions-dir', path.join(home, 'extensions')];
}

/** Runs the code-server CLI (--install-extension x.vsix, --list-extensions ...) against home. */
export async function cli(home, ...args) {
  fs.mkdirSync(home, { recursive: true });
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [ENTRY, ...dirArgs(home), ...args], { env: cleanEnv() });
  return stdout + stderr;
}

/** Sideloads an unpacked extension folder by a symlink. Only before the first start with this home. */
export function link(home, folder) {
  const { publisher, name, version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const dir = path.join(home, 'extensions');
  if (fs.existsSync(path.join(dir, 'extensions.json'))) throw new Error('extensions.json exists already: a new link would be ignored');
  fs.mkdirSync(dir, { recursive: true });
  fs.symlinkSync(path.resolve(folder), path.join(dir, `${publisher}.${name}-${version}`));
}

/** Has VS Code take itself for translated: its own words stay English, for the language pack has none. */
function speak(home, locale) {
  const pack = path.join(home, 'words.json');
  fs.writeFileSync(pack, JSON.stringify({ contents: {} }));
  const extension = { extensionIdentifier: { id: 'nobody.words' }, version: '1.0.0' };
  const known = { [locale]: { hash: 'none', extensions: [extension], translations: { vscode: pack }, label: locale } };
  fs.writeFileSync(path.join(home, 'data', 'languagepacks.json'), JSON.stringify(known));
  return ['--locale', locale];
}

/**
 * Starts code-server on a free loopback port. home holds its data and extensions; keep its path short.
 * `settings` are the user's, and `machine` those of scope `machine`, which only count in a file of their own when VS Code
 * is a server. `locale` is its display language; with `trust` a folder is not trusted until someone says so.
 */
export async function startServer(home, { settings = {}, machine = {}, env = {}, locale, trust = false } = {}) {
  if (!fs.existsSync(ENTRY)) throw new Error(`${ENTRY} is missing: run install.sh, or set SG_VSCODE_E2E to its target folder`);
  const files = { User: { ...SETTINGS, ...(trust ? TRUST_SETTINGS : {}), ...settings }, Machine: machine };
  for (const [folder, content] of Object.entries(files)) {
    fs.mkdirSync(path.join(home, 'data', folder), { recursive: true });
    fs.writeFileSync(path.join(home, 'data', folder, 'settings.json'), JSON.stringify(content, null, 2));
  }
  const log = fs.openSync(path.join(home, 'server.log'), 'w');
  const child = spawn(process.execPath, [ENTRY, ...dirArgs(home),
    '--auth', 'none', '--bind-addr', '127.0.0.1:0',
    '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override',
    ...(trust ? [] : ['--disable-workspace-trust']), ...(locale ? speak(home, locale) : []),
  ], { detached: true, stdio: ['ignore', log, log], env: cleanEnv(env) });
  fs.closeSync(log);
  const killGroup = signal => { try { process.kill(-child.pid, signal); } catch {} };
  const stop = async () => {
    process.off('exit', onExit);
    killGroup('SIGTERM');
    await until(() => child.exitCode !== null || child.signalCode, 'code-server to end', 3000).catch(() => {});
    killGroup('SIGKILL');
  };
  const onExit = () => killGroup('SIGKILL');
  process.on('exit', onExit);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));  // so that 'exit' runs
  try {
    const found = await until(() => {
      if (child.exitCode !== null) return { exited: child.exitCode };
      return /HTTP server listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(fs.readFileSync(path.join(home, 'server.log'), 'utf8'))?.[1];
    }, `code-server to listen (see ${home}/server.log)`);
    if (found.exited !== undefined) throw new Error(`code-server exited with ${found.exited}:\n${fs.readFileSync(path.join(home, 'server.log'), 'utf8').slice(-2000)}`);
    return { url: found, pid: child.pid, stop, log: path.join(home, 'server.log') };
  } catch (error) { await stop(); throw error; }
}

export async function launchBrowser() {
  const { chromium } = createRequire(path.join(TOOLS, 'package.json'))('playwright-core');
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic'],
  });
}

const text = s => s.replace(/\u00a0/g, ' ').trim();

/** One workbench window. */
export class Workbench {
  constructor(page) { this.page = page; }

  /** Opens a window on a folder, which must not be empty, or on a .code-workspace file. */
  static async open(browser, url, folder, viewport = { width: 1200, height: 800 }) {
    const context = await browser.newContext({ viewport, permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const kind = folder.endsWith('.code-workspace') ? 'workspace' : 'folder';
    await page.goto(`${url}/?${kind}=${encodeURIComponent(folder)}`, { waitUntil: 'domcontentloaded', timeout: 60_000 });
    const w = new this(page);
    await w.drawn();
    return w;
  }

  /** Loads the window anew, as a restart of VS Code would. */
  async reload() {
    await this.page.reload({ waitUntil: 'domcontentloaded', timeout: 60_000 });
    await this.drawn();
  }

  async drawn() {
    await this.page.locator('.monaco-workbench .part.statusbar .statusbar-item').first().waitFor({ timeout: 60_000 });
    await this.page.locator('.part.sidebar .monaco-list-row').first().waitFor({ timeout: 60_000 });  // the remote file system answers
  }

  // ---- quick input (palette, quick open, QuickPick, InputBox)
  get quick() { return this.page.locator('.quick-input-widget:visible'); }
  get quickInput() { return this.quick.locator('.quick-input-box input'); }
  async quickTitle() { return text(await this.quick.locator('.quick-input-title').innerText()); }
  async closeQuick() {
    await until(async () => {
      if (await this.quick.count() === 0) return true;
      await this.page.keyboard.press('Escape');
    }, 'the quick input to close');
  }
  /** Rows in the DOM, top to bottom: the list is virtual, so scroll (or type) to reach the rest. */
  async quickRows() {
    return this.quick.locator('.quick-input-list .monaco-list-row').evaluateAll(rows => rows
      .map(r => ({
        index: Number(r.getAttribute('data-index')),
        label: r.querySelector('.quick-input-list-rows > .quick-input-list-row:first-child .label-name')?.textContent ?? '',
        description: r.querySelector('.label-description')?.textContent ?? '',
        detail: r.querySelector('.quick-input-list-label-meta')?.textContent ?? '',
        total: Number(r.getAttribute('aria-setsize')),
        focused: r.classList.contains('focused'),
        aria: r.getAttribute('aria-label'),
      }))
      .sort((a, b) => a.index - b.index));
  }
  async waitQuickRows(predicate = rows => rows.length > 0, what = 'quick input rows', timeout) {
    let rows = [];
    return until(async () => { rows = await this.quickRows(); return predicate(rows) && rows; }, what, timeout)
      .catch(error => { throw new Error(`${error.message}; rows: ${JSON.stringify(rows.map(r => r.label))}`); });
  }
  async pickRow(label, options) {
    const row = this.quick.locator('.quick-input-list .monaco-list-row')
      .filter({ has: this.page.locator('.label-name', { hasText: new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`) }) }).first();
    await row.click(options);
  }

  /** Runs a command by its palette title, e.g. "Demo: Pick a Location". Waits for it to be listed. */
  async command(title) {
    await until(async () => {
      await this.closeQuick();
      await this.page.keyboard.press('F1');
      await this.quickInput.waitFor({ timeout: 2000 });
      await this.quickInput.fill('>' + title);
      await this.waitQuickRows(rows => rows.some(r => r.label === title), `command "${title}"`, 3000);
      await this.pickRow(title, { timeout: 1000 });  // the palette closes when something else takes the focus
      return true;
    }, `command "${title}" in the palette`, 60_000);
  }

  /** Opens a file of the folder through quick open (needs ripgrep). */
  async openFile(name) {
    await until(async () => {
      await this.closeQuick();
      await this.page.keyboard.press('Control+P');
      await this.quickInput.waitFor({ timeout: 2000 });
      await this.quickInput.fill(name);
      return this.waitQuickRows(rows => rows.some(r => r.label === path.basename(name)), name, 3000);
    }, `file ${name} in quick open`, 30_000);
    await this.pickRow(path.basename(name));
    await until(async () => (await this.activeTab()) === path.basename(name), `the tab ${name}`);
    // Before it has the focus, what is typed is lost, and a quick input gives the focus back to nothing.
    await this.page.locator('.editor-group-container.active .monaco-editor.focused').waitFor({ timeout: 60_000 });
  }

  // ---- editor
  async activeTab() { return text(await this.page.locator('.part.editor .editor-group-container.active .tab.active .label-name').first().innerText()); }
  /** { line, column, selected } of the active editor, from the status bar; 1-based. */
  async position() {
    const shown = text(await this.page.locator('#status\\.editor\\.selection').innerText());
    const m = /^Ln (\d+), Col (\d+)(?: \((\d+) selected\))?$/.exec(shown);
    if (!m) throw new Error(`unexpected selection status: ${shown}`);
    return { line: Number(m[1]), column: Number(m[2]), selected: Number(m[3] ?? 0) };
  }
  /** Puts the cursor at a 1-based line and column. */
  async goTo(line, column) {
    await until(async () => {
      await this.page.keyboard.press('Control+G');
      return this.quickInput.waitFor({ timeout: 2000 }).then(() => true);
    }, 'the question for a line');
    await this.quickInput.fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await until(async () => { const p = await this.position(); return p.line === line && p.column === column && !p.selected; }, `Ln ${line}, Col ${column}`);
  }
  /** Lines of the active editor that are rendered (long files: only the visible part). */
  async editorLines() {
    return this.page.locator('.editor-group-container.active .view-lines').first().evaluate(el => [...el.querySelectorAll('.view-line')]
      .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top)).map(l => l.textContent.replace(/\u00a0/g, ' ')));
  }

  // ---- views and notifications
  pane(title) { return this.page.locator('.part.sidebar .pane').filter({ has: this.page.locator(`.pane-header[aria-label^="${title}"]`) }); }
  /** Rows of the tree view with this title in the side bar; [] while it is collapsed or loading. */
  async treeRows(title) {
    return this.pane(title).locator('.monaco-list-row').evaluateAll(rows => rows
      .map(r => ({
        index: Number(r.getAttribute('data-index')),
        level: Number(r.getAttribute('aria-level')),
        expanded: r.getAttribute('aria-expanded'),
        label: r.querySelector('.label-name')?.textContent ?? '',
        description: r.querySelector('.label-description')?.textContent ?? '',
      }))
      .sort((a, b) => a.index - b.index));
  }
  /** Messages of the toasts on screen. */
  async notifications() {
    return (await this.page.locator('.notifications-toasts .notification-list-item-message').allInnerTexts()).map(text);
  }
  async waitNotification(pattern, timeout = 60_000) {
    return until(async () => (await this.notifications()).find(n => pattern.test(n)), `a toast like ${pattern}`, timeout);
  }
  async clickNotificationButton(message, button) {
    const toast = this.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: message });
    await toast.hover();
    await toast.locator('.monaco-button', { hasText: button }).click();
    await toast.waitFor({ state: 'detached' });
  }
  async screenshot(file) { await this.page.screenshot({ path: file }); }
}
