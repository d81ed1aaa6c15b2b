// A card waits for at most five people, nearest by role.
import { type Action, homeOwner, mayDo, nameInConfig, type Role, requiredAction } from '../../../config/index.js';
import type { ProjectAudience } from '../../../dispatch/index.js';
import { type Interaction, isSnoozedBy, type Run } from '../../../engine/index.js';
import type { Mention, View } from '../../../store/index.js';
import { listed, personName } from '../view.js';

const maxNamed = 5;

const upward = ['reviewer', 'operator', 'owner'] as const satisfies readonly Role[];

/** The nearest role, or the requester. */
const nearest: Readonly<Record<Interaction['subject']['type'], (typeof upward)[number] | 'requester'>> = {
  proposal: 'requester',
  takeover: 'requester',
  position: 'requester',
  dirty: 'requester',
  input: 'requester',
  question: 'requester',
  agent_question: 'requester',
  next_item: 'requester',
  abort: 'requester',
  leftovers: 'requester',
  land: 'requester',
  give_up: 'requester',
  rollback_target: 'requester',
  skip_approval: 'operator',
  review: 'reviewer',
  reject_reason: 'reviewer',
  gate: 'reviewer',
  agent_permission: 'operator',
  denied: 'operator',
  stuck: 'operator',
  gate_stuck: 'operator',
  items_failed: 'operator',
  workspace: 'operator',
  fuse: 'owner',
};

interface Members {
  readonly members: readonly Pick<ProjectAudience['members'][number], 'name' | 'role'>[];
}

export function ableMembers(
  { kind, approvals }: Interaction,
  { createdBy }: Pick<Run, 'createdBy'>,
  { members }: Members,
): Members['members'] {
  const isBarred = (name: string) => approvals?.notRequester === true && name === nameInConfig(createdBy);
  return members.filter(({ name, role }) => mayDo(role, requiredAction[kind]) && !isBarred(name));
}

/** The requester needs none; others may start work, or answer the card. */
export function requiredToRemind(
  { kind }: Pick<Interaction, 'kind'>,
  { createdBy }: Pick<Run, 'createdBy'>,
  { by, mayStart }: { readonly by: string; readonly mayStart: boolean },
): Action | null {
  if (nameInConfig(createdBy) === nameInConfig(by)) return null;
  return mayStart ? 'start' : requiredAction[kind];
}

/** Empty: no member may answer, so the owner does. */
export function awaitedPeople(
  interaction: Interaction,
  run: Pick<Run, 'createdBy'>,
  { members }: Members,
): readonly string[] {
  const { subject, handed } = interaction;
  const { createdBy } = run;
  const requester = nameInConfig(createdBy);
  const able = ableMembers(interaction, run, { members });
  // Without the right a person no longer holds the card.
  if (handed && (handed.to === homeOwner || able.some(({ name }) => name === handed.to))) return [handed.to];
  const near = nearest[subject.type];
  if (near === 'requester' && requester === homeOwner) return [];
  if (near === 'requester' && able.some(({ name }) => name === requester)) return [createdBy];
  const roles = upward.slice(near === 'requester' ? 1 : upward.indexOf(near));
  const named = roles.map((role) => able.filter((one) => one.role === role)).find(({ length }) => length > 0) ?? [];
  return named.slice(0, maxNamed).map(({ name }) => name);
}

/** The requester's own approval may not count. */
export function mayDecide(
  { kind, approvals }: Interaction,
  { createdBy }: Pick<Run, 'createdBy'>,
  { by, role }: { readonly by: string; readonly role: Role | null },
): boolean {
  return mayDo(role, requiredAction[kind]) && !(approvals?.notRequester === true && createdBy === by);
}

export type Attention = 'theirs' | 'snoozed' | 'elsewhere';

/** Places the card in a person's list: to decide, snoozed, or with others. */
export function attentionOf(
  interaction: Interaction,
  run: Pick<Run, 'createdBy'>,
  { by, role, members }: { readonly by: string; readonly role: Role | null } & Members,
): Attention {
  if (!mayDecide(interaction, run, { by, role }) || isHandedToOther(interaction, run, { by, members }))
    return 'elsewhere';
  return isSnoozedBy(interaction, by) ? 'snoozed' : 'theirs';
}

export function isHandedToOther(
  interaction: Interaction,
  run: Pick<Run, 'createdBy'>,
  { by, members }: { readonly by: string } & Members,
): boolean {
  const { handed } = interaction;
  if (handed === undefined || handed.to === nameInConfig(by)) return false;
  return awaitedPeople(interaction, run, { members })[0] === handed.to;
}

export interface Addressing {
  readonly people: readonly string[];
  readonly audience: ProjectAudience;
  /** Not mentioned, because this person caused the message. */
  readonly causedBy: string | null;
  /** The person who handed it over. */
  readonly from?: string;
  /** False: named, not notified. */
  readonly rings: boolean;
}

/** One chat that the person reads: of the run's, the preferred channel's first; else null. */
export function chatOfRun(person: string, followers: readonly string[], audience: ProjectAudience): string | null {
  const own = audience.threadsOf(nameInConfig(person));
  const isThere = (thread: string) => audience.isShared(thread) && audience.accountIn(person, thread) !== null;
  const reached = [...followers.filter((thread) => own.includes(thread)), ...followers.filter(isThere)];
  return reached.find((thread) => audience.isPreferred(person, thread)) ?? reached[0] ?? null;
}

/**
 * A shared card's second line names the awaited people; a handed card's in every chat. `beside`: the card's other chats,
 * one of which may be on a person's preferred channel.
 */
export function addressed(
  shown: View,
  thread: string,
  { people, audience, causedBy, rings, from, beside = [] }: Addressing & { readonly beside?: readonly string[] },
): View {
  const isShared = audience.isShared(thread);
  if (people.length === 0 || !(isShared || from !== undefined)) return shown;
  const [title = '', place = '', ...rest] = shown.text.split('\n');
  const names = people.map(nameOf);
  const mentions = people.flatMap((person): Mention[] => {
    const isHere = audience.isPreferred(person, thread) || chatOfRun(person, [thread, ...beside], audience) === thread;
    const isCalled = isShared && rings && person !== causedBy && isHere;
    const account = isCalled ? audience.accountIn(person, thread) : null;
    return account === null ? [] : [{ name: nameOf(person), account }];
  });
  const giver = from === undefined || people.includes(nameInConfig(from)) ? '' : `, from ${nameOf(from)}`;
  const isNamed = giver === '' && mentions.length === 0 && place.endsWith(`asked by ${listed(names)}`);
  const text = [title, isNamed ? place : `${place} · for ${listed(names)}${giver}`, ...rest].join('\n');
  return { ...shown, text, ...(mentions.length === 0 ? {} : { mentions }) };
}

/** People whom no chat of the run reaches. */
export function privatelyAsked(followers: readonly string[], addressing: Addressing): readonly string[] {
  const { people, audience, causedBy } = addressing;
  if (!audience.asksPrivately) return [];
  return people
    .filter((person) => person !== causedBy)
    .flatMap((person) => {
      return chatOfRun(person, followers, audience) === null ? audience.threadsOf(person).slice(0, 1) : [];
    });
}

function nameOf(person: string): string {
  return personName(nameInConfig(person));
}
