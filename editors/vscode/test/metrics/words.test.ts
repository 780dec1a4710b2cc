import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetricsResult } from '../../src/common/protocol';
import { cardText, cardTooltip } from '../../src/metrics/words';

function result(signal: number, normal: number, searches = 1): MetricsResult {
  return {
    active: true,
    searches,
    signal: { tokens: signal, bytes: signal * 4 },
    normal: { tokens: normal, bytes: normal * 4 },
    deltaTokens: normal - signal,
    deltaPercent: 0,
    text: 'The sentence of the server.',
  };
}

test('the card has few digits', () => {
  assert.equal(cardText(result(234, 12_580)), '12.3K tokens saved');
  assert.equal(cardText(result(1, 1000)), '999 tokens saved');
  assert.equal(cardText(result(1, 2_500_001)), '2.5M tokens saved');
});

test('longer answers are shown as that', () => {
  assert.equal(cardText(result(1500, 300)), '1.2K tokens more');
  assert.match(cardTooltip(result(1500, 300)), /\| saved \| -1,200 \| -4,800 \|$/);
});

test('before the first search there are no figures', () => {
  assert.equal(cardText(result(0, 0, 0)), 'nothing counted yet');
  assert.equal(cardTooltip(result(0, 0, 0)), 'The sentence of the server.');
});

test('the tooltip has the sentence of the server and exact figures', () => {
  assert.deepEqual(cardTooltip(result(1234, 5000)).split('\n'), [
    'The sentence of the server.',
    '',
    '| | tokens | bytes |',
    '|---|--:|--:|',
    '| Signal Grep | 1,234 | 4,936 |',
    '| usual grep tool | 5,000 | 20,000 |',
    '| saved | 3,766 | 15,064 |',
  ]);
});
