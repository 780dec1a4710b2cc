/** The status bar item: what state the server is in, and a click to what helps there. */

import * as vscode from 'vscode';
import { COMMANDS } from '../common/constants';
import type { Server, ServerState } from './server';

const ICONS: Record<ServerState, string> = {
  stopped: '$(circle-slash)',
  starting: '$(loading~spin)',
  running: '$(search)',
  failed: '$(error)',
};

export function createStatusItem(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('signalGrep.status', vscode.StatusBarAlignment.Right);
  item.name = 'Signal Grep';
  const show = (state: ServerState) => {
    item.text = `${ICONS[state]} Signal Grep`;
    item.tooltip = tooltip(state, server.version);
    item.command = state === 'running' || state === 'starting' ? COMMANDS.health : COMMANDS.restart;
    item.backgroundColor = state === 'failed' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
    item.accessibilityInformation = { label: item.tooltip };
  };
  show(server.state);
  item.show();
  return vscode.Disposable.from(item, server.onDidChangeState(show));
}

function tooltip(state: ServerState, version: string | undefined): string {
  switch (state) {
    case 'stopped':
      return vscode.l10n.t('Signal Grep: not started yet');
    case 'starting':
      return vscode.l10n.t('Signal Grep: starting');
    case 'running':
      return vscode.l10n.t('Signal Grep {0}: running. Click for its health.', version ?? '');
    case 'failed':
      return vscode.l10n.t('Signal Grep: not running. Click to start it again.');
  }
}
