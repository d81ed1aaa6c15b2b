import { describe, expect, it } from 'vitest';
import { keysBesideStories, readPrd, unusedKeys } from '../../../src/dispatch/takeover/read-prd.js';

const story = (id: string, more: object = {}) => ({ id, title: `Title ${id}`, ...more });
const keysOf = (data: unknown) => readPrd(data).map((item) => item.key);

describe('an imported story file', () => {
  it.each([
    ['an array', [story('US-1')]],
    ['an object that holds one', { branchName: 'x', userStories: [story('US-1')] }],
  ])('may be %s, and missing fields of a story are empty', (_title, data) => {
    const empty = { description: '', criteria: [], dependsOn: [], complexity: null, parallelTags: 0, priority: null };
    expect(readPrd(data)).toEqual([{ key: 'US-1', title: 'Title US-1', ...empty }]);
  });

  it('is imported with every field of a story', () => {
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
      extra: { complexity: 'l', tasks: ['[P] c', 'd'] },
    });
  });

  it('may spell its keys in snake_case or camelCase', () => {
    const items = readPrd([story('a'), story('b', { acceptance_criteria: ['x'], dependsOn: ['a'] })]);
    expect(items[1]).toMatchObject({ criteria: ['x'], dependsOn: ['a'] });
  });

  it('treats an unknown complexity as none', () => {
    expect(readPrd([story('a', { complexity: 'huge' })])[0]?.complexity).toBeNull();
  });

  it('is sorted by priority, then by position', () => {
    expect(keysOf([story('a', { priority: 2 }), story('b', { priority: 1 }), story('c', { priority: 1 })])).toEqual([
      'b',
      'c',
      'a',
    ]);
  });

  it('marks stories that pass as done, and keeps dependencies on them', () => {
    const items = readPrd([story('a', { passes: true, depends_on: ['gone'] }), story('b', { depends_on: ['a'] })]);
    expect(items).toMatchObject([
      { key: 'a', isDone: true },
      { key: 'b', dependsOn: ['a'] },
    ]);
    expect(items[1]).not.toHaveProperty('isDone');
  });

  it('keeps notes and unknown keys, those of stories and those beside them', () => {
    const userStories = [story('a', { notes: ['use T', 'not U'], owner: 'ada', tasks: ['x'] })];
    expect(readPrd({ userStories })[0]).toMatchObject({ notes: 'use T\nnot U', extra: { owner: 'ada', tasks: ['x'] } });
    const beside = { project: 'Shop', branchName: 'ralph/shop' };
    expect(keysBesideStories({ ...beside, userStories })).toEqual(beside);
    expect(keysBesideStories(userStories)).toBeNull();
  });

  it('drops unknown keys above the size limit, and names their story', () => {
    const data = [story('a', { blob: 'x'.repeat(30_000) }), story('b')];
    expect(readPrd(data)[0]).not.toHaveProperty('extra');
    expect(unusedKeys(data)[0]).toBe('Too large for the export (over 20000 characters): other keys of a');
  });

  it.each<[string, unknown, RegExp]>([
    ['no list', 'text', /Cannot read the stories/],
    ['an empty list', [], /it contains no stories/],
    ['a story without a title', [story('a'), { id: 'b' }], /: 1\.title: /],
    ['a story in an object without a title', { userStories: [{ id: 'b' }] }, /: userStories\.0\.title: /],
    ['an object without stories', { stories: [] }, /: userStories: /],
    ['an id with a blank', [story('a b')], /an id is made of letters/],
    ['the same id twice', [story('a'), story('a')], /two stories have the id a/],
    [
      'a story that waits for a missing one',
      [story('a', { depends_on: ['x'] })],
      /a depends on x, which does not exist/,
    ],
    [
      'stories that wait for each other',
      [story('US-1', { depends_on: ['US-2'] }), story('US-2', { depends_on: ['US-1'] })],
      /stories depend on each other in a circle: US-1 → US-2 → US-1/,
    ],
    ['only stories that pass', [story('a', { passes: true })], /every story in it already passes/],
  ])('is rejected with %s', (_title, data, error) => {
    expect(() => readPrd(data)).toThrow(error);
  });

  it.each<[string, object, readonly string[]]>([
    ['known keys', { depends_on: [], acceptance_criteria: [], priority: 1, passes: false }, []],
    ['another word', { dependencies: [] }, ['Not read: "dependencies" of a, b; did you mean "depends_on"?']],
    ['a misspelt key', { depend_on: [] }, ['Not read: "depend_on" of a, b; did you mean "depends_on"?']],
    ['a key of another tool', { owner: '' }, ['Not read: "owner" of a, b']],
    ['the name of a method', { toString: 1 }, ['Not read: "toString" of a, b']],
  ])('is accepted with %s, and each unused key is reported with its stories', (_title, more, said) => {
    const data = [story('a', more), story('b', more)];
    expect(readPrd(data)).toHaveLength(2);
    expect(unusedKeys(data)).toEqual(said);
    expect(unusedKeys({ userStories: data, branchName: 'x' })).toEqual(said);
  });

  it('reports the first unused keys, and counts the rest', () => {
    const keys = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`x${at}-another`, 1]));
    const stories = Array.from({ length: 7 }, (_, at) => story(`s${at}`, keys));
    expect(unusedKeys(stories)).toHaveLength(11);
    expect(unusedKeys(stories)[0]).toBe('Not read: "x0-another" of s0, s1, s2, s3, s4 and 2 more');
    expect(unusedKeys(stories).at(-1)).toBe('Not read: 2 more keys');
  });
});
