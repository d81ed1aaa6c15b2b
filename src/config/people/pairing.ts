// Strangers who knock at a chat get a code, or bring one that the host gave out; whoever owns the host says there who
// they are. What waits for that is in a file of the home, so that the service and the command line share it. A chat can
// ask and never approve.
import { randomInt } from 'node:crypto';
import { BosunError } from '../../base/index.js';
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

/** An account of a platform: a number on Telegram, a text on Slack. */
export type Account =
  | { readonly channel: 'telegram'; readonly id: number }
  | { readonly channel: 'slack'; readonly id: string };

export type Stranger = Account & {
  /** As the platform shows it: chosen by the stranger, and so no proof of anything. */
  readonly name: string;
  /** That the host gave out, and the stranger brings along. */
  readonly code?: string | undefined;
};

export type Knock = Stranger & { readonly code: string; readonly at: number };

/** What a stranger is told. */
export interface KnockAnswer {
  readonly code: string;
  /** Nothing more is said to this stranger for a day. */
  readonly isLast: boolean;
  /** The code came from the host, which waits for this stranger. */
  readonly isInvited: boolean;
}

export interface Approval {
  readonly code: string;
  /** Left out: a new person, by the name that the stranger goes by. */
  readonly person?: string | undefined;
  readonly membership?: { readonly project: string; readonly role: Role } | undefined;
}

export type Approved = Stranger & { readonly person: string };

export interface Invitation {
  readonly code: string;
  readonly until: number;
}

const maxReplies = 2;
/** The newest hold; each is a code more that could be guessed. */
const maxInvited = 3;

/** On the host: a code that one stranger may bring along, within the hour. */
export function invite(home: PairingHome, channel: Account['channel'], now: number): Invitation {
  const code = drawCode();
  changePairings(home, now, (kept) => {
    const invited = [...kept.invited, { code, channel, at: now }].slice(-maxInvited);
    return { kept: { ...kept, invited }, gives: null };
  });
  return { code, until: now + codeLastsMs };
}

/** A stranger writes; null: the answer is silence. */
export function knock(home: PairingHome, stranger: Stranger, now: number): KnockAnswer | null {
  return changePairings(home, now, (kept) => withInvited(kept, stranger, now) ?? withUninvited(kept, stranger, now));
}

interface Knocked {
  readonly kept: Pairings;
  readonly gives: KnockAnswer | null;
}

/** Only who brings exactly what the host gave out; how often they wrote before does not matter then. */
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

/** Who waits to be let in, oldest first. */
export function knocks(home: PairingHome, now: number): readonly Knock[] {
  return currentPairings(readPairings(home).kept, now).pending.map(knockOf);
}

/** On the host only: the stranger with this code is that person from now on. The code is used up. */
export function approveKnock(home: Home, env: Environment, approval: Approval, now: number): Approved {
  const { code: _code, at: _at, ...stranger } = requireKnock(home, approval.code, now);
  const person = approval.person ?? newPersonName(home, env, stranger.name);
  if (approval.membership) requireProjectOf(home, env, approval.membership.project);
  setPerson(home, env, person, stranger.channel === 'telegram' ? { telegram: stranger.id } : { slack: stranger.id });
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
  throw new BosunError('not_found', `Nobody waits with the code "${said.slice(0, 20)}"`, {
    hint: 'A code is good for an hour and for once. "bosun pair" lists who waits; a new message to the bot gives a new code.',
  });
}

/** Checked before anything is written: half a pairing would be hard to see. */
function requireProjectOf(home: PairingHome, env: Environment, said: string): void {
  const config = loadConfig(home, env);
  if (projectNamed(config, said) !== null) return;
  throw new BosunError('not_found', `No project "${said.slice(0, 60)}"`, {
    hint: `There are: ${config.projects.map(({ name }) => name).join(', ') || 'none; bosun init registers one'}.`,
  });
}

/** Strangers choose their names: one that is somebody's already is not theirs to take. */
export function newPersonName(home: PairingHome, env: Environment, shownName: string): string {
  const plain = shownName
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9_.-]/g, '')
    .toLowerCase()
    .slice(0, 40);
  const hint = 'Say who it is with --person NAME: somebody whom config.yaml knows, or a new name.';
  if (!/^[a-z]/.test(plain)) throw new BosunError('bad_input', 'The stranger’s name is no name for a person', { hint });
  const isTaken = loadConfig(home, env).people.some(({ name }) => name.toLowerCase() === plain);
  if (isTaken) throw new BosunError('not_now', `There is already a person "${plain}"`, { hint });
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

function accountOf(one: Account): Account {
  return one.channel === 'telegram' ? { channel: 'telegram', id: one.id } : { channel: 'slack', id: one.id };
}

function isSameAccount(one: Account, other: Account): boolean {
  return one.channel === other.channel && one.id === other.id;
}

// Codes that people read to each other and type.
/** Nothing that one letter could be taken for another in. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

export function drawCode(): string {
  const draw = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');
  return `${draw()}-${draw()}`;
}

/** Small letters and forgotten dashes are forgiven. */
export function isSameCode(one: string, other: string): boolean {
  const plain = (code: string) => code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return plain(one) === plain(other);
}

/** Nothing but what could be a code, written as it is shown. */
export function isCodeShaped(text: string): boolean {
  return codeShape.test(text);
}

const codeShape = new RegExp(`^[${letters}]{4}-[${letters}]{4}$`);
