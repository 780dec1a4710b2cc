/** The quick pick over stored text: the newest entries, or where they have what is typed. */

import * as vscode from 'vscode';
import { messageOf, showFailure } from '../common/failures';
import type { Location } from '../common/protocol';
import type { Server } from '../server/server';
import { entryRows, matchRows, type StoredRow } from './rows';

/** Longer than between two keys of one word, shorter than a pause to look. */
const PAUSE_MS = 80;
const ROWS = 100;

export class StoredPicker implements vscode.Disposable {
  private readonly pick = vscode.window.createQuickPick<StoredRow>();
  private timer: NodeJS.Timeout | undefined;
  private running: vscode.CancellationTokenSource | undefined;

  constructor(
    private readonly server: Server,
    open: (location: Location) => Promise<void>,
  ) {
    // Without this the rows would be sorted by how well their text fits what is typed. Not part of the typed API.
    Object.assign(this.pick, { sortByLabel: false });
    this.pick.placeholder = vscode.l10n.t('Search stored text');
    this.pick.onDidChangeValue(() => this.follow(PAUSE_MS));
    this.pick.onDidHide(() => this.dispose());
    this.pick.onDidAccept(() => {
      const [row] = this.pick.activeItems;
      if (row?.location === undefined) return;
      this.pick.hide();
      open(row.location).catch(showFailure);
    });
  }

  show(): void {
    this.pick.show();
    this.follow(0);
  }

  dispose(): void {
    this.cancel();
    this.pick.dispose();
  }

  private follow(pauseMs: number): void {
    this.cancel();
    this.pick.busy = true;
    this.timer = setTimeout(() => void this.run(), pauseMs);
  }

  private cancel(): void {
    clearTimeout(this.timer);
    this.running?.cancel();
    this.running = undefined;
  }

  private async run(): Promise<void> {
    const source = new vscode.CancellationTokenSource();
    this.running = source;
    const rows = await this.rows(this.pick.value, source.token).catch((error: unknown): StoredRow[] =>
      error instanceof vscode.CancellationError ? [] : [{ label: `$(error) ${messageOf(error)}`, alwaysShow: true }],
    );
    source.dispose();
    if (this.running !== source) return;
    this.running = undefined;
    this.pick.busy = false;
    this.pick.items = rows;
  }

  private async rows(typed: string, token: vscode.CancellationToken): Promise<StoredRow[]> {
    if (typed === '') {
      const { entries } = await this.server.call('sg.context.list', { limit: ROWS }, { token });
      return entryRows(entries);
    }
    const params = { pattern: typed, outputMode: 'content', maxMatches: ROWS } as const;
    return matchRows(await this.server.call('sg.context.grep', params, { token }));
  }
}
