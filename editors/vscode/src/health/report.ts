/** The health of the server as a document to read. */

import { l10n } from 'vscode';
import type { Health, Program } from '../common/protocol';
import { sentences } from '../common/sentences';

const MIB = 1024 * 1024;

export function healthReport(health: Health): string {
  return [
    `# ${l10n.t('Signal Grep: health')}`,
    ...problems(health),
    `## ${l10n.t('Programs')}`,
    [
      `- ${l10n.t('Server')}: ${health.server} (Python ${health.python}, ${health.platform})`,
      `- ripgrep: ${program(health.rg)}`,
      `- Universal Ctags: ${program(health.ctags)}`,
    ].join('\n'),
    `## ${l10n.t('Folders')}`,
    list(health.folders.map(folder => `${folder.name}: ${folder.path}`)),
    `## ${l10n.t('Snapshots')}`,
    list(
      health.snapshots.map(held =>
        l10n.t('{0}: {1} rows, {2} MiB, unused for {3} s', held.id, held.rows, mib(held.bytes), Math.round(held.ageSeconds)),
      ),
    ),
    `## ${l10n.t('Running programs')}`,
    list(health.processes.map(running => `${running.name} (${running.pid})`)),
    '',
  ].join('\n\n');
}

function problems(health: Health): string[] {
  if (health.problems.length === 0) return [l10n.t('Everything works.')];
  return [`## ${l10n.t('Problems')}`, list(health.problems.map(problem => `**${sentences(problem.message)}** ${problem.hint}`))];
}

function program(found: Program): string {
  return found.version === undefined ? l10n.t('not in use') : `${found.version}, ${found.path ?? ''}`;
}

function list(items: string[]): string {
  return items.length === 0 ? l10n.t('none') : items.map(item => `- ${item}`).join('\n');
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}
