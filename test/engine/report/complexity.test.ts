import { describe, expect, it } from 'vitest';
import { countParallelTags, readComplexity } from '../../../src/engine/report/index.js';

describe('the complexity of a story', () => {
  it.each([
    ['S', 'S'],
    ['m', 'M'],
    [' L\n', 'L'],
    ['XL', null],
    ['small', null],
    ['', null],
    [undefined, null],
    [null, null],
    [1, null],
    [['S'], null],
  ])('%j is read as %j', (given, expected) => {
    expect(readComplexity(given)).toBe(expected);
  });
});

describe('[P] tags in the text and tasks of a story', () => {
  it.each<[string, readonly string[], unknown, number]>([
    ['nowhere', ['a', 'b'], undefined, 0],
    ['several in one text', ['[P] a [P][P]'], undefined, 3],
    ['in several texts', ['[P] a', 'b', '[P] c'], undefined, 2],
    ['in tasks', ['a'], ['[P] b', 'c [P]'], 2],
    ['in tasks that are no texts', ['[P]'], [{ title: '[P]' }, 7, null, ['[P]']], 1],
    ['in tasks that are no list', ['[P]'], '[P]', 1],
    ['another mark', ['[p] P (P) [ P ] [P'], null, 0],
  ])('are counted: %s', (_title, texts, tasks, count) => {
    expect(countParallelTags(texts, tasks)).toBe(count);
  });
});
