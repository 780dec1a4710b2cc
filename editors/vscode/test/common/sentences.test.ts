import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentences } from '../../src/common/sentences';

test('what is said one after another ends in full stops, each once', () => {
  assert.equal(sentences('no folder is open', 'Open one.'), 'no folder is open. Open one.');
  assert.equal(sentences('Really?', undefined, ''), 'Really?');
});

test('a Chinese sentence ends in a Chinese full stop, whatever it quotes', () => {
  assert.equal(sentences('没有打开的文件夹：no folder is open', '请打开一个文件夹。'), '没有打开的文件夹：no folder is open。 请打开一个文件夹。');
});
