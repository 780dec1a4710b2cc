/** The Python environment that this extension installs its bundled server into. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { onPath } from './find';

const run = promisify(execFile);

/** Written last: an environment without it was not finished. */
const STAMP = 'ready';
const NAME = /^server-[0-9a-f]{12}$/;

export type Report = (step: 'environment' | 'packages') => void;

/** No interpreter that the server could be installed with. */
export class PythonMissing extends Error {}

export class ServerEnvironment {
  /** `storage` belongs to this extension alone; `wheels` holds the wheel, or nothing in a checkout. */
  constructor(
    private readonly storage: string,
    private readonly wheels: string,
  ) {}

  /** The interpreter of the finished environment for the bundled wheel, if there is one. */
  async interpreter(): Promise<string | undefined> {
    const folder = await this.folder();
    if (folder === undefined || !(await exists(path.join(folder, STAMP)))) return undefined;
    return interpreterIn(folder);
  }

  async canBeMade(): Promise<boolean> {
    return (await this.wheel()) !== undefined;
  }

  /**
   * Makes the environment anew, and removes those of former wheels. An aborted one is made again next time.
   * Throws PythonMissing, an AbortError, or the failure of venv or pip with its own words.
   */
  async make(python: string, signal: AbortSignal, report: Report): Promise<void> {
    const [folder, wheel] = [await this.folder(), await this.wheel()];
    if (folder === undefined || wheel === undefined) throw new Error('this build of the extension brings no server');
    await fs.rm(folder, { recursive: true, force: true });
    await fs.mkdir(this.storage, { recursive: true });
    report('environment');
    await run(python, ['-I', '-m', 'venv', folder], { signal, cwd: this.storage });
    report('packages');
    const pip = ['-I', '-m', 'pip', '--disable-pip-version-check', '--no-input', 'install', '--quiet', wheel];
    await run(interpreterIn(folder), pip, { signal, cwd: this.storage });
    await fs.writeFile(path.join(folder, STAMP), '');
    await this.removeFormer(path.basename(folder));
  }

  private async removeFormer(current: string): Promise<void> {
    const names = await fs.readdir(this.storage);
    const former = names.filter(name => NAME.test(name) && name !== current);
    await Promise.all(former.map(name => fs.rm(path.join(this.storage, name), { recursive: true, force: true })));
  }

  /** Named by the wheel's content, so that another wheel gets another environment. */
  private async folder(): Promise<string | undefined> {
    const wheel = await this.wheel();
    if (wheel === undefined) return undefined;
    const digest = createHash('sha256').update(await fs.readFile(wheel)).digest('hex');
    return path.join(this.storage, `server-${digest.slice(0, 12)}`);
  }

  private async wheel(): Promise<string | undefined> {
    if (!(await exists(this.wheels))) return undefined;
    const name = (await fs.readdir(this.wheels)).find(file => file.endsWith('.whl'));
    return name === undefined ? undefined : path.join(this.wheels, name);
  }
}

/** An interpreter that is new enough. Throws PythonMissing. */
export async function findPython(
  named: string | undefined,
  searchPath: string,
  outside: readonly string[],
): Promise<string> {
  const found = named === undefined ? ['python3', 'python'].map(name => onPath([name], searchPath, outside)) : [named];
  for (const python of found) {
    if (python !== undefined && (await isNewEnough(python))) return python;
  }
  throw new PythonMissing();
}

async function isNewEnough(python: string): Promise<boolean> {
  try {
    await run(python, ['-I', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))']);
    return true;
  } catch {
    return false; // not there, too old, or Debian's python3 without python3-venv
  }
}

function interpreterIn(folder: string): string {
  return process.platform === 'win32' ? path.join(folder, 'Scripts', 'python.exe') : path.join(folder, 'bin', 'python');
}

async function exists(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  );
}
