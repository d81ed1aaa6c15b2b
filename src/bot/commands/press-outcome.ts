// A press's outcome as far as known before planning, for a toast or window.
import { mayDo, memberRole, requiredActionFor } from '../../config/index.js';
import type { Interaction } from '../../engine/index.js';
import type { DeliveryRows, MessageReader, RunReader, ThreadReader } from '../../store/index.js';
import { outcomeLine } from '../views/cards.js';
import { oneLine } from '../views/view.js';
import { offerOf, type Presser } from './message-buttons.js';
import { notAllowedText } from './not-allowed.js';

/** Telegram shows at most 200. */
const maxToastChars = 190;

export const pressPattern = /^[\w.:-]{1,64}$/;

export type PressOutcome =
  | { readonly kind: 'open'; readonly label: string; readonly snoozesForMs?: number }
  | { readonly kind: 'refused' | 'unknown'; readonly why: string };

interface PressRows {
  readonly reader: RunReader & MessageReader & Pick<ThreadReader, 'placed'>;
  readonly deliveries: Pick<DeliveryRows, 'moves'>;
}

export type MemberPress = Presser & { readonly by: string };

export function outcomeOfPress(rows: PressRows, press: string, pressed: MemberPress): PressOutcome {
  const [id = '', ...rest] = press.split('.');
  if (id.startsWith('i')) return outcomeOfOption(rows.reader, pressed, { id, option: rest.join('.') });
  const offered = offerOf(rows, press, pressed);
  if (offered.kind === 'gone') return refused('That button was already used, or a newer card replaced it.');
  if (offered.kind === 'unknown') return { kind: 'unknown', why: unknownButton };
  const { label, says } = offered;
  const [, asked = '', option = ''] = /^@answer (\S+) (\S+)/.exec(says) ?? [];
  const attention = /^@(?:snooze|hand) (\S+) ?(\d+)?/.exec(says);
  if (attention !== null)
    return outcomeOfAttention(rows.reader, pressed, { code: attention[1] ?? '', minutes: attention[2], label });
  return asked === '' ? { kind: 'open', label } : outcomeOfOption(rows.reader, pressed, { id: asked, option, label });
}

interface Attention {
  readonly code: string;
  /** Absent: handed over. */
  readonly minutes: string | undefined;
  readonly label: string;
}

/** People who may answer a card may snooze it or hand it over. */
function outcomeOfAttention(
  reader: RunReader,
  pressed: MemberPress,
  { code, minutes, label }: Attention,
): PressOutcome {
  const outcome = outcomeOfOption(reader, pressed, { id: code, option: '', label });
  if (outcome.kind !== 'open' || minutes === undefined) return outcome;
  return { ...outcome, snoozesForMs: Number(minutes) * 60_000 };
}

export const unknownButton = 'I no longer know that button.';

interface Option {
  readonly id: string;
  readonly option: string;
  readonly label?: string;
}

function outcomeOfOption(reader: RunReader, { config, by }: MemberPress, { id, option, label }: Option): PressOutcome {
  const found = reader.interaction(id);
  const name = found && reader.run(found.run)?.project;
  const project = config.projects.find((one) => one.name === name);
  const role = project === undefined ? null : memberRole(project, by);
  // Without read access the question must not seem to exist.
  if (!found || !project || role === null) return refused('There is nothing to answer.');
  const action = requiredActionFor(option, found.interaction);
  if (!mayDo(role, action)) return refused(notAllowedText(project, by, action));
  if (found.interaction.state !== 'open')
    return refused(oneLine(`Too late, already decided. ${outcomeLine(found.interaction)}`, maxToastChars));
  const own = found.interaction.options.find((one) => one.id === option)?.label;
  return { kind: 'open', label: voteText(found.interaction, option, by) ?? label ?? own ?? option };
}

function refused(why: string): PressOutcome {
  return { kind: 'refused', why };
}

function voteText({ approvals, votes = [], subject }: Interaction, option: string, by: string): string | null {
  const quorum = approvals?.quorum ?? 1;
  if (quorum < 2 || subject.type !== 'review' || option !== 'approve') return null;
  const others = votes.filter((vote) => vote.option === option && vote.by !== by).length;
  if (others + 1 >= quorum) return null;
  return votes.some((vote) => vote.option === option && vote.by === by)
    ? 'You already approved; it counts once'
    : `Your approval counts: ${others + 1} of ${quorum}`;
}
