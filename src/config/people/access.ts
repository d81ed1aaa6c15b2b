import { BosunError } from '../../base/index.js';
import { didYouMean } from '../../engine/index.js';
import type { PlatformId } from '../channel-kinds.js';
import { type Config, type ProjectConfig, projectNamed, type Role } from '../config.js';
import { type Action, leastRoleFor, mayDo } from './rights.js';

/** The home's owner may do everything. */
export type Who = { readonly kind: 'home-owner' } | { readonly kind: 'person'; readonly name: string };

export type Permit = { readonly kind: 'allowed' } | { readonly kind: 'refused'; readonly reason: string };

/** Security: an unknown `--as` is an error, never the owner. */
export function localPerson(config: Config, as: string | null): Who {
  if (as === null) return { kind: 'home-owner' };
  if (config.people.some(({ name }) => name === as)) return { kind: 'person', name: as };
  const known = config.people.map(({ name }) => name);
  throw new BosunError('not_allowed', `No person is named "${as}"${didYouMean(as, known)}`, {
    hint: `config.yaml lists ${known.join(', ') || 'no people yet'}. Use a name from people or from a project's members.`,
  });
}

export function personWith(config: Config, channel: string, id: PlatformId): Who | null {
  const found = config.people.find((person) => person.accounts[channel] === id);
  return found === undefined ? null : { kind: 'person', name: found.name };
}

/** Null: no member, or no project. */
export function roleOf(config: Config, project: string, who: Who): Role | null {
  const found = projectNamed(config, project);
  return found === null ? null : roleIn(found, who);
}

export function permit(config: Config, project: string, who: Who, action: Action): Permit {
  if (mayDo(roleOf(config, project, who), action)) return { kind: 'allowed' };
  return { kind: 'refused', reason: refusal(config, project, who, action) };
}

function roleIn(project: ProjectConfig, who: Who): Role | null {
  return who.kind === 'home-owner' ? 'owner' : memberRole(project, who.name);
}

/** A group's entry covers its members. */
export function memberRole({ members }: Pick<ProjectConfig, 'members'>, name: string): Role | null {
  const member = nameInConfig(name);
  return Object.hasOwn(members, member) ? (members[member] ?? null) : null;
}

export function nameInConfig(name: string): string {
  return name.split('/')[0] ?? name;
}

function refusal(config: Config, project: string, who: Who, action: Action): string {
  const name = projectNamed(config, project)?.name ?? null;
  if (name === null || who.kind === 'home-owner') return `there is no project "${project}"`;
  const role = roleOf(config, project, who);
  if (role === null) return `${who.name} is not a member of ${name}`;
  return `${who.name} is ${role} in ${name}, and this needs the role ${leastRoleFor(action)}`;
}

/** Owns the home and speaks on its machine. */
export const homeOwner = 'owner';

/** Inbox source of the terminal, shell commands and bearer requests. */
export const localSource = 'local';

/** Inbox source of a browser session. Separate, because a stolen cookie must not open files. */
export const pageSource = 'page';

export type Surface = typeof localSource | typeof pageSource;
