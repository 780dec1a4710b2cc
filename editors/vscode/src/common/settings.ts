/** The settings of this extension, read when they are used. */

import * as vscode from 'vscode';
import { EXTENSION, SERVER_SETTINGS } from './constants';

export interface ProgramPaths {
  server?: string;
  python?: string;
  rg?: string;
  ctags?: string;
}

/** Paths of programs. Their scope is `machine`: a workspace cannot choose what is run. */
export function programPaths(): ProgramPaths {
  const section = vscode.workspace.getConfiguration(EXTENSION);
  const paths: ProgramPaths = {};
  for (const program of ['server', 'python', 'rg', 'ctags'] as const) {
    const path = section.get<string>(`${program}Path`, '').trim();
    if (path) paths[program] = path;
  }
  return paths;
}

/** The part of a section that is the server's: it gives notice of every name that it does not know. */
export function forServer(section: unknown): Record<string, unknown> {
  if (typeof section !== 'object' || section === null) return {};
  return Object.fromEntries(Object.entries(section).filter(([name]) => SERVER_SETTINGS.some(known => known === name)));
}
