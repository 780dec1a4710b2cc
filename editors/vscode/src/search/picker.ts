/** The quick pick that searches while one types. */

import * as vscode from 'vscode';
import { CONTEXT } from '../common/constants';
import type { StreamedMatch } from '../common/protocol';
import type { Server } from '../server/server';
import { buttonsFor, type Press } from './buttons';
import { currentRules } from './currentRules';
import { Walk, type History } from './history';
import { LiveSearch, type LiveState } from './live';
import { Preview } from './preview';
import { globsIn, searchParams, type Options, type Query } from './query';
import { earlierRows, keyOf, progressInWords, rowsFor, type Row } from './rows';
import { optionsInWords } from './words';

export interface Around {
  server: Server;
  history: History;
  sendToResults: (query: Query) => Promise<void>;
  inspect: (match: StreamedMatch) => Promise<void>;
}

export class SearchPicker implements vscode.Disposable {
  private readonly pick = vscode.window.createQuickPick<Row>();
  private readonly preview = new Preview();
  private readonly live: LiveSearch;
  private readonly within: string[];
  private options: Options;
  private walk: Walk | undefined;
  private state: LiveState = { matches: [] };
  /** A question takes the place of the list for a while: hidden is not over then. */
  private asking = false;
  private over = false;

  constructor(
    private readonly around: Around,
    start: Partial<Query>,
  ) {
    this.options = { ...around.history.options, ...start };
    this.within = start.within ?? [];
    this.live = new LiveSearch(around.server, state => this.render(state));
    // Without this the rows would be sorted by how well their text fits what is typed. Not part of the typed API.
    Object.assign(this.pick, { sortByLabel: false });
    this.pick.keepScrollPosition = true;
    this.pick.placeholder = vscode.l10n.t('Search; Alt+Up for earlier searches');
    this.pick.value = start.pattern ?? '';
    this.listen();
    this.search();
  }

  show(): void {
    void vscode.commands.executeCommand('setContext', CONTEXT.pickerOpen, true);
    this.pick.show();
  }

  /** Changes options, asks for globs, or sends everything to the results view. */
  async press(press: Press): Promise<void> {
    if (press === 'results') return this.sendAll();
    if (typeof press === 'function') this.options = press(this.options);
    else await this.askGlobs(press);
    await this.around.history.keepOptions(this.options);
    this.search();
  }

  /** Puts an earlier search (1) or a later one (-1) into the input. */
  moveInHistory(step: 1 | -1): void {
    const patterns = this.around.history.queries.map(({ pattern }) => pattern);
    this.walk ??= new Walk(patterns, this.pick.value);
    this.pick.value = this.walk.move(step);
    this.search();
  }

  dispose(): void {
    void vscode.commands.executeCommand('setContext', CONTEXT.pickerOpen, false);
    this.live.dispose();
    this.preview.dispose();
    this.pick.dispose();
  }

  private get query(): Query {
    return { ...this.options, pattern: this.pick.value, within: this.within };
  }

  private listen(): void {
    this.pick.onDidChangeValue(value => {
      if (value !== this.walk?.current) this.walk = undefined;
      this.search();
    });
    this.pick.onDidChangeActive(([row]) => {
      if (row?.match) this.preview.show(row.match);
    });
    this.pick.onDidTriggerButton(button => {
      if ('press' in button) void this.press(button.press as Press);
    });
    this.pick.onDidTriggerItemButton(async ({ item }) => {
      if (!item.match) return;
      await this.finish(() => this.preview.restore());
      await this.around.inspect(item.match);
    });
    this.pick.onDidAccept(() => void this.accept());
    this.pick.onDidHide(() => {
      if (!this.asking) void this.finish(() => this.preview.restore());
    });
  }

  private search(): void {
    this.pick.buttons = buttonsFor(this.options);
    const { query } = this;
    if (query.pattern === '') {
      this.live.follow(undefined);
      this.state = { matches: [] };
      this.pick.busy = false;
      this.pick.items = earlierRows(this.around.history.queries);
      this.showTitle();
      return;
    }
    this.pick.busy = true;
    this.live.follow(searchParams(query, currentRules(query)));
    this.showTitle();
  }

  private render(state: LiveState): void {
    const [active] = this.pick.activeItems;
    const looksAtFirst = active === undefined || active === this.pick.items.find(row => row.match);
    this.state = state;
    this.pick.busy = state.result === undefined && state.failure === undefined;
    this.pick.items = rowsFor(state, this.pick.value);
    const key = active?.match && !looksAtFirst ? keyOf(active.match) : undefined;
    const same = this.pick.items.find(row => row.match && keyOf(row.match) === key);
    if (same) this.pick.activeItems = [same];
    this.showTitle();
  }

  private showTitle(): void {
    const folders = this.within.map(uri => vscode.workspace.asRelativePath(vscode.Uri.parse(uri)));
    const words = [progressInWords(this.state), ...folders, optionsInWords(this.options).join(', ')];
    this.pick.title = words.filter(part => part !== '').join(' · ');
  }

  private async accept(): Promise<void> {
    const [row] = this.pick.activeItems;
    if (row?.toResults) return this.sendAll();
    if (row?.earlier) {
      this.options = row.earlier;
      this.pick.value = row.earlier.pattern;
      this.search();
    }
    const match = row?.match;
    if (!match) return;
    await this.around.history.add(this.query);
    await this.finish(() => this.preview.accept(match));
  }

  private async sendAll(): Promise<void> {
    const { query } = this;
    if (query.pattern === '') return;
    await this.finish(() => this.preview.restore());
    await this.around.sendToResults(query);
  }

  private async askGlobs(which: 'include' | 'exclude'): Promise<void> {
    this.asking = true;
    const prompt =
      which === 'include'
        ? vscode.l10n.t('Globs of files to include, separated by commas; none for all')
        : vscode.l10n.t('Globs of files to exclude, separated by commas');
    const typed = await vscode.window.showInputBox({ prompt, value: this.options[which].join(', ') });
    if (typed !== undefined) this.options = { ...this.options, [which]: globsIn(typed) };
    this.asking = false;
    this.show();
  }

  /** Ends this search once, whatever comes first: a choice, or the list being hidden. */
  private async finish(last: () => Promise<void>): Promise<void> {
    if (this.over) return;
    this.over = true;
    this.live.follow(undefined);
    this.pick.hide();
    await last();
    this.dispose();
  }
}
