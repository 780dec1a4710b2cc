/** The one server of this window: started at its first use, restarted on demand, called with typed commands. */

import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import {
  ExecuteCommandRequest,
  ProgressType,
  State,
  TextDocumentContentRequest,
  WorkDoneProgress,
  type LanguageClient,
} from 'vscode-languageclient/node';
import { Failure, failureOf, messageOf } from '../common/failures';
import type { ServerCommand, ServerCommands, StreamedBatch } from '../common/protocol';

export type ServerState = 'stopped' | 'starting' | 'running' | 'failed';

export interface CallOptions {
  token?: vscode.CancellationToken;
  /** Hears of provisional rows while a search runs. */
  onBatch?: (batch: StreamedBatch) => void;
  /** Hears how far a command is, in words. */
  onProgress?: (message: string) => void;
}

const BATCHES = new ProgressType<StreamedBatch>();

export class Server implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ServerState>();
  private readonly answered = new vscode.EventEmitter<ServerCommand>();
  private client: LanguageClient | undefined;
  private starting: Promise<LanguageClient> | undefined;
  private stopping: Promise<void> = Promise.resolve();
  private shown: ServerState = 'stopped';

  readonly onDidChangeState = this.changed.event;
  /** Tells which command has been answered, and not refused. */
  readonly onDidAnswer = this.answered.event;

  constructor(
    /** Decides what is run, for each start anew. */
    private readonly newClient: () => Promise<LanguageClient>,
    private readonly output: vscode.LogOutputChannel,
  ) {}

  get state(): ServerState {
    return this.shown;
  }

  /** The server's own version, once it has started. */
  get version(): string | undefined {
    return this.client?.initializeResult?.serverInfo?.version;
  }

  /** Runs one command. Throws a Failure with the server's words, or CancellationError. */
  async call<C extends ServerCommand>(
    command: C,
    params: ServerCommands[C][0],
    { token, onBatch, onProgress }: CallOptions = {},
  ): Promise<ServerCommands[C][1]> {
    const client = await this.ready();
    if (token?.isCancellationRequested) throw new vscode.CancellationError();
    const listeners: vscode.Disposable[] = [];
    const [batches, progress] = [randomUUID(), randomUUID()];
    if (onBatch) listeners.push(client.onProgress(BATCHES, batches, onBatch));
    if (onProgress) {
      const hear = (value: { message?: string }) => {
        if (value.message !== undefined) onProgress(value.message);
      };
      listeners.push(client.onProgress(WorkDoneProgress.type, progress, hear));
    }
    const request = {
      command,
      arguments: [onBatch ? { ...params, partialResultToken: batches } : params],
      ...(onProgress ? { workDoneToken: progress } : {}),
    };
    try {
      const answer = (await client.sendRequest(ExecuteCommandRequest.type, request, token)) as ServerCommands[C][1];
      this.answered.fire(command);
      return answer;
    } catch (error) {
      throw failureOf(error);
    } finally {
      for (const listener of listeners) listener.dispose();
    }
  }

  /** The text of a document that the server has. Throws as `call` does. */
  async content(uri: string, token: vscode.CancellationToken): Promise<string> {
    const client = await this.ready();
    try {
      return (await client.sendRequest(TextDocumentContentRequest.type, { uri }, token)).text;
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Has it running, as a first command would. Throws Failure, or CancellationError. */
  async start(): Promise<void> {
    await this.ready();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.ready();
  }

  /** Ends the server and waits until it is gone. */
  async stop(): Promise<void> {
    const { starting } = this;
    this.starting = undefined;
    this.stopping = this.stopping.then(async () => {
      await starting?.catch(() => undefined);
      await this.end();
      this.show('stopped');
    });
    await this.stopping;
  }

  dispose(): void {
    this.changed.dispose();
    this.answered.dispose();
  }

  private ready(): Promise<LanguageClient> {
    if (this.starting !== undefined) return this.starting;
    const starting = this.begin();
    this.starting = starting;
    starting.catch(() => {
      if (this.starting === starting) this.starting = undefined;
    });
    return starting;
  }

  private async begin(): Promise<LanguageClient> {
    await this.stopping;
    await this.end();
    this.show('starting');
    try {
      const client = await this.newClient();
      this.client = client;
      client.onDidChangeState(({ newState }) => this.follow(client, newState));
      await client.start();
      return client;
    } catch (error) {
      await this.end();
      this.output.error(messageOf(error));
      this.show('failed');
      throw startFailure(error);
    }
  }

  /** Leaves the client and its server, whatever state they are in. */
  private async end(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.dispose().catch((error: unknown) => this.output.warn(messageOf(error)));
  }

  /** A server that ends unasked is started again by its client, a few times. */
  private follow(client: LanguageClient, state: State): void {
    if (client !== this.client) return;
    if (state === State.Stopped) {
      this.starting = undefined;
      this.show('failed');
    } else {
      this.show(state === State.Running ? 'running' : 'starting');
    }
  }

  private show(state: ServerState): void {
    this.shown = state;
    this.changed.fire(state);
  }
}

function startFailure(error: unknown): Error {
  if (error instanceof Failure || error instanceof vscode.CancellationError) return error;
  const seeOutput = vscode.l10n.t('The output has its own words.');
  return new Failure(vscode.l10n.t('The Signal Grep server did not start.'), undefined, seeOutput);
}
