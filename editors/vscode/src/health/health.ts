/** Shows the health of the server, and says once when Universal Ctags is missing. */

import * as vscode from 'vscode';
import { HEALTH_SCHEME } from '../common/constants';
import { messageOf } from '../common/failures';
import { sentences } from '../common/sentences';
import type { Health } from '../common/protocol';
import type { Server } from '../server/server';
import { healthReport } from './report';

const CTAGS_NOTICE = 'ctagsNoticeShown';

export class HealthDocument implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly uri = vscode.Uri.from({ scheme: HEALTH_SCHEME, path: '/Signal Grep.md' });
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private text = '';

  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {}

  async show(): Promise<void> {
    this.text = healthReport(await this.server.call('sg.health', {}));
    this.changed.fire(this.uri);
    await vscode.window.showTextDocument(this.uri, { preview: true });
  }

  provideTextDocumentContent(): string {
    return this.text;
  }

  dispose(): void {
    this.changed.dispose();
  }
}

/** At the first start without a working Universal Ctags: what is lost, and how to install it here. */
export function noticeMissingCtags(server: Server, state: vscode.Memento, output: vscode.LogOutputChannel): vscode.Disposable {
  return server.onDidChangeState(serverState => {
    if (serverState !== 'running' || state.get<boolean>(CTAGS_NOTICE)) return;
    server.call('sg.health', {}).then(
      health => notice(health, state),
      (error: unknown) => output.warn(messageOf(error)),
    );
  });
}

async function notice(health: Health, state: vscode.Memento): Promise<void> {
  const problem = health.problems.find(({ code }) => code === 'ctags-missing' || code === 'ctags-unusable');
  if (problem === undefined || state.get<boolean>(CTAGS_NOTICE)) return;
  await state.update(CTAGS_NOTICE, true);
  await vscode.window.showInformationMessage(sentences(problem.message, problem.hint));
}
