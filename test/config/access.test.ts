import { describe, expect, it } from 'vitest';
import {
  type Action,
  loadConfig,
  localPerson,
  mayDo,
  permit,
  personWith,
  type Role,
  roleOf,
} from '../../src/config/index.js';
import { failureOf, newHome } from './given.js';

const roles: readonly Role[] = ['viewer', 'reviewer', 'operator', 'owner'];

const table: readonly (readonly [Action, string])[] = [
  ['read', 'viewer reviewer operator owner'],
  ['answer', 'reviewer operator owner'],
  ['start', 'operator owner'],
  ['continue', 'operator owner'],
  ['retry', 'operator owner'],
  ['skip', 'operator owner'],
  ['stop', 'operator owner'],
  ['abort', 'operator owner'],
  ['rollback', 'operator owner'],
  ['grant', 'operator owner'],
  ['budget', 'owner'],
  ['members', 'owner'],
  ['configure', 'owner'],
];

describe('permissions', () => {
  it.each(table)('allow %s to %s', (action, who) => {
    expect(roles.filter((role) => mayDo(role, action)).join(' ')).toBe(who);
    expect(mayDo(null, action)).toBe(false);
  });

  const config = () =>
    loadConfig(
      newHome(`projects:
  shop: { root: /a, aliases: [A], members: { ada: owner, bob: reviewer } }
  blog: { root: /b, members: { bob: viewer } }
people: { ada: { telegram: 1000, slack: U01ADA } }
`),
      {},
    );

  it('depend on the project, by name or alias', () => {
    const [bob, ada] = ['bob', 'ada'].map((name) => localPerson(config(), name));
    if (bob === undefined || ada === undefined) throw new Error('nobody');
    expect(['shop', 'a', 'blog', 'none'].map((project) => roleOf(config(), project, bob))).toEqual([
      'reviewer',
      'reviewer',
      'viewer',
      null,
    ]);
    expect(roleOf(config(), 'blog', ada)).toBeNull();
    expect(roleOf(config(), 'blog', { kind: 'person', name: 'constructor' })).toBeNull();
  });

  it('allow everything to the owner of the home', () => {
    const me = localPerson(config(), null);
    expect(me).toEqual({ kind: 'home-owner' });
    expect(table.every(([action]) => permit(config(), 'blog', me, action).kind === 'allowed')).toBe(true);
  });

  it('refuse an unknown name', () => {
    expect(failureOf(() => localPerson(config(), 'bbo'))).toMatchObject({
      code: 'not_allowed',
      message: 'No person is named "bbo"; did you mean "bob"?',
    });
  });

  it('give the reason of a refusal', () => {
    const bob = localPerson(config(), 'bob');
    expect(permit(config(), 'A', bob, 'answer')).toEqual({ kind: 'allowed' });
    expect(permit(config(), 'A', bob, 'start')).toEqual({
      kind: 'refused',
      reason: 'bob is reviewer in shop, and this needs the role operator',
    });
    expect(permit(config(), 'blog', localPerson(config(), 'ada'), 'read')).toEqual({
      kind: 'refused',
      reason: 'ada is not a member of blog',
    });
    expect(permit(config(), 'none', bob, 'read')).toEqual({ kind: 'refused', reason: 'there is no project "none"' });
  });

  it('find people by their platform ids, and no strangers', () => {
    expect(personWith(config(), 'telegram', 1000)).toEqual({ kind: 'person', name: 'ada' });
    expect(personWith(config(), 'slack', 'U01ADA')).toEqual({ kind: 'person', name: 'ada' });
    expect(personWith(config(), 'telegram', 1001)).toBeNull();
  });
});
