/** Places in files: from the protocol to the editor. */

import * as vscode from 'vscode';
import type { Location, Range } from './protocol';

export function rangeOf({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Opens the file of `location` with exactly its range selected. */
export async function openLocation(location: Location, options: vscode.TextDocumentShowOptions): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(location.uri));
  const editor = await vscode.window.showTextDocument(document, { ...options, selection: rangeOf(location.range) });
  editor.revealRange(rangeOf(location.range), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return editor;
}
