import { describe, expect, it } from 'vitest';
import { parseStories } from '../../../src/engine/report/index.js';

describe('a reported story list', () => {
  const story = { id: 'US-001', title: 'Cart', description: 'A cart.', acceptanceCriteria: ['adds'] };
  const plain = { complexity: null, parallelTags: 0, priority: null };
  const read = (...stories: unknown[]) => parseStories(JSON.stringify(stories), 3);

  it('accepts both spellings of dependencies and criteria', () => {
    const read3 = read(
      story,
      { ...story, id: 'US-002', depends_on: ['US-001'] },
      { ...story, acceptanceCriteria: undefined, acceptance_criteria: ['adds'], id: 'US-003', dependsOn: ['US-002'] },
    );
    expect(read3).toEqual({
      ok: true,
      stories: [
        { ...story, ...plain, dependsOn: [] },
        { ...story, ...plain, id: 'US-002', dependsOn: ['US-001'] },
        { ...story, ...plain, id: 'US-003', dependsOn: ['US-002'] },
      ],
    });
  });

  it('may list a story before its dependency, and trims ids', () => {
    const result = read({ ...story, id: ' US-002 ', depends_on: [' US-001 '] }, story);
    expect(result).toMatchObject({ ok: true, stories: [{ id: 'US-002', dependsOn: ['US-001'] }, { id: 'US-001' }] });
  });

  it.each<[string, object, object]>([
    ['a complexity', { complexity: 'L' }, { complexity: 'L' }],
    ['a complexity in small letters', { complexity: ' m ' }, { complexity: 'M' }],
    ['an unknown complexity', { complexity: 'huge' }, { complexity: null }],
    ['a priority', { priority: 2 }, { priority: 2 }],
    ['the priority 0', { priority: 0 }, { priority: 0 }],
    ['a priority as text', { priority: '2' }, { priority: null }],
    [
      'marked pieces',
      { description: '[P] a [P]', acceptanceCriteria: ['b', '[P] c'], tasks: ['[P] d', 'e'] },
      { parallelTags: 4 },
    ],
  ])('may come with %s', (_title, given, expected) => {
    expect(read({ ...story, ...given })).toMatchObject({ ok: true, stories: [{ ...plain, ...expected }] });
  });

  it('drops an infinite priority', () => {
    const text = JSON.stringify([{ ...story, priority: 0 }]).replace('"priority":0', '"priority":1e999');
    expect(parseStories(text, 3)).toMatchObject({ ok: true, stories: [{ priority: null }] });
  });

  it.each<[string, unknown[], RegExp]>([
    ['no object', ['x'], /story 1 must be an object/],
    ['null', [null], /story 1 must be an object/],
    ['a list', [[]], /story 1 must be an object/],
    ['no id', [{ ...story, id: 7 }], /story 1 needs a string "id"/],
    ['a blank id', [{ ...story, id: ' ' }], /needs a string "id"/],
    ['no title', [{ ...story, title: undefined }], /story 1 \(US-001\) needs a string "title"/],
    ['a blank title', [{ ...story, title: '' }], /needs a string "title"/],
    ['no description', [{ ...story, description: null }], /needs a string "description"/],
    ['a path for an id', [{ ...story, id: '../../x' }], /needs an "id" of at most 60 letters/],
    ['an id without end', [{ ...story, id: 'a'.repeat(61) }], /needs an "id" of at most 60 letters/],
    ['an endless description', [{ ...story, description: 'x'.repeat(30_000) }], /needs a string "description"/],
    ['no criteria', [{ ...story, acceptanceCriteria: [] }], /non-empty array of strings/],
    ['a criterion that is a number', [{ ...story, acceptanceCriteria: [1] }], /non-empty array of strings/],
    ['criteria as text', [{ ...story, acceptanceCriteria: 'x' }], /non-empty array of strings/],
    ['dependencies as text', [{ ...story, dependsOn: 'US-002' }], /"depends_on" that is no array/],
    ['a dependency on itself', [{ ...story, dependsOn: ['US-001'] }], /depends on itself/],
    ['a dependency on itself with a blank', [{ ...story, id: 'US-001 ', dependsOn: [' US-001'] }], /depends on itself/],
    [
      'a dependency on a missing story',
      [story, { ...story, id: 'US-002', depends_on: ['US-001', 'US-009'] }],
      /^STORIES_JSON: "US-002" depends on "US-009", which is not among the stories$/,
    ],
    [
      'a way round',
      [
        { ...story, depends_on: ['US-002'] },
        { ...story, id: 'US-002', dependsOn: ['US-003'] },
        { ...story, id: 'US-003', dependsOn: ['US-001 '] },
      ],
      /^STORIES_JSON: stories wait for each other: US-001 → US-002 → US-003 → US-001$/,
    ],
    [
      'ids without end that wait for each other',
      [
        { ...story, id: 'a'.repeat(60), depends_on: ['b'] },
        { ...story, id: 'b', depends_on: ['a'.repeat(60)] },
      ],
      /: a{40} → b → a{40}$/,
    ],
    ['the same id twice', [story, story], /two stories have the id "US-001"/],
    ['too many', [story, story, story, story], /has 4 stories; at most 3/],
  ])('with %s is refused as a whole', (_title, stories, error) => {
    expect(read(...stories)).toEqual({ ok: false, error: expect.stringMatching(error) });
  });

  it.each([
    ['no JSON', '[{', /not valid JSON/],
    ['no array', '{}', /must be an array/],
  ])('with %s is refused', (_title, text, error) => {
    expect(parseStories(text, 3)).toEqual({ ok: false, error: expect.stringMatching(error) });
  });
});
