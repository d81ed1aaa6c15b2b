import { homeOwner, mayDo, nameInConfig, requiredAction } from '../../config/index.js';
import type { ProjectAudience } from '../../dispatch/index.js';
import { type Interaction, isVotedOn, type RecordedAnswer, type Run } from '../../engine/index.js';
import { clock, listed, oneLine, personName } from './view.js';
import { calledBy } from './work/card-keys.js';

export function approvalLines(interaction: Interaction, run: Run, audience: ProjectAudience | null): readonly string[] {
  const { approvals } = interaction;
  if (approvals === undefined || !isVotedOn(interaction) || !canBeVotedOn(interaction)) return [];
  const { quorum, notRequester } = approvals;
  const isOpenTo = notRequester
    ? `${personName(nameInConfig(run.createdBy))} asked for this, so somebody else approves it${others(interaction, run, audience)}.`
    : '';
  return [...voteLines(interaction), isOpenTo, shortage(interaction, run, audience, quorum)].filter(
    (one) => one !== '',
  );
}

export function voteLines({ approvals, votes = [], options }: Interaction): readonly string[] {
  const quorum = approvals?.quorum ?? 1;
  if (quorum < 2) return [];
  if (votes.length === 0) return [`Needs ${quorum} approvals, has none yet.`];
  const chosen = [...new Set(votes.map(({ option }) => option))];
  return chosen.map((id) => {
    const same = votes.filter(({ option }) => option === id);
    const label = options.find((one) => one.id === id)?.label ?? id;
    const what = id === 'approve' ? 'approved' : `for "${label}"`;
    return `${same.length} of ${quorum} ${what}: ${same.map(voteOf).join(', ')}`;
  });
}

export function saidBy({ by, at, where }: RecordedAnswer): string {
  return [personName(by), clock(at), ...(where === undefined ? [] : [placeOf(where)])].join(', ');
}

function voteOf({ by, at, where, text }: RecordedAnswer): string {
  const said = text?.trim() ? ` ("${oneLine(text, 80)}")` : '';
  return `${personName(by)} ${clock(at)}${where === undefined ? '' : ` ${placeOf(where)}`}${said}`;
}

const places: Readonly<Record<string, string>> = {
  local: 'terminal',
  web: 'page',
  telegram: 'Telegram',
  slack: 'Slack',
};

function placeOf(channel: string): string {
  return (Object.hasOwn(places, channel) ? places[channel] : undefined) ?? oneLine(channel, 40);
}

const maxNamed = 3;

/** `: Ada or Dan`; '' if unknown, or too many. */
function others({ kind }: Interaction, { createdBy }: Run, audience: ProjectAudience | null): string {
  const able = (audience?.members ?? []).filter(({ role }) => mayDo(role, requiredAction[kind]));
  const names = able.filter(({ name }) => name !== nameInConfig(createdBy)).map(({ name }) => personName(name));
  const isShort = names.length > 0 && names.length <= maxNamed && !able.some(({ isGroup }) => isGroup);
  return isShort ? `: ${listed(names, 'or')}` : '';
}

/** Follow-up questions of a rejection are not voted on. */
function canBeVotedOn({ subject }: Interaction): boolean {
  return subject.type === 'review' || subject.type === 'gate' || subject.type === 'gate_stuck';
}

/** Offers a way on if too few people may approve. */
function shortage(interaction: Interaction, run: Run, audience: ProjectAudience | null, quorum: number): string {
  const count = audience === null ? Number.POSITIVE_INFINITY : countOf(interaction, run, audience);
  if (count >= quorum) return '';
  const who =
    count === 0
      ? 'No member may approve this'
      : `Needs ${quorum} approvals, and only ${count === 1 ? 'one member' : `${count} members`} may give one`;
  return `⚠️ ${who}. An owner can add a reviewer. "abort ${calledBy(run)}" ends the run.`;
}

/** The owner counts as themselves on the terminal; a Slack group is unlimited. */
function countOf({ kind, approvals }: Interaction, { createdBy }: Run, { members }: ProjectAudience): number {
  const able = members.filter(({ role }) => mayDo(role, requiredAction[kind]));
  if (able.some(({ isGroup }) => isGroup)) return Number.POSITIVE_INFINITY;
  const names = new Set([homeOwner, ...able.map(({ name }) => name)]);
  if (approvals?.notRequester === true) names.delete(nameInConfig(createdBy));
  return names.size;
}
