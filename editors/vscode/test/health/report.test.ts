import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Health } from '../../src/common/protocol';
import { healthReport } from '../../src/health/report';

const HEALTH: Health = {
  server: '1.0',
  python: '3.12.1',
  platform: 'Linux',
  rg: { path: '/bin/rg', found: 'package', version: '15.2.0' },
  ctags: {},
  positionEncoding: 'utf-16',
  folders: [{ name: 'work', uri: 'file:///work', path: '/work' }],
  snapshots: [{ id: 's1', bytes: 1_572_864, rows: 12, ageSeconds: 3.7 }],
  snapshotsBytes: 1_572_864,
  processes: [],
  problems: [{ code: 'ctags-missing', message: 'ctags was not found', hint: 'Install it.' }],
};

test('problems come first, each with its remedy', () => {
  const report = healthReport(HEALTH);
  assert.ok(report.indexOf('**ctags was not found.** Install it.') < report.indexOf('ripgrep'));
});

test('programs, folders and snapshots are told in lines to read', () => {
  const lines = healthReport(HEALTH).split('\n');
  for (const line of ['- ripgrep: 15.2.0, /bin/rg', '- Universal Ctags: not in use', '- work: /work', '- s1: 12 rows, 1.5 MiB, unused for 4 s']) {
    assert.ok(lines.includes(line), line);
  }
});

test('without problems everything is said to work', () => {
  assert.match(healthReport({ ...HEALTH, problems: [] }), /Everything works\./);
});
