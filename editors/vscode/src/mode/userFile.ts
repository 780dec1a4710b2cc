/** The file that keeps a person's choices for all editors. The server judges it; here is only decided whether to ask. */

import * as fs from 'node:fs/promises';
import * as path from 'node:path';

/** What says where the file is, as docs/modes.md has it. */
export interface Machine {
  environment: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  /** The person's home folder. */
  home: string;
}

export function userFile({ environment, platform, home }: Machine): string {
  if (environment.SG_CONFIG) return path.resolve(environment.SG_CONFIG);
  return path.join(configurations(environment, platform, home), 'signal-grep', 'signal-grep.json');
}

function configurations(environment: Machine['environment'], platform: NodeJS.Platform, home: string): string {
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  if (platform === 'win32') return environment.LOCALAPPDATA ?? path.join(home, 'AppData', 'Local');
  return environment.XDG_CONFIG_HOME?.trim() ? environment.XDG_CONFIG_HOME : path.join(home, '.config');
}

/** The text of `file`; undefined where there is none, and empty where it cannot be read. */
export async function readUserFile(file: string): Promise<string | undefined> {
  try {
    return await fs.readFile(file, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
  }
}

/** Whether the server has to be asked: an override was chosen, or something is wrong that the server puts into words. */
export function mayOverride(text: string | undefined): boolean {
  if (text === undefined) return false;
  try {
    return (JSON.parse(text) as { overrideBuiltinGrep?: unknown } | null)?.overrideBuiltinGrep !== false;
  } catch {
    return true;
  }
}
