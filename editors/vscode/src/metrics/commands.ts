/** The commands on metrics. */

import * as vscode from 'vscode';
import { registerCommand } from '../common/commands';
import { COMMANDS } from '../common/constants';
import type { MetricsCard } from './card';

export function registerMetricsCommands(card: MetricsCard): vscode.Disposable {
  const onNextStart = async () => {
    await card.metrics('on-next-load');
    const kept = vscode.l10n.t('Metrics begin with the next session in which override is in force.');
    void vscode.window.showInformationMessage(kept);
  };
  return vscode.Disposable.from(
    registerCommand(COMMANDS.metricsOn, () => card.metrics('on')),
    registerCommand(COMMANDS.metricsOff, () => card.metrics('off')),
    registerCommand(COMMANDS.metricsOnNextStart, onNextStart),
    registerCommand(COMMANDS.metricsReport, () => report(card)),
  );
}

/** Tells what has been counted, and offers the other state. */
async function report(card: MetricsCard): Promise<void> {
  const { text, active } = await card.metrics('report');
  const other = active ? vscode.l10n.t('Turn Metrics Off') : vscode.l10n.t('Turn Metrics On');
  const chosen = await vscode.window.showInformationMessage(text, other);
  if (chosen === other) await card.metrics(active ? 'off' : 'on');
}
