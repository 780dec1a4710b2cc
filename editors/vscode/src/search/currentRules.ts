/** Reads VS Code's search settings as they are for what a query covers. */

import * as vscode from 'vscode';
import { editorRules, type EditorRules } from './editorRules';
import type { Query } from './query';

/**
 * The rules for `query`. A search of one folder follows that folder's settings; a search of several has one
 * set of rules, and follows those of the workspace.
 */
export function currentRules(query: Query): EditorRules {
  const scope = onlyFolder(query)?.uri;
  const files = vscode.workspace.getConfiguration('files', scope);
  const search = vscode.workspace.getConfiguration('search', scope);
  return editorRules({
    filesExclude: files.get('exclude', {}),
    searchExclude: search.get('exclude', {}),
    useIgnoreFiles: search.get('useIgnoreFiles', true),
    followSymlinks: search.get('followSymlinks', true),
    encoding: files.get('encoding', 'utf8'),
  });
}

function onlyFolder(query: Query): vscode.WorkspaceFolder | undefined {
  const all = vscode.workspace.workspaceFolders ?? [];
  const searched =
    query.within.length === 0
      ? all
      : query.within.map(uri => vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri)));
  const folders = new Set(searched);
  return folders.size === 1 ? [...folders][0] : undefined;
}
