/** A mode in words. */

import { l10n } from 'vscode';
import type { ModeResult } from '../common/protocol';

export function modeInWords({ configured, effective, reason }: ModeResult): string {
  if (effective === 'override') return l10n.t('Override is on: Find in Files is Signal Grep, in all editors.');
  if (configured === 'additive') return l10n.t("Override is off: Find in Files is VS Code's own.");
  return l10n.t('Override was chosen and is not in force in this window: {0}.', reason ?? '');
}
