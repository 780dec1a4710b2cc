/** A search that follows what is typed: each new one cancels the former. */

import * as vscode from 'vscode';
import { messageOf } from '../common/failures';
import type { SearchParams, SearchResult, StreamedMatch, Totals } from '../common/protocol';
import type { Server } from '../server/server';

/** What there is to show of the current search. */
export interface LiveState {
  matches: readonly StreamedMatch[];
  totals?: Pick<Totals, 'matches' | 'files'>;
  /** The answer, once the search is over; rows before it are provisional. */
  result?: SearchResult;
  failure?: string;
}

/** Rows of a quick pick; who wants more sends them to the results view. */
const ROWS = 300;
/** Longer than between two keys of one word, shorter than a pause to look. */
const PAUSE_MS = 80;

export class LiveSearch implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private running: vscode.CancellationTokenSource | undefined;

  constructor(
    private readonly server: Server,
    private readonly onChange: (state: LiveState) => void,
  ) {}

  /** Searches for `params` after a short pause; undefined only ends what is running. */
  follow(params: SearchParams | undefined): void {
    this.cancel();
    if (params === undefined) return;
    this.timer = setTimeout(() => void this.run(params), PAUSE_MS);
  }

  dispose(): void {
    this.cancel();
  }

  private cancel(): void {
    clearTimeout(this.timer);
    this.running?.cancel();
    this.running = undefined;
  }

  /** A snapshot that cannot be released is released by its age. */
  private release(snapshot: string): void {
    this.server.call('sg.clear', { snapshot }).catch(() => undefined);
  }

  private async run(params: SearchParams): Promise<void> {
    const source = new vscode.CancellationTokenSource();
    this.running = source;
    const matches: StreamedMatch[] = [];
    const isCurrent = () => this.running === source;
    try {
      const result = await this.server.call(
        'sg.search',
        { ...params, mode: 'matches', view: 'items', limit: ROWS, keep: false, explainEmpty: true },
        {
          token: source.token,
          onBatch: batch => {
            if (!isCurrent()) return;
            matches.push(...batch.matches);
            this.onChange({ matches, totals: batch.totals });
          },
        },
      );
      // A snapshot stays where there is more than this answer, which nobody will page through.
      if (result.snapshot !== undefined) this.release(result.snapshot);
      if (isCurrent()) this.onChange({ matches: result.matches ?? [], totals: result.totals, result });
    } catch (error) {
      // Cancelled without our doing: the server that is missing was not to be installed.
      const isCancelled = error instanceof vscode.CancellationError;
      const failure = isCancelled ? vscode.l10n.t('Nothing was searched: there is no server.') : messageOf(error);
      if (isCurrent()) this.onChange({ matches: [], failure });
    } finally {
      if (isCurrent()) this.running = undefined;
      source.dispose();
    }
  }
}
