/** Whether the key of Find in Files is Signal Grep's in this window: a context key that follows the server's answer. */

import * as vscode from 'vscode';
import { CONTEXT } from '../common/constants';
import { messageOf, showFailure } from '../common/failures';
import type { ModeParams, ModeResult } from '../common/protocol';
import type { Server, ServerState } from '../server/server';
import { mayOverride, readUserFile } from './userFile';

export class Override implements vscode.Disposable {
  private readonly listeners: vscode.Disposable;
  private seen: string | undefined;

  constructor(
    private readonly server: Server,
    private readonly file: string,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.listeners = vscode.Disposable.from(
      server.onDidChangeState(state => this.onState(state)),
      // Another window or editor may have changed the choice since this one was left.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) void this.follow();
      }),
    );
  }

  /** Brings this window in line with the file, if that has changed; the server is started where an override asks for it. */
  async follow(): Promise<void> {
    const text = await readUserFile(this.file);
    if (text === this.seen) return;
    this.seen = text;
    if (this.server.state === 'running') await this.refresh();
    else if (mayOverride(text)) await this.server.start().catch(showFailure);
  }

  /** Keeps a choice, or asks for the one that holds. Throws Failure, with `mode-conflict` where there can be no override. */
  async mode(action: ModeParams['action']): Promise<ModeResult> {
    const mode = await this.server.call('sg.mode', { action });
    this.show(mode.effective === 'override');
    return mode;
  }

  dispose(): void {
    this.listeners.dispose();
  }

  private onState(state: ServerState): void {
    if (state === 'running') void this.refresh();
    // Without a server the key would lead nowhere.
    else if (state !== 'starting') this.show(false);
  }

  private async refresh(): Promise<void> {
    try {
      await this.mode('status');
    } catch (error) {
      this.show(false);
      this.output.warn(messageOf(error)); // the server has told what is wrong with the file
    }
  }

  private show(isInForce: boolean): void {
    void vscode.commands.executeCommand('setContext', CONTEXT.override, isInForce);
  }
}
