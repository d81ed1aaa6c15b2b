import { describe, expect, it } from 'vitest';
import { readPrd } from '../../src/bot/prd.js';

const story = (id: string, more: object = {}) => ({ id, title: `Title ${id}`, ...more });
const keysOf = (data: unknown) => readPrd(data).map((item) => item.key);

describe('a file of stories', () => {
  it.each([
    ['an array', [story('US-1')]],
    ['an object that holds one', { branchName: 'x', userStories: [story('US-1')] }],
  ])('may be %s, and what a story does not say is empty', (_title, data) => {
    const empty = { description: '', criteria: [], dependsOn: [], complexity: null, parallelTags: 0, priority: null };
    expect(readPrd(data)).toEqual([{ key: 'US-1', title: 'Title US-1', ...empty }]);
  });

  it('is taken over with everything that a story says', () => {
    const more = { description: 'A [P] b', depends_on: ['US-1'], complexity: 'l', priority: 7, tasks: ['[P] c', 'd'] };
    const [, item] = readPrd([story('US-1'), story('US-2', { ...more, acceptanceCriteria: ['[P] e'] })]);
    expect(item).toEqual({
      key: 'US-2',
      title: 'Title US-2',
      description: 'A [P] b',
      criteria: ['[P] e'],
      dependsOn: ['US-1'],
      complexity: 'L',
      parallelTags: 3,
      priority: 7,
    });
  });

  it('may spell its keys in two ways', () => {
    const items = readPrd([story('a'), story('b', { acceptance_criteria: ['x'], dependsOn: ['a'] })]);
    expect(items[1]).toMatchObject({ criteria: ['x'], dependsOn: ['a'] });
  });

  it('takes an unknown complexity for none', () => {
    expect(readPrd([story('a', { complexity: 'huge' })])[0]?.complexity).toBeNull();
  });

  it('is sorted by priority, and by place where that is the same', () => {
    expect(keysOf([story('a', { priority: 2 }), story('b', { priority: 1 }), story('c', { priority: 1 })])).toEqual([
      'b',
      'c',
      'a',
    ]);
  });

  it('leaves out what passes already, and nobody waits for that', () => {
    const items = readPrd([story('a', { passes: true }), story('b', { depends_on: ['a'] })]);
    expect(items).toMatchObject([{ key: 'b', dependsOn: [] }]);
  });

  it.each<[string, unknown, RegExp]>([
    ['no list', 'text', /The stories cannot be taken/],
    ['an empty list', [], /it names no story/],
    ['a story without a title', [story('a'), { id: 'b' }], /: 1\.title: /],
    ['a story in an object without a title', { userStories: [{ id: 'b' }] }, /: userStories\.0\.title: /],
    ['an object without stories', { stories: [] }, /: userStories: /],
    ['an id with a blank', [story('a b')], /an id is made of letters/],
    ['the same id twice', [story('a'), story('a')], /two stories have the id a/],
    ['a story that waits for nobody there', [story('a', { depends_on: ['x'] })], /a depends on x, which is not there/],
    [
      'stories that wait for each other',
      [story('US-1', { depends_on: ['US-2'] }), story('US-2', { depends_on: ['US-1'] })],
      /stories wait for each other: US-1 → US-2 → US-1/,
    ],
    ['only stories that pass', [story('a', { passes: true })], /every story in it passes already/],
  ])('is refused with %s', (_title, data, error) => {
    expect(() => readPrd(data)).toThrow(error);
  });
});
