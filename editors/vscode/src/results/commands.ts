/** The commands of the results view. */

import * as vscode from 'vscode';
import { registerCommand } from '../common/commands';
import { COMMANDS } from '../common/constants';
import type { InspectParams } from '../common/protocol';
import type { Node } from './model';
import type { ResultsView } from './view';

export function registerResultsCommands(
  view: ResultsView,
  inspect: (target: InspectParams) => Promise<void>,
): vscode.Disposable {
  const copy = async (node: Node | undefined) => vscode.env.clipboard.writeText(await view.textOf(node));
  const register = (command: string, run: (node?: Node) => unknown) =>
    registerCommand(command, given => run(given as Node | undefined));
  return vscode.Disposable.from(
    register(COMMANDS.refresh, () => view.refresh()),
    register(COMMANDS.clear, () => view.clear()),
    register(COMMANDS.loadMore, node => view.loadMore(node?.kind === 'more' ? node.file : undefined)),
    register(COMMANDS.next, () => view.go(1)),
    register(COMMANDS.previous, () => view.go(-1)),
    register(COMMANDS.open, async node => {
      if (node?.kind === 'match') await view.open(node);
    }),
    register(COMMANDS.copyAll, () => copy(undefined)),
    register(COMMANDS.copy, node => copy(node ?? view.selected)),
    register(COMMANDS.remove, node => {
      const row = node ?? view.selected;
      if (row) view.remove(row);
    }),
    register(COMMANDS.inspect, async node => {
      const row = node ?? view.selected;
      const target = row?.kind === 'match' ? view.targetOf(row) : undefined;
      if (target) await view.whileKept(() => inspect(target));
    }),
  );
}
