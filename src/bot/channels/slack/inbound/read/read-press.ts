import { z } from 'zod';
import type { Interaction } from '../../../../../engine/index.js';
import type { Message, RunReader } from '../../../../../store/index.js';
import { isStoppingPress } from '../../../../commands/message-buttons.js';
import { outcomeOfPress, pressPattern, unknownButton } from '../../../../commands/press-outcome.js';
import { codeText, pressedTooFast, strangerText, tooFast } from '../../../../inbound/index.js';
import { relativeTimes } from '../../../../views/view.js';
import { textAction, textBlock, textCallback } from '../../render/index.js';
import { directThread } from '../../thread-ids.js';
import { saidAs, toldAs } from './inbound-rows.js';
import type { SlackPress, Submission } from './payload.js';
import { type SlackReadContext, type SlackReadResult, silence } from './read-context.js';
import { type Speaker, speakerOf } from './speaker.js';
import {
  isOnly,
  lanesOf,
  messageAt,
  onceKey,
  onlyFor,
  openedFor,
  pressKey,
  submissionKey,
  threadOf,
} from './thread-keys.js';

/** The home tab's button belongs to no message. */
const continuePattern = /^home\.continue\.([a-z][a-z0-9_-]{0,40})$/;

export function continuePress(project: string): string {
  return `home.continue.${project}`;
}

export function readPress(press: SlackPress, context: SlackReadContext): SlackReadResult {
  const { user, container, actions } = press;
  const key = pressKey(press);
  const { value } = actions[0] ?? {};
  if (value === undefined || !pressPattern.test(value) || context.inbox.isKnown('slack', key)) return silence;
  const channel = container.channel_id ?? press.channel?.id ?? null;
  const spoken = { user: user.id, team: user.team_id ?? press.team?.id ?? null, channel, isShared: null };
  const speaker = speakerOf(spoken, context);
  if (speaker.kind === 'unknown') return { ...silence, asks: speaker.asks };
  const aside = channel === null ? directThread(context, user.id) : onlyFor(channel, user.id, context);
  if (speaker.kind !== 'member') return turnedAway(speaker, { ...context, key, aside, user: user.id });
  const isTooFast = context.rate.note(speaker.name, context.now()) !== 'fine';
  if (isTooFast && !isStoppingPress(value, context)) {
    return {
      ...silence,
      says: [toldAs({ key, thread: aside, by: null }, pressedTooFast)],
    };
  }
  const pressed = { ...context, key, aside, user: user.id, by: speaker.name, value, trigger: press.trigger_id ?? null };
  return channel === null ? onHome(pressed) : onMessage(press, channel, pressed);
}

interface Met extends SlackReadContext {
  readonly key: string;
  /** Only the presser sees it. */
  readonly aside: string;
  readonly user: string;
}

interface Pressed extends Met {
  readonly by: string;
  readonly value: string;
  readonly trigger: string | null;
}

function turnedAway(speaker: Exclude<Speaker, { kind: 'member' | 'unknown' }>, met: Met): SlackReadResult {
  const { key, aside, user, inbox } = met;
  if (speaker.kind === 'nobody') return silence;
  if (speaker.kind === 'refused') {
    const once = onceKey(speaker.what, user);
    if (inbox.isKnown('slack', once)) return silence;
    return { ...silence, says: [toldAs({ key, aliases: [once], thread: aside, by: null }, speaker.why)] };
  }
  const answer = met.knock({ channel: 'slack', id: user, name: speaker.name });
  return answer === null ? silence : { ...silence, says: [toldAs({ key, thread: aside, by: null }, codeText(answer))] };
}

function onHome(pressed: Pressed): SlackReadResult {
  const { value, key, aside: thread, by } = pressed;
  const [, project] = continuePattern.exec(value) ?? [];
  if (project !== undefined) {
    const text = `continue ${project}`;
    return { ...silence, says: [saidAs({ key, thread, by }, { type: 'text', text, replyTo: null })] };
  }
  return value.startsWith('i') ? taken(pressed, thread) : silence;
}

function onMessage(press: SlackPress, channel: string, pressed: Pressed): SlackReadResult {
  const { reader, user, value, key, aside, by } = pressed;
  const ts = press.container.message_ts ?? press.message?.ts ?? '';
  const shown = messageAt(pressed, lanesOf(channel, user), ts);
  const message = shown === null ? null : reader.message(shown);
  const [id = ''] = value.split('.');
  // A message's own offer is valid only there.
  if (!id.startsWith('i') && !isOf(reader.message(id), message)) {
    return { ...silence, says: [toldAs({ key, thread: aside, by }, unknownButton)] };
  }
  const root = press.container.thread_ts ?? press.message?.thread_ts;
  const thread = message?.thread ?? threadOf({ channel, user, ts, root }, pressed);
  if (!isOnly(thread) || isPersonal(pressed, id)) return taken(pressed, thread);
  // One person saw the request, but all must see its work.
  const label =
    message?.view.buttons.find(({ press: one }) => one === value || `${id}${one}` === value)?.label ?? value;
  return taken(pressed, openedFor(channel, key), label);
}

function isOf(named: Message | null, shown: Message | null): boolean {
  return named !== null && shown !== null && (named.edits ?? named.id) === (shown.edits ?? shown.id);
}

function isPersonal({ reader, config, grammar, value }: Pressed, id: string): boolean {
  const said = reader.message(id)?.view.offers[Number.parseInt(value.slice(id.length + 1), 10)];
  if (said === undefined || said.startsWith('@')) return said?.startsWith('@snooze ') === true;
  const effect = grammar.effectOf(grammar.understand(said, config.projects));
  return effect === 'reads' || effect === 'setting';
}

function taken(pressed: Pressed, thread: string, asked?: string): SlackReadResult {
  const { reader, key, value, by, trigger } = pressed;
  const press = { type: 'press', press: value, text: null } as const;
  const said = saidAs({ key, thread, by }, asked === undefined ? press : { ...press, asked });
  const asks = needsText(reader, value) && outcomeOfPress(pressed, value, { ...pressed, thread }).kind === 'open';
  if (trigger === null || !asks) return { ...silence, says: [said] };
  return { ...silence, window: { trigger, press: value, thread, instead: said } };
}

function needsText(reader: RunReader, press: string): boolean {
  const { interaction, option } = partsOf(reader, press);
  return interaction?.options.some(({ id, needsText: needs }) => id === option && needs) ?? false;
}

function partsOf(
  reader: RunReader,
  press: string,
): { readonly interaction: Interaction | null; readonly option: string } {
  const [id = '', ...rest] = press.split('.');
  return {
    interaction: id.startsWith('i') ? (reader.interaction(id)?.interaction ?? null) : null,
    option: rest.join('.'),
  };
}

const metadata = z.object({
  press: z.string().regex(pressPattern),
  place: z.object({ thread: z.string().regex(/^sl:[\w.:@-]{2,120}$/) }),
});

export function readSubmission({ user, team, view }: Submission, context: SlackReadContext): SlackReadResult {
  const key = submissionKey(view.id);
  if (view.callback_id !== textCallback) return silence;
  // A repeated submission must still close its modal.
  if (context.inbox.isKnown('slack', key)) return closed;
  const asked = metadata.safeParse(jsonOf(view.private_metadata)).data;
  if (asked === undefined) return mistaken('This window is from an older Bosun. Close it and press the button again.');
  const speaker = speakerOf(
    { user: user.id, team: user.team_id ?? team?.id ?? null, channel: null, isShared: null },
    context,
  );
  if (speaker.kind === 'unknown') return { ...silence, asks: speaker.asks };
  if (speaker.kind !== 'member') return mistaken(speaker.kind === 'refused' ? speaker.why : strangerText);
  if (context.rate.note(speaker.name, context.now()) !== 'fine') return mistaken(tooFast);
  const text = view.state.values[textBlock]?.[textAction]?.value?.trim() ?? '';
  if (text === '') return mistaken('Write something first.');
  const { press, place } = asked;
  const outcome = outcomeOfPress(context, press, { ...context, by: speaker.name, thread: place.thread });
  if (outcome.kind !== 'open') return mistaken(relativeTimes(outcome.why, context.now()));
  const said = saidAs({ key, thread: place.thread, by: speaker.name }, { type: 'press', press, text });
  return { ...closed, says: [said] };
}

const closed: SlackReadResult = { ...silence, answer: { response_action: 'clear' } };

function mistaken(why: string): SlackReadResult {
  return { ...silence, answer: { response_action: 'errors', errors: { [textBlock]: why } } };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
