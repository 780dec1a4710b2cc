// Builds the server's wheel from this checkout into wheels/, for the extension to install from.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const extension = path.dirname(import.meta.dirname);
const wheels = path.join(extension, 'wheels');
const python = process.env.PYTHON ?? 'python3';

fs.rmSync(wheels, { recursive: true, force: true });
execFileSync(
  python,
  ['-m', 'pip', '--disable-pip-version-check', 'wheel', '--quiet', '--no-deps', '--wheel-dir', wheels, path.join(extension, '../..')],
  { stdio: 'inherit' },
);
