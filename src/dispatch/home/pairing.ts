// Strangers who knock at a chat get a code; whoever owns the host says there who they are. What waits for that is in a
// file of the home, so that the service and the command line share it. A chat can ask and never approve.
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { BosunError } from '../error.js';
import { setMember, setPerson } from './additions.js';
import { projectNamed, type Role } from './config.js';
import type { Home } from './home.js';
import type { Environment } from './interpolate.js';
import { errnoOf, replaceFile } from './own-file.js';
import { loadConfig } from './read-config.js';

export interface Stranger {
  readonly telegram: number;
  /** As the platform shows it: chosen by the stranger, and so no proof of anything. */
  readonly name: string;
}

export interface Knock extends Stranger {
  readonly code: string;
  readonly at: number;
}

/** What a stranger is told. */
export interface KnockAnswer {
  readonly code: string;
  /** Nothing more is said to this stranger for a day. */
  readonly isLast: boolean;
}

export interface Approval {
  readonly code: string;
  /** Left out: a new person, by the name that the stranger goes by. */
  readonly person?: string | undefined;
  readonly membership?: { readonly project: string; readonly role: Role } | undefined;
}

export interface Approved extends Stranger {
  readonly person: string;
}

type PairingHome = Pick<Home, 'dir' | 'configPath'>;

const codeLastsMs = 60 * 60_000;
const strangerKeptMs = 24 * 60 * 60_000;
const maxPending = 3;
const maxReplies = 2;
const maxStrangers = 100;
const maxNameChars = 60;
const maxFileBytes = 64 * 1024;
const maxTries = 5;
/** Nothing that one letter could be taken for another in. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

const fileSchema = z.strictObject({
  pending: z
    .array(
      z.strictObject({
        code: z.string().max(20),
        telegram: z.number().int(),
        name: z.string().max(maxNameChars),
        at: z.number(),
      }),
    )
    .max(maxPending),
  strangers: z
    .array(z.strictObject({ telegram: z.number().int(), replies: z.number().int(), at: z.number() }))
    .max(maxStrangers),
});

type Pairings = z.output<typeof fileSchema>;

/** A stranger writes; null: the answer is silence. */
export function knock(home: PairingHome, stranger: Stranger, now: number): KnockAnswer | null {
  return change(home, now, (kept) => {
    const known = kept.strangers.find(({ telegram }) => telegram === stranger.telegram);
    const replies = (known?.replies ?? 0) + 1;
    const waiting = kept.pending.find(({ telegram }) => telegram === stranger.telegram);
    if (replies > maxReplies || (!waiting && kept.pending.length >= maxPending)) return { kept, gives: null };
    const asked = waiting ?? { code: drawCode(), ...shown(stranger), at: now };
    const others = kept.strangers.filter(({ telegram }) => telegram !== stranger.telegram);
    const strangers = [...others, { telegram: stranger.telegram, replies, at: now }].slice(-maxStrangers);
    const pending = waiting ? kept.pending : [...kept.pending, asked];
    return { kept: { pending, strangers }, gives: { code: asked.code, isLast: replies === maxReplies } };
  });
}

/** Who waits to be let in, oldest first. */
export function knocks(home: PairingHome, now: number): readonly Knock[] {
  return current(read(home).kept, now).pending;
}

/** On the host only: the stranger with this code is that person from now on. The code is used up. */
export function approveKnock(home: Home, env: Environment, approval: Approval, now: number): Approved {
  const { telegram, name } = requireKnock(home, approval.code, now);
  const person = approval.person ?? newName(home, env, name);
  if (approval.membership) requireProjectOf(home, env, approval.membership.project);
  setPerson(home, env, person, { telegram });
  const { membership } = approval;
  if (membership) setMember(home, env, membership.project, { person, role: membership.role });
  change(home, now, (kept) => ({
    kept: {
      pending: kept.pending.filter((one) => one.telegram !== telegram),
      strangers: kept.strangers.filter((one) => one.telegram !== telegram),
    },
    gives: null,
  }));
  return { telegram, name, person };
}

function requireKnock(home: PairingHome, said: string, now: number): Knock {
  const plain = (code: string) => code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  const found = knocks(home, now).find(({ code }) => plain(code) === plain(said));
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
function newName(home: PairingHome, env: Environment, shownName: string): string {
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

function drawCode(): string {
  const draw = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');
  return `${draw()}-${draw()}`;
}

function shown({ telegram, name }: Stranger): Stranger {
  const plain = name
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(0, maxNameChars);
  return { telegram, name: plain };
}

/** Both processes may change the file: who finds it changed meanwhile begins anew. */
function change<T>(
  home: PairingHome,
  now: number,
  act: (kept: Pairings) => { readonly kept: Pairings; readonly gives: T },
): T {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { text, kept } = read(home);
    const changed = act(current(kept, now));
    const after = `${JSON.stringify(changed.kept)}\n`;
    if (read(home).text !== text) continue;
    if (after !== text) replaceFile(pathOf(home), after);
    return changed.gives;
  }
  throw new BosunError('busy_home', `${pathOf(home)} keeps changing`, { hint: 'Try again.' });
}

function current({ pending, strangers }: Pairings, now: number): Pairings {
  return {
    pending: pending.filter(({ at }) => at > now - codeLastsMs),
    strangers: strangers.filter(({ at }) => at > now - strangerKeptMs),
  };
}

function read(home: PairingHome): { readonly text: string; readonly kept: Pairings } {
  const text = textOf(pathOf(home));
  if (text === '') return { text, kept: { pending: [], strangers: [] } };
  const parsed = text.length > maxFileBytes ? null : fileSchema.safeParse(jsonOf(text));
  if (parsed?.success) return { text, kept: parsed.data };
  throw new BosunError('bad_config', `${pathOf(home)} does not hold what Bosun writes there`, {
    hint: 'Delete it: whoever waits to be let in asks again.',
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return '';
    throw new BosunError('disk', `Cannot read ${path} (${errnoOf(cause) || 'unknown error'})`, { cause });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function pathOf({ dir }: PairingHome): string {
  return join(dir, 'pairing.json');
}
