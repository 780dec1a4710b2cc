// Bundles the extension into dist/extension.js, or with --tests each unit test into dist/test/.
import { build } from 'esbuild';
import fs from 'node:fs';

const common = { bundle: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'warning' };

if (process.argv.includes('--tests')) {
  fs.rmSync('dist/test', { recursive: true, force: true });
  await build({
    ...common,
    entryPoints: testsIn('test'),
    outdir: 'dist/test',
    packages: 'external',
    sourcemap: 'inline',
    alias: { vscode: './test/vscode.ts' },
  });
} else {
  await build({
    ...common,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    external: ['vscode'],
    minify: true,
  });
}

function testsIn(folder) {
  return fs.readdirSync(folder, { recursive: true }).filter(name => name.endsWith('.test.ts')).map(name => `${folder}/${name}`);
}
