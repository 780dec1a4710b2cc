/** The commands that begin a search. */

import * as vscode from 'vscode';
import { COMMANDS } from '../common/constants';
import { showFailure } from '../common/failures';
import { toggleRegex, toggleWord, turnCase } from './buttons';
import { SearchPicker, type Around } from './picker';
import type { Query } from './query';

export function registerSearchCommands(around: Around): vscode.Disposable {
  let picker: SearchPicker | undefined;
  const open = (start: Partial<Query>) => {
    picker = new SearchPicker(around, start);
    picker.show();
  };
  const repeat = async () => {
    const [last] = around.history.queries;
    if (last === undefined) open({});
    else await around.sendToResults(last).catch(showFailure);
  };
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register(COMMANDS.search, (start?: Partial<Query>) => open(start ?? {})),
    register(COMMANDS.searchSelection, () => open(underCursor())),
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

/** The selection, or the word at the cursor as a whole word; as text, since it stands there as it is. */
function underCursor(): Partial<Query> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return {};
  const { document, selection } = editor;
  if (!selection.isEmpty && selection.isSingleLine) {
    return { pattern: document.getText(selection), regex: false, wholeWord: false };
  }
  const word = document.getWordRangeAtPosition(selection.active);
  return word === undefined ? {} : { pattern: document.getText(word), regex: false, wholeWord: true };
}
