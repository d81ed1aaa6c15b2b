import { type Config, memberRole } from '../../config/index.js';
import type { Plan, PlanEffect } from '../../dispatch/index.js';
import {
  type DeliveryRows,
  isCarried,
  laneOf,
  type Message,
  type MessageReader,
  type NewMessage,
  type RunReader,
  type ThreadReader,
} from '../../store/index.js';
import type { Grammar } from '../grammar/index.js';
import { view } from '../views/view.js';
import type { MessageContext } from './message-context.js';

export type Offered =
  | { readonly kind: 'offer'; readonly message: Message; readonly says: string; readonly label: string }
  /** Used, or its card has changed. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' };

export interface Presser {
  readonly grammar: Grammar;
  readonly config: Config;
  /** Null: the home's owner. */
  readonly by: string | null;
  readonly thread: string;
}

export const goneText = 'That button was already used, or a newer card replaced it. Nothing was done.';

interface OfferRows {
  readonly reader: RunReader & MessageReader & Pick<ThreadReader, 'placed'>;
  readonly deliveries: Pick<DeliveryRows, 'moves'>;
}

/** Only in the message's thread, and with read access. */
export function offerOf(rows: OfferRows, press: string, presser: Presser): Offered {
  const [, id = '', index = ''] = /^(m\d+)\.(\d{1,3})$/.exec(press) ?? [];
  const { reader } = rows;
  const message = reader.message(id);
  const says = message?.view.offers[Number(index)];
  if (!message || says === undefined || !standsIn(rows, message, presser.thread)) return { kind: 'unknown' };
  if (!mayRead(presser, projectOf(reader, message, says, presser))) return { kind: 'unknown' };
  const now = reader.cardMessage(message.thread, cardOf(message));
  if (now !== null && !now.view.offers.includes(says)) return { kind: 'gone' };
  const { buttons, menu = [] } = message.view;
  const label = [...buttons, ...menu].find((one) => one.press === `.${index}` || one.press === press)?.label ?? says;
  return { kind: 'offer', message, says, label };
}

/** In the same commit, so that nothing starts twice. Engine cards update themselves. */
export function usedUp(ctx: MessageContext, { message, says }: Extract<Offered, { kind: 'offer' }>, plan: Plan): Plan {
  const isCard = message.interaction !== null || (message.card !== null && !isOwnCard(message.card));
  const isEngines = isCard && plan.events.length > 0;
  const isChosen = hasBegun(plan) || (isOfChoice(says) && plan.exit === null);
  if (!isChosen || isEngines || !isCarried(ctx.thread)) return plan;
  const { id: _id, edits: _edits, ...shown } = ctx.now.reader.cardMessage(message.thread, cardOf(message)) ?? message;
  const view = without(shown.view, says);
  const edit = { ...shown, card: cardOf(message), view, at: ctx.now.at };
  return { ...plan, messages: [...plan.messages, edit] };
}

/** An edited message is answered in place of the first answer, which else loses its buttons. */
export function insteadOfFirst(ctx: MessageContext, plan: Plan): Plan {
  const { now, parsed, thread } = ctx;
  const first = parsed?.corrects === undefined ? null : now.reader.message(parsed.corrects);
  if (first === null || first.thread !== thread.id) return plan;
  const card = cardOf(first);
  const { id: _id, edits: _edits, ...shown } = now.reader.cardMessage(thread.id, card) ?? first;
  const own = plan.messages.find((one) => one.thread === thread.id && mayStandIn(one));
  if (own !== undefined)
    return { ...plan, messages: plan.messages.map((one) => (one === own ? { ...own, card } : one)) };
  const settled = view(shown.view.kind, 'Answered your edited message instead.');
  return { ...plan, messages: [...plan.messages, { ...shown, card, view: settled, at: now.at }] };
}

/** An edit carries no file. */
function mayStandIn({ run, card, view: { file, pictures } }: NewMessage): boolean {
  const isAnswer = run === null && (card === null || card.startsWith('unclear:'));
  return isAnswer && file === null && pictures === undefined;
}

function hasBegun({ exit, events, effects }: Plan): boolean {
  const begins: ReadonlySet<PlanEffect['type']> = new Set(['extend', 'wait_for', 'want']);
  return exit === null && (events.length > 0 || effects.some(({ type }) => begins.has(type)));
}

function cardOf({ card, edits, id }: Message): string {
  return card ?? edits ?? id;
}

function isOfChoice(says: string): boolean {
  return says.startsWith('@words ');
}

function isOwnCard(card: string): boolean {
  return /^m\d+$/.test(card);
}

function without(view: Message['view'], says: string): Message['view'] {
  const isGone = (offer: string) => offer === says || (isOfChoice(says) && isOfChoice(offer));
  const kept = view.offers.map((one, index) => ({ says: one, press: `.${index}` })).filter((one) => !isGone(one.says));
  const others = view.buttons.filter(({ press }) => !press.startsWith('.'));
  const labelOf = (press: string) => view.buttons.find((one) => one.press === press)?.label ?? '';
  const { menu: _, ...rest } = view;
  return {
    ...rest,
    rings: false,
    offers: kept.map((one) => one.says),
    buttons: [...others, ...kept.map((one, index) => ({ label: labelOf(one.press), press: `.${index}` }))],
  };
}

/** A migrated chat is the same chat, and what one person saw may act in public there. */
function standsIn({ reader, deliveries }: OfferRows, message: Message, thread: string): boolean {
  if (message.thread === thread) return true;
  const [from, to] = [reader.placed(message.thread), reader.placed(thread)];
  if (from === null || to === null) return false;
  const here = laneOf(to);
  return ('only' in from.address && laneOf(from) === here) || deliveries.moves(from.channel).get(laneOf(from)) === here;
}

function mayRead({ config, by }: Presser, project: string | null): boolean {
  if (by === null || project === null) return true;
  const found = config.projects.find(({ name }) => name === project);
  return found !== undefined && memberRole(found, by) !== null;
}

function projectOf(reader: RunReader, message: Message, says: string, { config, grammar }: Presser): string | null {
  const run = message.run ?? runOf(reader, says);
  if (run !== null) return reader.run(run)?.project ?? null;
  const named = /^@(?:kill|topic|rules|accept-rules|instruct|task|steps) (\S+)/.exec(says)?.[1];
  return named ?? (says.startsWith('@') ? null : grammar.parse(says, config.projects).project);
}

function runOf(reader: RunReader, says: string): string | null {
  const [, attempt] = /^@(?:extend|again|wait|words) (\S+)/.exec(says) ?? [];
  const [, asked] = /^@(?:answer|show|snooze|hand) (\S+)/.exec(says) ?? [];
  const [, queued] = /^@(?:unqueue|requeue|begin|beside|first|edit) (\S+)/.exec(says) ?? [];
  if (queued !== undefined) return queued;
  if (attempt !== undefined) return reader.attempt(attempt)?.run ?? null;
  return asked === undefined ? null : (reader.interaction(asked)?.run ?? null);
}

/** Like `stop`, a press that starts nothing is exempt from the rate limit. */
export function isStoppingPress(
  press: string,
  { reader, config, grammar }: Pick<Presser, 'config' | 'grammar'> & { readonly reader: MessageReader },
): boolean {
  const [id = '', ...rest] = press.split('.');
  const option = rest.join('.');
  if (id.startsWith('i')) return takingAway.has(option);
  const says = reader.message(id)?.view.offers[Number.parseInt(option, 10)] ?? '';
  const [action, , answer = ''] = says.split(' ');
  if (action === '@answer') return takingAway.has(answer);
  return action === '@kill' || (!says.startsWith('@') && isStopping(grammar, says, config));
}

function isStopping(grammar: Grammar, says: string, { projects }: Config): boolean {
  return grammar.effectOf(grammar.understand(says, projects)) === 'stops';
}

const takingAway: ReadonlySet<string> = new Set(['stop', 'abort', 'deny', 'reject', 'cancel', 'end', 'no']);
