/** The commands on what a person chooses for all editors. */

import * as vscode from 'vscode';
import { registerCommand } from '../common/commands';
import { COMMANDS } from '../common/constants';
import type { ModeParams } from '../common/protocol';
import type { Server } from '../server/server';
import { chooseLanguage } from './language';
import type { Override } from './override';
import { modeInWords } from './words';

export function registerModeCommands(override: Override, server: Server): vscode.Disposable {
  const tell = async (action: ModeParams['action']) => {
    void vscode.window.showInformationMessage(modeInWords(await override.mode(action)));
  };
  return vscode.Disposable.from(
    registerCommand(COMMANDS.overrideOn, () => tell('override')),
    registerCommand(COMMANDS.overrideOff, () => tell('additive')),
    registerCommand(COMMANDS.mode, () => tell('status')),
    registerCommand(COMMANDS.language, () => chooseLanguage(server)),
  );
}
