/** What went wrong, in the server's words and with its remedy. */

import * as vscode from 'vscode';
import { ErrorCodes, LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';
import { COMMANDS } from './constants';
import { sentences } from './sentences';

/** A failure to be shown as it stands. */
export class Failure extends Error {
  constructor(
    message: string,
    /** The server's stable word, where the failure is the server's. */
    readonly code?: string,
    readonly hint?: string,
  ) {
    super(message);
  }

  /** The snapshot is gone: a search can be made again. */
  get isExpired(): boolean {
    return this.code === 'cursor-expired' || this.code === 'cursor-unknown';
  }
}

interface FailureData {
  code?: string;
  hint?: string;
  /** For people who are not spoken to in English. */
  localized?: { message: string; hint?: string };
}

/** The error of a request as a Failure, or as a CancellationError where it was cancelled. */
export function failureOf(error: unknown): Error {
  if (error instanceof Failure || error instanceof vscode.CancellationError) return error;
  if (!(error instanceof ResponseError)) return new Failure(messageOf(error));
  if (error.code === LSPErrorCodes.RequestCancelled) return new vscode.CancellationError();
  if (error.code === ErrorCodes.PendingResponseRejected) {
    return new Failure(vscode.l10n.t('The Signal Grep server ended before it answered.'));
  }
  const data = error.data as FailureData | undefined;
  const { message, hint } = data?.localized ?? { message: error.message, hint: data?.hint };
  return new Failure(message, data?.code, hint);
}

export function messageOf(error: unknown): string {
  if (error instanceof Failure) return sentences(error.message, error.hint);
  return error instanceof Error ? error.message : String(error);
}

/** Shows what went wrong. What the user cancelled is nothing to speak of. */
export async function showFailure(error: unknown): Promise<void> {
  if (error instanceof vscode.CancellationError) return;
  const showOutput = vscode.l10n.t('Show Output');
  const chosen = await vscode.window.showErrorMessage(messageOf(error), showOutput);
  if (chosen === showOutput) await vscode.commands.executeCommand(COMMANDS.showOutput);
}
