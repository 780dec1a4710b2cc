// A window on a folder of its own: real VS Code, real server, nothing shared between tests.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Workbench, launchBrowser, link, startServer, until } from './driver.mjs';

/** The extension's folder. */
export const EXTENSION = path.dirname(import.meta.dirname);
const SOURCES = path.join(EXTENSION, '../..');
const SCREENSHOTS = path.join(SOURCES, 'docs/images');

/** The Python that has the server's packages. */
export const PYTHON = process.env.SG_PYTHON ?? 'python3';

const NO_CHOICES = { overrideBuiltinGrep: false, startMetricsOnNextLoad: false, locale: 'en' };

/** Writes `files` (name to text or bytes) into `folder`. */
export function write(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
  }
}

/** A program that runs the server from this checkout. `env` are lines of shell before it. */
function serverProgram(home, env) {
  const program = path.join(home, 'sg-server');
  const lines = ['#!/bin/sh', `echo $$ > '${home}/server.pid'`, `export PYTHONPATH='${SOURCES}'`, ...env, `exec '${PYTHON}' -m sg_server "$@"`, ''];
  fs.writeFileSync(program, lines.join('\n'), { mode: 0o755 });
  return program;
}

/**
 * Opens a window on a new folder with `files`. Close it with `close()`.
 *   install: puts the extension there; by default this folder, as built
 *   server: false leaves out the setting that names the server
 *   env: lines of shell before the server starts
 *   rg: makes the ripgrep that the server runs, and answers with its path
 *   path: PATH of VS Code, and so of the extension
 *   choices: what signal-grep.json holds; without it there is no such file
 *   settings, machine, locale, trust: as for `startServer`
 */
export async function openWindow(files, options = {}) {
  const { settings = {}, machine = {}, env = [], install = home => link(home, EXTENSION), server = true, rg, path: searchPath, choices, locale, trust } = options;
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'sg-e2e-'));
  const folder = path.join(home, 'work');
  fs.mkdirSync(folder);
  write(folder, files);
  await install(home);
  const program = serverProgram(home, env);
  const userFile = path.join(home, 'signal-grep.json');
  if (choices) fs.writeFileSync(userFile, JSON.stringify({ ...NO_CHOICES, ...choices }));
  const programs = {
    ...(server ? { 'signalGrep.serverPath': program } : {}),
    ...(rg ? { 'signalGrep.rgPath': rg(home) } : {}),
  };
  const vscode = await startServer(home, {
    settings,
    machine: { ...programs, ...machine },
    env: { SG_CONFIG: userFile, ...(searchPath ? { PATH: searchPath } : {}) },
    locale,
    trust,
  });
  let browser;
  const close = async () => {
    await browser?.close();
    await vscode.stop();
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    browser = await launchBrowser();
    const workbench = await SignalGrepWorkbench.open(browser, vscode.url, folder);
    return { workbench, folder, home, userFile, browser, url: vscode.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export class SignalGrepWorkbench extends Workbench {
  /** Opens the search and types `pattern`; waits until the answer is there. */
  async search(pattern) {
    await this.command('Signal Grep: Search');
    await this.type(pattern);
  }

  /** Replaces what is typed. */
  async type(pattern) {
    await this.quickInput.fill(pattern);
    await this.answered();
  }

  /** Waits until the quick pick's title tells the exact counts of a finished search. */
  async answered() {
    const { title, failure } = await until(async () => {
      const [rows, title] = [await this.quickRows(), await this.quickTitle()];
      const failure = (await this.quick.locator('.monaco-list-row .codicon-error').count()) > 0 && rows[0]?.label;
      return (failure || /complete|partial/.test(title)) && { title, failure };
    }, 'the answer of the search');
    assert.ok(!failure, failure);
    return title;
  }

  async pressButton(tooltip) {
    // Where the mouse was left, a hover may have come up, over the button.
    await this.page.mouse.move(0, 0);
    await this.quick.locator(`.quick-input-titlebar .action-label[aria-label^="${tooltip}"]`).click();
  }

  /** The counts above the results. */
  async header() {
    return this.pane('Results').locator('.message').innerText();
  }

  async waitHeader(pattern) {
    return until(async () => {
      const text = (await this.header()).replaceAll('\u00a0', ' ');
      return pattern.test(text) && text;
    }, `a header like ${pattern}`);
  }

  async waitTree(predicate, what = 'the rows of the results') {
    let rows = [];
    return until(async () => {
      rows = await this.treeRows('Results');
      return predicate(rows) && rows;
    }, what).catch(error => {
      throw new Error(`${error.message}; rows: ${JSON.stringify(rows)}`);
    });
  }

  async waitPosition(line, column, selected) {
    const wanted = JSON.stringify({ line, column, selected });
    await until(async () => JSON.stringify(await this.position()) === wanted, `the cursor at ${wanted}`);
  }

  /** The card with metrics, in the status bar; it is not there while they are off. */
  get metricsCard() {
    return this.page.locator('.statusbar-item[id*="signalGrep.metrics"]');
  }

  get statusItem() {
    return this.page.locator('.statusbar-item[id*="signalGrep.status"]');
  }

  /** What the status bar says of the server. */
  async status() {
    return /starting|not started|not running|running/.exec(await this.statusItem.getAttribute('aria-label'))?.[0];
  }

  /** Takes a picture for the documentation, when asked for. */
  async picture(name) {
    if (process.env.SG_SCREENSHOTS) await this.screenshot(path.join(SCREENSHOTS, name));
  }
}
