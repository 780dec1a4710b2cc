/** Chooses the server to run, and offers to install one where there is none. */

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { COMMANDS } from '../common/constants';
import { Failure, messageOf } from '../common/failures';
import { programPaths } from '../common/settings';
import { PythonMissing, findPython, type ServerEnvironment } from './environment';
import { ServerNotThere, findServer, type Launch } from './find';
import { createClient } from './quietClient';

export class ServerChoice {
  constructor(
    private readonly environment: ServerEnvironment,
    private readonly output: vscode.LogOutputChannel,
  ) {}

  /** A client for the server that is there, or that the user lets be installed. Throws Failure. */
  async newClient(): Promise<LanguageClient> {
    const paths = programPaths();
    const launch = (await this.find()) ?? (await this.offer());
    this.output.info(`starting ${launch.command} (${launch.found})`);
    return createClient(launch, paths, this.output);
  }

  /** Installs the bundled server, with progress. Throws Failure, or CancellationError. */
  async install(): Promise<void> {
    const aborted = new AbortController();
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Installing the Signal Grep server'),
      cancellable: true,
    };
    await vscode.window.withProgress(options, async (progress, token) => {
      token.onCancellationRequested(() => aborted.abort());
      try {
        const python = await findPython(programPaths().python, process.env.PATH ?? '', workspaceFolders());
        this.output.info(`installing with ${python}`);
        await this.environment.make(python, aborted.signal, step => {
          const message = step === 'environment' ? vscode.l10n.t('Python environment') : vscode.l10n.t('packages');
          progress.report({ message });
        });
      } catch (error) {
        throw aborted.signal.aborted ? new vscode.CancellationError() : installationFailure(error);
      }
    });
  }

  private async find(): Promise<Launch | undefined> {
    try {
      return findServer({
        setting: programPaths().server,
        environment: await this.environment.interpreter(),
        path: process.env.PATH ?? '',
        outside: workspaceFolders(),
      });
    } catch (error) {
      if (!(error instanceof ServerNotThere)) throw error;
      const remedy = vscode.l10n.t('Correct the setting signalGrep.serverPath, or empty it.');
      throw new Failure(vscode.l10n.t('There is no program at {0}.', error.path), undefined, remedy);
    }
  }

  private async offer(): Promise<Launch> {
    const missing = vscode.l10n.t('The Signal Grep server is not installed.');
    const remedy = vscode.l10n.t('Install it, or name it in the setting signalGrep.serverPath.');
    if (!(await this.environment.canBeMade())) throw new Failure(missing, undefined, remedy);
    const install = vscode.l10n.t('Install');
    const question = vscode.l10n.t(
      'Install it into a Python environment of its own? Its packages are downloaded from the Python Package Index.',
    );
    const chosen = await vscode.window.showInformationMessage(`${missing} ${question}`, install, vscode.l10n.t('Not Now'));
    if (chosen !== install) throw new vscode.CancellationError();
    await this.install();
    const launch = await this.find();
    if (launch === undefined) throw new Failure(missing, undefined, remedy);
    return launch;
  }
}

function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(folder => folder.uri.fsPath);
}

function installationFailure(error: unknown): Failure {
  if (error instanceof PythonMissing) {
    return new Failure(
      vscode.l10n.t('No Python 3.11 or newer with venv was found.'),
      undefined,
      vscode.l10n.t('Install one, or name it in the setting signalGrep.pythonPath.'),
    );
  }
  return new Failure(vscode.l10n.t('The server could not be installed: {0}', messageOf(error)));
}

/** Installs the server anew when asked to, and runs it. */
export async function installServer(choice: ServerChoice): Promise<void> {
  await choice.install();
  await vscode.commands.executeCommand(COMMANDS.restart);
}
