// Security: only the host's owner approves a stranger, never a chat. Service and command line share the state as a
// file.
import { randomInt } from 'node:crypto';
import { BosunError } from '../../base/index.js';
import type { PlatformId } from '../channel-kinds.js';
import { projectNamed, type Role } from '../config.js';
import { setMember, setPerson } from '../file/additions.js';
import type { Environment } from '../file/interpolate.js';
import { loadConfig } from '../file/read-config.js';
import type { Home } from '../home/home.js';
import {
  changePairings,
  codeLastsMs,
  currentPairings,
  maxNameChars,
  maxPending,
  maxRows,
  maxStrangers,
  type PairingHome,
  type Pairings,
  type PendingRow,
  readPairings,
} from './pairing-file.js';

export interface Account {
  readonly channel: string;
  readonly id: PlatformId;
}

export type Stranger = Account & {
  readonly name: string;
  readonly code?: string | undefined;
};

export type Knock = Stranger & { readonly code: string; readonly at: number };

export interface KnockAnswer {
  readonly code: string;
  /** No further reply for a day. */
  readonly isLast: boolean;
  /** The stranger brought a code from the host. */
  readonly isInvited: boolean;
}

export interface Approval {
  readonly code: string;
  /** Absent: a new person with the stranger's name. */
  readonly person?: string | undefined;
  readonly membership?: { readonly project: string; readonly role: Role } | undefined;
}

export type Approved = Stranger & { readonly person: string };

export interface Invitation {
  readonly code: string;
  readonly until: number;
}

const maxReplies = 2;
/** Few, because each code is one more to guess. */
const maxInvited = 3;

export function invite(home: PairingHome, channel: string, now: number): Invitation {
  const code = drawCode();
  changePairings(home, now, (kept) => {
    const invited = [...kept.invited, { code, channel, at: now }].slice(-maxInvited);
    return { kept: { ...kept, invited }, gives: null };
  });
  return { code, until: now + codeLastsMs };
}

/** Null: do not reply. */
export function knock(home: PairingHome, stranger: Stranger, now: number): KnockAnswer | null {
  return changePairings(home, now, (kept) => withInvited(kept, stranger, now) ?? withUninvited(kept, stranger, now));
}

interface Knocked {
  readonly kept: Pairings;
  readonly gives: KnockAnswer | null;
}

/** Exact codes only. Earlier messages do not count against the bearer. */
function withInvited(kept: Pairings, stranger: Stranger, now: number): Knocked | null {
  const { channel, code: brought = '' } = stranger;
  const invitation = kept.invited.find((one) => one.channel === channel && isSameCode(one.code, brought));
  if (invitation === undefined) return null;
  const { code } = invitation;
  const asked: PendingRow = { ...shown(stranger), code, at: now, isInvited: true };
  const pending = [...kept.pending.filter((one) => !isSameAccount(one, stranger)), asked].slice(-maxRows);
  const invited = kept.invited.filter((one) => one !== invitation);
  return { kept: { ...kept, pending, invited }, gives: { code, isLast: false, isInvited: true } };
}

function withUninvited(kept: Pairings, stranger: Stranger, now: number): Knocked {
  const isTheirs = (one: Account) => isSameAccount(one, stranger);
  const replies = (kept.strangers.find(isTheirs)?.replies ?? 0) + 1;
  const waiting = kept.pending.find(isTheirs);
  const isFull = kept.pending.filter(({ isInvited }) => isInvited !== true).length >= maxPending;
  if (replies > maxReplies || (!waiting && isFull)) return { kept, gives: null };
  const asked: PendingRow = waiting ?? { ...shown(stranger), code: drawCode(), at: now };
  const counted = { ...accountOf(asked), replies, at: now };
  const strangers = [...kept.strangers.filter((one) => !isTheirs(one)), counted].slice(-maxStrangers);
  const pending = waiting ? kept.pending : [...kept.pending, asked].slice(-maxRows);
  const gives = { code: asked.code, isLast: replies === maxReplies, isInvited: asked.isInvited === true };
  return { kept: { ...kept, pending, strangers }, gives };
}

export function knocks(home: PairingHome, now: number): readonly Knock[] {
  return currentPairings(readPairings(home).kept, now).pending.map(knockOf);
}

/** Runs on the host only, and uses up the code. */
export function approveKnock(home: Home, env: Environment, approval: Approval, now: number): Approved {
  const { code: _code, at: _at, ...stranger } = requireKnock(home, approval.code, now);
  const person = approval.person ?? newPersonName(home, env, stranger.name);
  if (approval.membership) requireProjectOf(home, env, approval.membership.project);
  setPerson(home, env, person, { [stranger.channel]: stranger.id });
  const { membership } = approval;
  if (membership) setMember(home, env, membership.project, { person, role: membership.role });
  changePairings(home, now, (kept) => ({
    kept: {
      ...kept,
      pending: kept.pending.filter((one) => !isSameAccount(one, stranger)),
      strangers: kept.strangers.filter((one) => !isSameAccount(one, stranger)),
    },
    gives: null,
  }));
  return { ...stranger, person };
}

function requireKnock(home: PairingHome, said: string, now: number): Knock {
  const found = knocks(home, now).find(({ code }) => isSameCode(code, said));
  if (found) return found;
  throw new BosunError('not_found', `No person is waiting with the code "${said.slice(0, 20)}"`, {
    hint: 'A code is valid for one hour and for one use. "bosun pair" lists waiting people; a new message to the bot gives a new code.',
  });
}

/** Before the first write: half a pairing is hard to notice. */
function requireProjectOf(home: PairingHome, env: Environment, said: string): void {
  const config = loadConfig(home, env);
  if (projectNamed(config, said) !== null) return;
  throw new BosunError('not_found', `No project "${said.slice(0, 60)}"`, {
    hint: `There are: ${config.projects.map(({ name }) => name).join(', ') || 'none; register one with "bosun init"'}.`,
  });
}

/** Strangers choose their names, so one in use is refused. */
export function newPersonName(home: PairingHome, env: Environment, shownName: string): string {
  const plain = shownName
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9_.-]/g, '')
    .toLowerCase()
    .slice(0, 40);
  const hint = 'Use --person NAME to say who it is: a name from config.yaml, or a new one.';
  if (!/^[a-z]/.test(plain))
    throw new BosunError('bad_input', 'The account’s name cannot be used as the name of a person', { hint });
  const isTaken = loadConfig(home, env).people.some(({ name }) => name.toLowerCase() === plain);
  if (isTaken) throw new BosunError('not_now', `A person "${plain}" already exists`, { hint });
  return plain;
}

function knockOf({ code, at, name, ...account }: PendingRow): Knock {
  return { ...accountOf(account), name, code, at };
}

function shown(stranger: Stranger): Account & { readonly name: string } {
  const name = stranger.name
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(0, maxNameChars);
  return { ...accountOf(stranger), name };
}

function accountOf({ channel, id }: Account): Account {
  return { channel, id };
}

function isSameAccount(one: Account, other: Account): boolean {
  return one.channel === other.channel && one.id === other.id;
}

/** Letters that are hard to confuse when read aloud or typed. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

export function drawCode(): string {
  const draw = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');
  return `${draw()}-${draw()}`;
}

export function isSameCode(one: string, other: string): boolean {
  const plain = (code: string) => code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return plain(one) === plain(other);
}

export function isCodeShaped(text: string): boolean {
  return codeShape.test(text);
}

const codeShape = new RegExp(`^[${letters}]{4}-[${letters}]{4}$`);
