/** Which server is run: the one that was named, the one this extension installed, or the one on PATH. */

import * as fs from 'node:fs';
import * as path from 'node:path';

export interface Launch {
  command: string;
  args: string[];
  found: 'setting' | 'environment' | 'path';
}

export interface Places {
  /** As named in the settings; used as named, or an error. */
  setting: string | undefined;
  /** The interpreter of the installed environment, if it is there. */
  environment: string | undefined;
  /** The environment variable PATH. */
  path: string;
  /** Folders whose programs are not to be trusted. */
  outside: readonly string[];
}

/** A server was named and is not there. */
export class ServerNotThere extends Error {
  constructor(readonly path: string) {
    super(path);
  }
}

/** The server to run, or undefined when there is none. Throws ServerNotThere. */
export function findServer(places: Places): Launch | undefined {
  if (places.setting !== undefined) {
    if (!isProgram(places.setting)) throw new ServerNotThere(places.setting);
    return { command: places.setting, args: [], found: 'setting' };
  }
  if (places.environment !== undefined) {
    // Isolated: the working folder is the workspace, and `-m` would look for modules there first.
    return { command: places.environment, args: ['-I', '-m', 'sg_server'], found: 'environment' };
  }
  const command = onPath(['sg-server'], places.path, places.outside);
  return command === undefined ? undefined : { command, args: [], found: 'path' };
}

/** The first of `names` on `searchPath`, leaving out relative entries and those inside `outside`. */
export function onPath(names: readonly string[], searchPath: string, outside: readonly string[]): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe'] : [''];
  for (const name of names) {
    for (const folder of searchPath.split(path.delimiter)) {
      if (!path.isAbsolute(folder) || outside.some(root => isInside(folder, root))) continue;
      const found = endings.map(ending => path.join(folder, name + ending)).find(isProgram);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function isInside(folder: string, root: string): boolean {
  const below = path.relative(real(root), real(folder));
  return below === '' || (!below.startsWith('..') && !path.isAbsolute(below));
}

function real(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return path.resolve(folder); // not there, so nothing is found in it either
  }
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
