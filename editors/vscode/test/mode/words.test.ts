import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modeInWords } from '../../src/mode/words';

test('a mode says whose key Find in Files is', () => {
  assert.match(modeInWords({ configured: 'override', effective: 'override' }), /on.*Signal Grep/);
  assert.match(modeInWords({ configured: 'additive', effective: 'additive' }), /off.*VS Code's own/);
});

test('an override that is not in force says why', () => {
  const reason = 'Other Search is installed';
  assert.match(modeInWords({ configured: 'override', effective: 'additive', reason }), /not in force.*: Other Search is installed\.$/);
});
