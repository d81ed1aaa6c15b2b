// Snoozes a card for the speaker: no reminder, and lower in their inbox.
import type { Plan } from '../../../dispatch/index.js';
import { isSnoozedBy } from '../../../engine/index.js';
import { momentIn, type Parsed } from '../../grammar/index.js';
import { ableMembers } from '../../views/people/awaited.js';
import { clockFrom, view } from '../../views/view.js';
import { type MessageContext, sayError, toSpeaker } from '../message-context.js';
import { attentionEvent, codeMeant, type MeantCard, named, onCard, whichCard } from './meant-card.js';

const minuteMs = 60_000;
const shortestMs = 5 * minuteMs;
const longestMs = 7 * 24 * 60 * minuteMs;
const usualMinutes = 60;
const minutesOf = { m: 1, h: 60, d: 24 * 60 } as const;

export function planSnooze(ctx: MessageContext, parsed: Parsed): Plan {
  const code = codeMeant(ctx, parsed);
  return code === null
    ? whichCard(ctx, 'snooze i12-3 2h')
    : onCard(ctx, code, (card) => snooze(ctx, card, endIn(parsed.target, ctx.now.at), false));
}

export function pressSnooze(ctx: MessageContext, code: string, minutes: string): Plan {
  return onCard(ctx, code, (card) => snooze(ctx, card, ctx.now.at + Number(minutes) * minuteMs, true));
}

export function planWake(ctx: MessageContext, parsed: Parsed): Plan {
  const code = codeMeant(ctx, parsed);
  if (code === null) return whichCard(ctx, 'wake i12-3');
  return onCard(ctx, code, (card) => {
    if (!isSnoozedBy(card.interaction, ctx.by))
      return toSpeaker(ctx, view('ack', `You haven't put off ${named(card)}.`));
    const shown = toSpeaker(ctx, view('ack', `Back in your inbox: ${named(card)}.`));
    return { ...attentionEvent(ctx, card, { type: 'wake' }), messages: shown.messages };
  });
}

function snooze(ctx: MessageContext, card: MeantCard, until: number, isPress: boolean): Plan {
  const forMs = until - ctx.now.at;
  if (!(forMs >= shortestMs && forMs <= longestMs))
    return sayError(ctx, 'A card can be put off for 5 minutes to 7 days, as in "snooze i12-3 2h".');
  const text = `${snoozedText(until, ctx.now.at, hasOthers(ctx, card))}\n${named(card)}`;
  const offers = [{ label: 'Wake it now', says: `wake ${card.interaction.id}` }];
  const told = toSpeaker(ctx, view('ack', text, offers), isPress);
  return { ...attentionEvent(ctx, card, { type: 'snooze', until }), messages: told.messages };
}

/** Shown at once, in a message or toast. */
function snoozedText(until: number, at: number, hasOthers: boolean): string {
  return `Snoozed for you until ${clockFrom(until, at)}.${hasOthers ? ' Others can still answer.' : ''}`;
}

function hasOthers({ by }: MessageContext, { interaction, spine, project }: MeantCard): boolean {
  const members = Object.entries(project.members).map(([name, role]) => ({ name, role }));
  return ableMembers(interaction, spine.run, { members }).some(({ name }) => name !== by);
}

function endIn(target: string | null, at: number): number {
  const [, count = '', unit = ''] = /^(\d+)([mhd])$/.exec(target ?? '') ?? [];
  const minutes = unit === '' ? usualMinutes : Number(count) * minutesOf[unit as keyof typeof minutesOf];
  return momentIn(target ?? '') ?? at + minutes * minuteMs;
}
