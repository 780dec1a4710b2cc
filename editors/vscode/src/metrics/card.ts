/** A card in the status bar while metrics are on: what answers cost, beside those of the usual grep tool. */

import * as vscode from 'vscode';
import { COMMANDS, CONTEXT } from '../common/constants';
import { messageOf } from '../common/failures';
import type { MetricsParams, MetricsResult, ServerCommand } from '../common/protocol';
import type { Server, ServerState } from '../server/server';
import { cardText, cardTooltip } from './words';

/** Commands whose answers may be counted. */
const COUNTED: readonly ServerCommand[] = ['sg.search', 'sg.page'];

export class MetricsCard implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('signalGrep.metrics', vscode.StatusBarAlignment.Right);
  private readonly listeners: vscode.Disposable;
  private isActive = false;

  constructor(
    private readonly server: Server,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.item.name = vscode.l10n.t('Signal Grep: metrics');
    this.item.command = COMMANDS.metricsReport;
    this.listeners = vscode.Disposable.from(
      server.onDidChangeState(state => this.onState(state)),
      server.onDidAnswer(command => {
        if (this.isActive && COUNTED.includes(command)) void this.refresh();
      }),
    );
  }

  /** Switches metrics, or asks for them, and shows what they are then. Throws Failure. */
  async metrics(action: MetricsParams['action']): Promise<MetricsResult> {
    const result = await this.server.call('sg.metrics', { action });
    this.show(result);
    return result;
  }

  dispose(): void {
    this.listeners.dispose();
    this.item.dispose();
  }

  private onState(state: ServerState): void {
    if (state === 'running') void this.refresh();
    else this.hide(); // what was counted ends with the server
  }

  private async refresh(): Promise<void> {
    await this.metrics('report').catch((error: unknown) => this.output.warn(messageOf(error)));
  }

  private show(result: MetricsResult): void {
    if (!result.active) {
      this.hide();
      return;
    }
    this.setActive(true);
    this.item.text = `$(graph) ${cardText(result)}`;
    this.item.tooltip = new vscode.MarkdownString(cardTooltip(result));
    this.item.accessibilityInformation = { label: result.text };
    this.item.show();
  }

  private hide(): void {
    this.setActive(false);
    this.item.hide();
  }

  private setActive(isActive: boolean): void {
    this.isActive = isActive;
    void vscode.commands.executeCommand('setContext', CONTEXT.metrics, isActive);
  }
}
