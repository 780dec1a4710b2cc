/** Shows inspections beside the editor: read-only, highlighted, with the line numbers of their file. */

import * as vscode from 'vscode';
import { INSPECTION_SCHEME } from '../common/constants';
import { rangeOf } from '../common/places';
import type { InspectParams } from '../common/protocol';
import type { Server } from '../server/server';
import { inspectionPage, type InspectionPage } from './page';

export class InspectionView implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable {
  private readonly pages = new Map<string, InspectionPage>();
  private readonly numbers = vscode.window.createTextEditorDecorationType({});
  private readonly target = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
  });
  private readonly registrations: vscode.Disposable;
  private count = 0;

  constructor(private readonly server: Server) {
    this.registrations = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(INSPECTION_SCHEME, this),
      vscode.languages.registerCodeLensProvider({ scheme: INSPECTION_SCHEME }, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.pages.delete(uri.toString())),
      vscode.window.onDidChangeVisibleTextEditors(editors => editors.forEach(editor => this.decorate(editor))),
    );
  }

  async inspect(target: InspectParams): Promise<void> {
    const page = inspectionPage(await this.server.call('sg.inspect', target));
    const uri = vscode.Uri.from({ scheme: INSPECTION_SCHEME, path: `/${page.name}`, query: `${++this.count}` });
    this.pages.set(uri.toString(), page);
    const editor = await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true });
    editor.options = { lineNumbers: vscode.TextEditorLineNumbersStyle.Off };
    this.decorate(editor);
    const line = targetLine(page);
    if (line !== undefined) editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  async inspectAtCursor(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const { line, character } = editor.selection.active;
    await this.inspect({ uri: editor.document.uri.toString(), position: { line, character } });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.pages.get(uri.toString())?.text ?? '';
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const page = this.pages.get(uri.toString());
    if (page === undefined) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    const lenses = [new vscode.CodeLens(top, { title: page.heading, command: '' })];
    if (page.location !== undefined) {
      const place = [vscode.Uri.parse(page.location.uri), { selection: rangeOf(page.location.range) }];
      lenses.push(new vscode.CodeLens(top, { title: vscode.l10n.t('Open'), command: 'vscode.open', arguments: place }));
    }
    return lenses;
  }

  dispose(): void {
    this.registrations.dispose();
    this.numbers.dispose();
    this.target.dispose();
  }

  private decorate(editor: vscode.TextEditor): void {
    const page = this.pages.get(editor.document.uri.toString());
    if (page?.startLine === undefined) return;
    const { startLine } = page;
    const width = `${startLine + editor.document.lineCount - 1}`.length;
    const numbers = Array.from({ length: editor.document.lineCount }, (_, line) => ({
      range: new vscode.Range(line, 0, line, 0),
      renderOptions: {
        before: {
          contentText: `${startLine + line}`.padStart(width, '\u00a0'),
          color: new vscode.ThemeColor('editorLineNumber.foreground'),
          margin: '0 2ch 0 0',
        },
      },
    }));
    editor.setDecorations(this.numbers, numbers);
    const line = targetLine(page);
    editor.setDecorations(this.target, line === undefined ? [] : [new vscode.Range(line, 0, line, 0)]);
  }
}

/** 0-based line of the target in the page. */
function targetLine({ startLine, location }: InspectionPage): number | undefined {
  return startLine === undefined || location === undefined ? undefined : location.range.start.line + 1 - startLine;
}
