/** Shows that something takes long, and lets it be cancelled; what is quick shows nothing. */

import * as vscode from 'vscode';
import type { CallOptions } from '../server/server';

/** Until a search counts as long. */
const SOON_MS = 400;

/** Runs `work`; after a moment a notification tells how far it is and has Cancel. Throws as `work` does. */
export async function withProgress<T>(title: string, work: (options: CallOptions) => Promise<T>): Promise<T> {
  const source = new vscode.CancellationTokenSource();
  let tell: (message: string) => void = () => undefined;
  let latest = '';
  const running = work({
    token: source.token,
    onProgress: message => {
      latest = message;
      tell(message);
    },
  });
  const settled = running.then(
    () => undefined,
    () => undefined,
  );
  const timer = setTimeout(() => {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    void vscode.window.withProgress(options, async (progress, token) => {
      token.onCancellationRequested(() => source.cancel());
      tell = message => progress.report({ message });
      if (latest !== '') tell(latest);
      await settled;
    });
  }, SOON_MS);
  try {
    return await running;
  } finally {
    clearTimeout(timer);
    source.dispose();
  }
}
