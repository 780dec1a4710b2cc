/** The results view: one search as a tree, with its exact counts above. */

import * as vscode from 'vscode';
import { CONTEXT, RESULTS_VIEW } from '../common/constants';
import { Failure } from '../common/failures';
import { openLocation } from '../common/places';
import type { SearchResult } from '../common/protocol';
import { currentRules } from '../search/currentRules';
import type { History } from '../search/history';
import { searchParams, type Query } from '../search/query';
import { summary } from '../search/words';
import type { Server } from '../server/server';
import { itemFor } from './items';
import { Results, type FileNode, type MatchNode, type Node } from './model';
import { withProgress } from './progress';

/** So few files are shown open: with more, their counts are what one wants to see first. */
const OPEN_FILES = 10;
const OPEN_MATCHES = 200;

export class ResultsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node | undefined>();
  private readonly tree: vscode.TreeView<Node>;
  private results: Results | undefined;
  private current: MatchNode | undefined;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly history: History,
  ) {
    this.tree = vscode.window.createTreeView(RESULTS_VIEW, { treeDataProvider: this, showCollapseAll: true });
  }

  get selected(): Node | undefined {
    return this.tree.selection[0];
  }

  /** Searches for `query` and shows what is found; cancelled or failed, the former results stay. */
  async search(query: Query): Promise<void> {
    await this.history.add(query);
    const params = { ...searchParams(query, currentRules(query)), mode: 'summary', view: 'both' } as const;
    const title = vscode.l10n.t('Searching for {0}', query.pattern);
    const result = await withProgress(title, options => this.server.call('sg.search', params, options));
    await this.release();
    this.showResults(new Results(query, result, page => this.server.call('sg.page', page)));
    await vscode.commands.executeCommand(`${RESULTS_VIEW}.focus`);
  }

  async refresh(): Promise<void> {
    if (this.results) await this.search(this.results.query);
  }

  async clear(): Promise<void> {
    await this.release();
    this.showResults(undefined);
  }

  /** Reads on in `file`, or in the list of files. */
  async loadMore(file: FileNode | undefined): Promise<void> {
    await this.whileKept(async results => {
      await results.loadMore(file);
      this.changed.fire(file);
    });
  }

  remove(node: Node): void {
    const parent = this.results?.parent(node);
    this.results?.remove(node);
    this.showCounts();
    this.changed.fire(parent);
  }

  async open(node: MatchNode, preserveFocus = true): Promise<void> {
    this.current = node;
    await openLocation(node.match.location, { preview: true, preserveFocus });
  }

  /** Goes to the match after the last one that was opened (1), or to the one before it (-1). */
  async go(step: 1 | -1): Promise<void> {
    await this.whileKept(async results => {
      const found = await results.neighbour(this.current, step);
      if (found === undefined) {
        const end = step === 1 ? vscode.l10n.t('There are no more matches.') : vscode.l10n.t('This is the first match.');
        vscode.window.setStatusBarMessage(end, 3000);
        return;
      }
      await this.open(found, false);
      if (this.tree.visible) await this.tree.reveal(found, { select: true, focus: false });
    });
  }

  /** The text made for a model: of everything, of one file, or of one match. */
  async textOf(node: Node | undefined): Promise<string> {
    if (node?.kind === 'match') return `${node.match.path}:${node.match.line}: ${node.match.text}`;
    const { snapshot, text } = this.results?.result ?? {};
    if (node?.kind !== 'file' || snapshot === undefined) return text ?? '';
    const page = await this.server.call('sg.page', { snapshot, uri: [node.row.uri], view: 'text', limit: 100 });
    return page.text ?? '';
  }

  /** What an inspection of `node` asks for. */
  targetOf(node: MatchNode): { snapshot: string; matchIndex: number } | undefined {
    const snapshot = this.results?.result.snapshot;
    return snapshot === undefined ? undefined : { snapshot, matchIndex: node.match.index };
  }

  /** Runs `read`. Where the snapshot is gone (too old, or the server was restarted) offers to search again. */
  async whileKept(read: (results: Results) => Promise<void>): Promise<void> {
    if (this.results === undefined) return;
    try {
      await read(this.results);
    } catch (error) {
      if (!(error instanceof Failure && error.isExpired)) throw error;
      void this.offerRefresh();
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const totals = this.results?.result.totals;
    const isExpanded = totals !== undefined && totals.files <= OPEN_FILES && totals.retained <= OPEN_MATCHES;
    return itemFor(node, isExpanded);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    let children: Node[] = [];
    await this.whileKept(async results => {
      children = await results.children(node);
    });
    return children;
  }

  getParent(node: Node): Node | undefined {
    return this.results?.parent(node);
  }

  dispose(): void {
    this.tree.dispose();
    this.changed.dispose();
  }

  private showResults(results: Results | undefined): void {
    this.results = results;
    this.current = undefined;
    void vscode.commands.executeCommand('setContext', CONTEXT.hasResults, results !== undefined);
    this.showCounts();
    this.changed.fire(undefined);
  }

  private showCounts(): void {
    const { results } = this;
    this.tree.message = results === undefined ? '' : this.header(results.result, results.removedCount);
    this.tree.description = results === undefined ? '' : results.query.pattern;
  }

  private header(result: SearchResult, removed: number): string {
    return removed === 0 ? summary(result) : `${summary(result)} · ${vscode.l10n.t('{0} removed from this list', removed)}`;
  }

  private async release(): Promise<void> {
    const snapshot = this.results?.result.snapshot;
    if (snapshot === undefined || this.server.state !== 'running') return;
    // What cannot be released is released by its age.
    await this.server.call('sg.clear', { snapshot }).catch(() => undefined);
  }

  private async offerRefresh(): Promise<void> {
    const again = vscode.l10n.t('Search Again');
    const gone = vscode.l10n.t('The server no longer keeps these results.');
    if ((await vscode.window.showWarningMessage(gone, again)) === again) await this.refresh();
  }
}
