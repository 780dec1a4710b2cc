/** Wires the parts together; nothing starts before it is used. */

import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { registerCommand } from './common/commands';
import { COMMANDS, ENTRY_SCHEME, HEALTH_SCHEME } from './common/constants';
import { showFailure } from './common/failures';
import { HealthDocument, noticeMissingCtags } from './health/health';
import { InspectionView } from './inspection/view';
import { MetricsCard } from './metrics/card';
import { registerMetricsCommands } from './metrics/commands';
import { registerModeCommands } from './mode/commands';
import { offerLanguage } from './mode/language';
import { Override } from './mode/override';
import { userFile } from './mode/userFile';
import { registerResultsCommands } from './results/commands';
import { ResultsView } from './results/view';
import { registerSearchCommands } from './search/commands';
import { History } from './search/history';
import { ServerChoice, installServer } from './server/choose';
import { ServerEnvironment } from './server/environment';
import { Server } from './server/server';
import { createStatusItem } from './server/statusItem';
import { StoredDocuments } from './stored/documents';
import { StoredPicker } from './stored/picker';

const PROGRAM_SETTINGS = ['signalGrep.serverPath', 'signalGrep.rgPath', 'signalGrep.ctagsPath'];

let stop: (() => Promise<void>) | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel('Signal Grep', { log: true });
  const wheels = path.join(context.extensionPath, 'wheels');
  const choice = new ServerChoice(new ServerEnvironment(context.globalStorageUri.fsPath, wheels), output);
  const server = new Server(() => choice.newClient(), output);
  const history = new History(context.workspaceState);
  const health = new HealthDocument(server);
  const inspection = new InspectionView(server);
  const results = new ResultsView(server, history);
  const stored = new StoredDocuments(server);
  const metrics = new MetricsCard(server, output);
  const override = new Override(server, userFile({ environment: process.env, platform: process.platform, home: os.homedir() }), output);
  const inspectMatch = inspection.inspect.bind(inspection);
  stop = () => server.stop();

  context.subscriptions.push(
    output,
    server,
    health,
    inspection,
    results,
    stored,
    createStatusItem(server),
    metrics,
    override,
    offerLanguage(server, context.globalState, output),
    noticeMissingCtags(server, context.globalState, output),
    vscode.workspace.registerTextDocumentContentProvider(HEALTH_SCHEME, health),
    vscode.workspace.registerTextDocumentContentProvider(ENTRY_SCHEME, stored),
    registerModeCommands(override, server),
    registerMetricsCommands(metrics),
    registerResultsCommands(results, inspectMatch),
    registerSearchCommands({
      server,
      history,
      sendToResults: query => results.search(query).catch(showFailure),
      inspect: ({ location }) => inspectMatch({ uri: location.uri, position: location.range.start }).catch(showFailure),
    }),
    registerCommand(COMMANDS.inspectAtCursor, () => inspection.inspectAtCursor()),
    registerCommand(COMMANDS.searchStored, () => new StoredPicker(server, location => stored.open(location)).show()),
    registerCommand(COMMANDS.health, () => health.show()),
    registerCommand(COMMANDS.restart, () => server.restart()),
    registerCommand(COMMANDS.showOutput, () => output.show()),
    registerCommand(COMMANDS.installServer, () => installServer(choice)),
    vscode.workspace.onDidChangeConfiguration(change => {
      const isProgram = PROGRAM_SETTINGS.some(setting => change.affectsConfiguration(setting));
      if (isProgram && server.state !== 'stopped') void server.restart().catch(showFailure);
    }),
  );
  void override.follow();
}

export async function deactivate(): Promise<void> {
  await stop?.();
}
