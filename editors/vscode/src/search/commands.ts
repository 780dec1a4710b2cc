/** The commands that begin a search. */

import * as vscode from 'vscode';
import { COMMANDS } from '../common/constants';
import { showFailure } from '../common/failures';
import { toggleRegex, toggleWord, turnCase } from './buttons';
import { SearchPicker, type Around } from './picker';
import type { Query } from './query';

export function registerSearchCommands(around: Around): vscode.Disposable {
  let picker: SearchPicker | undefined;
  const open = (start: Partial<Query> = {}) => {
    picker = new SearchPicker(around, start);
    picker.show();
  };
  const repeat = async () => {
    const [last] = around.history.queries;
    if (last === undefined) open();
    else await around.sendToResults(last).catch(showFailure);
  };
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register(COMMANDS.search, (start?: Partial<Query>) => open(start)),
    register(COMMANDS.findInFiles, () => open(selected())),
    register(COMMANDS.searchSelection, () => open(selected() ?? wordAtCursor())),
    register(COMMANDS.searchInFolder, (clicked?: vscode.Uri, selected?: vscode.Uri[]) =>
      open({ within: (selected ?? (clicked ? [clicked] : [])).map(uri => uri.toString()) }),
    ),
    register(COMMANDS.repeatLast, repeat),
    register(COMMANDS.pickerRegex, () => picker?.press(toggleRegex)),
    register(COMMANDS.pickerCase, () => picker?.press(turnCase)),
    register(COMMANDS.pickerWord, () => picker?.press(toggleWord)),
    register(COMMANDS.pickerToResults, () => picker?.press('results')),
    register(COMMANDS.pickerHistoryPrevious, () => picker?.moveInHistory(1)),
    register(COMMANDS.pickerHistoryNext, () => picker?.moveInHistory(-1)),
  );
}

/** The selection as text, since it stands there as it is; nothing where there is none, or more than a line. */
function selected(): Partial<Query> | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty || !editor.selection.isSingleLine) return undefined;
  return { pattern: editor.document.getText(editor.selection), regex: false, wholeWord: false };
}

/** The word at the cursor, as a whole word. */
function wordAtCursor(): Partial<Query> | undefined {
  const editor = vscode.window.activeTextEditor;
  const word = editor?.document.getWordRangeAtPosition(editor.selection.active);
  return word && editor && { pattern: editor.document.getText(word), regex: false, wholeWord: true };
}
