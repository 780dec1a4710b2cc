/** The language that the server speaks to people: one for all editors, while the words of this extension follow VS Code. */

import * as vscode from 'vscode';
import { messageOf } from '../common/failures';
import type { Locale } from '../common/protocol';
import type { Server } from '../server/server';

const OFFERED = 'languageOffered';

/** Each language by its own name. */
const NAMES: Record<Locale, string> = { en: 'English', 'zh-CN': '简体中文' };

/** Asks for the language and keeps it. Throws Failure. */
export async function chooseLanguage(server: Server): Promise<void> {
  const { locale: current } = await server.call('sg.locale', { action: 'status' });
  const rows = (['en', 'zh-CN'] as const).map(locale => ({
    locale,
    label: NAMES[locale],
    description: locale === current ? vscode.l10n.t('current') : '',
  }));
  const placeHolder = vscode.l10n.t('The language of the server, in all editors');
  const chosen = await vscode.window.showQuickPick(rows, { placeHolder });
  if (chosen) await server.call('sg.locale', { action: chosen.locale });
}

/** At the first start in a VS Code that is in Chinese: whether the server is to speak it too. */
export function offerLanguage(server: Server, state: vscode.Memento, output: vscode.LogOutputChannel): vscode.Disposable {
  return server.onDidChangeState(serverState => {
    if (serverState !== 'running' || vscode.env.language.toLowerCase() !== 'zh-cn' || state.get<boolean>(OFFERED)) return;
    offer(server, state).catch((error: unknown) => output.warn(messageOf(error)));
  });
}

async function offer(server: Server, state: vscode.Memento): Promise<void> {
  const { locale } = await server.call('sg.locale', { action: 'status' });
  if (locale === 'zh-CN' || state.get<boolean>(OFFERED)) return;
  await state.update(OFFERED, true);
  const question = vscode.l10n.t('The Signal Grep server speaks English. Is it to speak the language of VS Code, in all editors?');
  const yes = vscode.l10n.t('Yes');
  const chosen = await vscode.window.showInformationMessage(question, yes, vscode.l10n.t('No'));
  if (chosen === yes) await server.call('sg.locale', { action: 'zh-CN' });
}
