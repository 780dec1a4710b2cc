/** Commands whose failures are shown to the user. */

import * as vscode from 'vscode';
import { showFailure } from './failures';

/** `run` is given what the command is given: in a view, the row that it was chosen for. */
export function registerCommand(command: string, run: (given?: unknown) => unknown): vscode.Disposable {
  return vscode.commands.registerCommand(command, async (given?: unknown) => {
    try {
      await run(given);
    } catch (error) {
      void showFailure(error);
    }
  });
}
