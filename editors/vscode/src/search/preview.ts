/** Shows the row that is looked at in the editor, and can put the editor back as it was. */

import * as vscode from 'vscode';
import { openLocation, rangeOf } from '../common/places';
import type { StreamedMatch } from '../common/protocol';

export class Preview implements vscode.Disposable {
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('editor.findMatchHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
  });
  private readonly origin = vscode.window.activeTextEditor;
  private readonly selections = this.origin?.selections ?? [];
  private readonly visible = this.origin?.visibleRanges[0];
  private readonly wasPreview = vscode.window.tabGroups.activeTabGroup.activeTab?.isPreview ?? false;
  private readonly openBefore = new Set(textTabs().map(tab => tab.input.uri.toString()));
  private shown: vscode.TextEditor | undefined;
  /** Each change waits for the one before: editors that open at the same time end up in any order. */
  private turn: Promise<void> = Promise.resolve();
  private wanted: StreamedMatch | undefined;

  show(match: StreamedMatch): void {
    this.wanted = match;
    this.next(async () => {
      if (this.wanted !== match) return;
      const editor = await openLocation(match.location, { preview: true, preserveFocus: true });
      this.unmark();
      this.shown = editor;
      editor.setDecorations(this.highlight, match.ranges.map(rangeOf));
    });
  }

  /** Opens `match` for good. */
  async accept(match: StreamedMatch): Promise<void> {
    this.wanted = undefined;
    this.next(async () => {
      await openLocation(match.location, { preview: false });
    });
    await this.turn;
  }

  /** Leaves the editor as it was before the first row was shown. */
  async restore(): Promise<void> {
    this.wanted = undefined;
    this.next(async () => {
      if (this.shown === undefined) return;
      if (this.origin !== undefined) await this.showOrigin(this.origin);
      const extra = textTabs().filter(tab => tab.isPreview && !this.openBefore.has(tab.input.uri.toString()));
      await vscode.window.tabGroups.close(extra);
    });
    await this.turn;
  }

  dispose(): void {
    this.unmark();
    this.highlight.dispose();
  }

  private async showOrigin(origin: vscode.TextEditor): Promise<void> {
    const editor = await vscode.window.showTextDocument(origin.document, {
      ...(origin.viewColumn === undefined ? {} : { viewColumn: origin.viewColumn }),
      preview: this.wasPreview,
    });
    editor.selections = this.selections;
    if (this.visible !== undefined) editor.revealRange(this.visible, vscode.TextEditorRevealType.AtTop);
  }

  private unmark(): void {
    this.shown?.setDecorations(this.highlight, []);
  }

  private next(step: () => Promise<void>): void {
    // A file that cannot be shown (deleted, or not text) leaves the list usable.
    this.turn = this.turn.then(step).catch(() => undefined);
  }
}

type TextTab = vscode.Tab & { input: vscode.TabInputText };

function textTabs(): TextTab[] {
  return vscode.window.tabGroups.all.flatMap(group => group.tabs).filter((tab): tab is TextTab => tab.input instanceof vscode.TabInputText);
}
