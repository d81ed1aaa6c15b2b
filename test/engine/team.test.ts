import { describe, expect, it } from 'vitest';
import { dispatchMode, teamTurns } from '../../src/engine/attempts/team-turns.js';
import type { Team } from '../../src/engine/workflow/definition.js';

const mode: Team['mode'] = { S: 'single', M: 'auto', L: 'team' };

function givenTeam(writes: Readonly<Record<string, readonly string[]>>): Team {
  const roles = Object.entries(writes).map(([role, globs]) => [role, { reads: [], writes: globs, prompt: null }]);
  return { mode, roles: Object.fromEntries(roles) };
}

describe('the dispatch mode of a story', () => {
  it.each([
    ['S', 5, 'single'],
    ['M', 0, 'single'],
    ['M', 1, 'single'],
    ['M', 2, 'team'],
    ['L', 0, 'team'],
    [null, 5, 'single'],
  ] as const)('of complexity %j with %i [P] tags is %s', (complexity, parallelTags, expected) => {
    expect(dispatchMode(givenTeam({}), { complexity, parallelTags })).toBe(expected);
  });

  it("follows the workflow's own mode for its size", () => {
    const team: Team = { ...givenTeam({}), mode: { S: 'auto', M: 'team', L: 'single' } };
    expect(dispatchMode(team, { complexity: 'S', parallelTags: 2 })).toBe('team');
    expect(dispatchMode(team, { complexity: 'L', parallelTags: 2 })).toBe('single');
  });
});

describe('the dispatch mode of a step without a known size', () => {
  it.each(['single', 'team'] as const)('is %s when the workflow says so for every size', (always) => {
    const team: Team = { ...givenTeam({}), mode: { S: always, M: always, L: always } };
    expect(dispatchMode(team, { complexity: null, parallelTags: 0 })).toBe(always);
  });

  it('follows the [P] tags when the workflow says auto for every size', () => {
    const team: Team = { ...givenTeam({}), mode: { S: 'auto', M: 'auto', L: 'auto' } };
    expect(dispatchMode(team, { complexity: null, parallelTags: 1 })).toBe('single');
    expect(dispatchMode(team, { complexity: null, parallelTags: 2 })).toBe('team');
  });
});

describe('the turns of team members', () => {
  it.each<[string, Readonly<Record<string, readonly string[]>>, readonly (readonly [string, number])[]]>([
    ['no members', {}, []],
    [
      'work side by side where the more specific pattern tells whose a file is',
      { backend: ['*.go'], frontend: ['*.ts'], test: ['*_test.go', '*.spec.ts'], verify: [] },
      [
        ['backend', 0],
        ['frontend', 0],
        ['test', 0],
        ['verify', 0],
      ],
    ],
    [
      'take turns, as declared, where they write the same files',
      { one: ['src/**'], other: ['docs/**'], two: ['src/**', 'docs/**'], three: ['docs/**'] },
      [
        ['one', 0],
        ['other', 0],
        ['two', 1],
        ['three', 2],
      ],
    ],
  ])('%s', (_what, writes, turns) => {
    expect(teamTurns(givenTeam(writes))).toEqual(turns.map(([role, turn]) => ({ role, turn })));
  });
});
