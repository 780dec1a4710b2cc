/** The language client: it syncs documents and folders, and sends commands. */

import * as vscode from 'vscode';
import {
  LanguageClient,
  CloseAction,
  ErrorAction,
  RevealOutputChannelOn,
  State,
  type CloseHandlerResult,
  type DynamicFeature,
  type ErrorHandler,
  type ErrorHandlerResult,
  type LanguageClientOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { EXTENSION } from '../common/constants';
import { Failure, showFailure } from '../common/failures';
import { forServer, type ProgramPaths } from '../common/settings';
import type { Launch } from './find';
import { pluginOptions } from './plugins';

/**
 * What this extension does itself. The stock client registers the server's command ids with VS Code, for the
 * whole window, and does not start where another client has done so already; and it provides the server's
 * documents only while the server runs, where a link to one should start it.
 */
const OWN = ['workspace/executeCommand', 'workspace/textDocumentContent'];

class QuietClient extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if ('registrationType' in feature && OWN.includes(feature.registrationType.method)) return;
    super.registerFeature(feature);
  }

  /** Logs. What the user has to know is told by who called, once and in plain words. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

const RESTARTS = 3;
const RESTARTS_MS = 3 * 60_000;

/** Starts a server that ended unasked again, unless it never got to work or keeps on ending. */
class RestartPolicy implements ErrorHandler {
  hasStarted = false;
  private readonly ends: number[] = [];

  error(): ErrorHandlerResult {
    return { action: ErrorAction.Continue };
  }

  closed(): CloseHandlerResult {
    const end = { action: CloseAction.DoNotRestart, handled: true };
    if (!this.hasStarted) return end;
    const now = Date.now();
    this.ends.push(now);
    if (this.ends.filter(end => now - end < RESTARTS_MS).length <= RESTARTS) return { action: CloseAction.Restart, handled: true };
    void showFailure(new Failure(vscode.l10n.t('The Signal Grep server keeps on ending and is not started again.')));
    return end;
  }
}

export function createClient(launch: Launch, paths: ProgramPaths, output: vscode.LogOutputChannel): LanguageClient {
  const policy = new RestartPolicy();
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
    outputChannel: output,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: {
      ...(paths.rg === undefined ? {} : { rgPath: paths.rg }),
      ...(paths.ctags === undefined ? {} : { ctagsPath: paths.ctags }),
      loneCrEndsLine: true,
      invalidUtf8: 'replace',
      // VS Code has an outline from each language; a second one would only repeat it.
      documentSymbols: false,
      ...pluginOptions(() => vscode.extensions.all),
    },
    errorHandler: policy,
    initializationFailedHandler: () => false,
    middleware: {
      workspace: {
        configuration: async (params, token, next) => {
          const answers = await next(params, token);
          return Array.isArray(answers)
            ? answers.map((answer, i) => (params.items[i]?.section === EXTENSION ? forServer(answer) : (answer as unknown)))
            : answers;
        },
      },
    },
  };
  const client = new QuietClient(EXTENSION, 'Signal Grep', { command: launch.command, args: launch.args }, options);
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Running) policy.hasStarted = true;
  });
  return client;
}
