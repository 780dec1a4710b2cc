/** Stored text as read-only documents: `sg-context://entry/ID.md`, which any extension can open. */

import * as vscode from 'vscode';
import { openLocation } from '../common/places';
import type { Location } from '../common/protocol';
import type { Server } from '../server/server';

export class StoredDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();

  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {}

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    return this.server.content(uri.toString(), token);
  }

  /** Opens `location` with its range selected. An entry that is open already is read anew: it may have been replaced. */
  async open(location: Location): Promise<void> {
    this.changed.fire(vscode.Uri.parse(location.uri));
    await openLocation(location, { preview: true });
  }

  dispose(): void {
    this.changed.dispose();
  }
}
