/** Rows of the results view as VS Code draws them. */

import * as vscode from 'vscode';
import { COMMANDS } from '../common/constants';
import { labelOf } from '../search/labels';
import type { FileNode, MatchNode, MoreNode, Node } from './model';

export function itemFor(node: Node, isExpanded: boolean): vscode.TreeItem {
  switch (node.kind) {
    case 'file':
      return fileItem(node, isExpanded);
    case 'match':
      return matchItem(node);
    case 'more':
      return moreItem(node);
  }
}

function fileItem({ row }: FileNode, isExpanded: boolean): vscode.TreeItem {
  const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(vscode.Uri.parse(row.uri), row.retained === 0 ? None : isExpanded ? Expanded : Collapsed);
  const slash = row.path.lastIndexOf('/');
  const notes = [`${row.matches}`];
  if (row.unsaved) notes.push(vscode.l10n.t('unsaved'));
  if (!row.verified) notes.push(vscode.l10n.t('not verified'));
  if (row.retained < row.matches) notes.push(vscode.l10n.t('{0} kept', row.retained));
  if (slash > 0) notes.push(row.path.slice(0, slash));
  item.label = row.path.slice(slash + 1);
  item.description = notes.join(' · ');
  item.tooltip = row.path;
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = 'file';
  return item;
}

function matchItem(node: MatchNode): vscode.TreeItem {
  const { match } = node;
  const { text, marks } = labelOf(match);
  const item = new vscode.TreeItem({ label: text, highlights: marks });
  item.description = vscode.l10n.t('line {0}', match.line);
  item.tooltip = `${match.path}:${match.line}\n${match.text}`;
  item.contextValue = 'match';
  item.command = { command: COMMANDS.open, title: vscode.l10n.t('Open'), arguments: [node] };
  return item;
}

function moreItem(node: MoreNode): vscode.TreeItem {
  const left = node.left.toLocaleString('en-US');
  const label = node.file ? vscode.l10n.t('Load more ({0} lines left)', left) : vscode.l10n.t('Load more ({0} files left)', left);
  const item = new vscode.TreeItem(label);
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.contextValue = 'more';
  item.command = { command: COMMANDS.loadMore, title: label, arguments: [node] };
  return item;
}
