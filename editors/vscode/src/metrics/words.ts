/** Metrics in few words, and in a small table. */

import { l10n } from 'vscode';
import type { Amount, MetricsResult } from '../common/protocol';

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** For the status bar: `12.3K tokens saved`, or how many more there were. */
export function cardText({ searches, deltaTokens }: MetricsResult): string {
  if (searches === 0) return l10n.t('nothing counted yet');
  const tokens = COMPACT.format(Math.abs(deltaTokens));
  return deltaTokens < 0 ? l10n.t('{0} tokens more', tokens) : l10n.t('{0} tokens saved', tokens);
}

/** The server's sentence with the exact figures below it, in Markdown. */
export function cardTooltip({ text, searches, signal, normal, deltaTokens }: MetricsResult): string {
  if (searches === 0) return text;
  const row = (name: string, { tokens, bytes }: Amount) => `| ${name} | ${shown(tokens)} | ${shown(bytes)} |`;
  return [
    text,
    '',
    `| | ${l10n.t('tokens')} | ${l10n.t('bytes')} |`,
    '|---|--:|--:|',
    row('Signal Grep', signal),
    row(l10n.t('usual grep tool'), normal),
    row(l10n.t('saved'), { tokens: deltaTokens, bytes: normal.bytes - signal.bytes }),
  ].join('\n');
}

function shown(count: number): string {
  return count.toLocaleString('en-US');
}
