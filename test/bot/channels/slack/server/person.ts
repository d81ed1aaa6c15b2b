// Somebody with a phone: writes, presses, fills in, and sees what comes of it.
import type { Api } from './api.js';
import { answerAt } from './doors.js';
import { change, type Happened, post, remove, tell } from './happen.js';
import { type Button, buttonsOf, closeJson, commandJson, type Filled, pressJson, submitJson } from './interact.js';
import { tellReaction } from './methods/messages.js';
import { pushed, readView } from './methods/views.js';
import type { Delivery } from './outbox.js';
import { isRecord } from './params.js';
import type { Channel, Message, StoredFile, User, View } from './world.js';

export interface How {
  /** Any message of the thread, or the first one's ts. */
  readonly thread?: Message | string;
  readonly files?: readonly StoredFile[];
}

/** What the app's answer made of a modal. */
export interface Submitted {
  readonly delivery: Delivery;
  /** `timeout` where the app did not acknowledge: the person is told that it failed. */
  readonly action: 'closed' | 'clear' | 'update' | 'push' | 'errors' | 'timeout';
  readonly errors: Readonly<Record<string, string>>;
}

export class Person {
  readonly user: User;
  readonly #api: Api;

  constructor(user: User, api: Api) {
    this.user = user;
    this.#api = api;
  }

  get id(): string {
    return this.user.id;
  }

  /** The chat with the bot. */
  get chat(): Channel {
    return this.#api.world.im(this.user.id);
  }

  says(channel: Channel, text: string, { thread, files = [] }: How = {}): Happened {
    if (!channel.members.has(this.user.id))
      throw new Error(`${this.user.name} is not in ${channel.name || channel.id}`);
    const threadTs = thread === undefined ? null : typeof thread === 'string' ? thread : (thread.threadTs ?? thread.ts);
    return post(this.#api, { channel, user: this.user.id, text, threadTs, files });
  }

  /** With the bot's name before it. */
  mentions(channel: Channel, text: string, how: How = {}): Happened {
    return this.says(channel, `<@${this.#api.world.bot.id}> ${text}`, how);
  }

  uploads(channel: Channel, name: string, bytes: Buffer, how: How & { readonly text?: string } = {}): Happened {
    const file = this.#api.world.addFile(name, this.user.id, bytes);
    return this.says(channel, how.text ?? '', { ...how, files: [file] });
  }

  edits(message: Message, text: string): Happened {
    return change(this.#api, message, { text, editedTs: this.#api.world.nextTs() });
  }

  deletes(message: Message): Happened {
    return remove(this.#api, message);
  }

  reacts(message: Message, name: string): Delivery {
    message.reactions.set(name, (message.reactions.get(name) ?? new Set()).add(this.user.id));
    return tellReaction(this.#api, message, { type: 'reaction_added', name, user: this.user.id });
  }

  /** By the words on a button that the message, the modal or the home tab shows now. */
  presses(on: Message | View, label: string): Delivery {
    return this.pressesButton(on, this.button(on, label));
  }

  button(on: Message | View, label: string): Button {
    const shown = buttonsOf('ts' in on ? on.blocks : on.json['blocks']);
    const button = shown.find((one) => one.label === label);
    if (button) return button;
    const where = 'ts' in on ? on.ts : on.id;
    throw new Error(
      `No button "${label}" on ${where}; there are: ${shown.map((one) => one.label).join(', ') || 'none'}`,
    );
  }

  /** One that a phone still shows when it is gone. */
  pressesButton(on: Message | View, button: Button): Delivery {
    return this.#api.outbox.push('interactive', pressJson(this.#api, { user: this.user, button, on }));
  }

  /** What is in front of this person. */
  get modal(): View | null {
    return this.#api.world.modalOf(this.user.id);
  }

  get home(): View | null {
    return this.#api.world.homeOf(this.user.id);
  }

  async submits(view: View, filled: Filled = {}): Promise<Submitted> {
    const delivery = this.#api.outbox.push('interactive', submitJson(this.#api, this.user, view, filled));
    await settled(this.#api, delivery);
    return { delivery, ...this.#follow(view, delivery) };
  }

  #follow(view: View, delivery: Delivery): Omit<Submitted, 'delivery'> {
    if (delivery.ackedAt === null) return { action: 'timeout', errors: {} };
    const answer = isRecord(delivery.answer) ? delivery.answer : {};
    const action = answer['response_action'];
    if (action === 'errors') {
      const errors = isRecord(answer['errors']) ? answer['errors'] : {};
      return { action, errors: Object.fromEntries(Object.entries(errors).map(([id, text]) => [id, String(text)])) };
    }
    if (action === 'update') Object.assign(view, { json: readView(answer['view'], 'modal') });
    else if (action === 'push') pushed(this.#api.world, view, readView(answer['view'], 'modal'));
    else if (action === 'clear') for (const one of this.#api.world.views.values()) closeIf(one, view.rootId);
    else view.isOpen = false;
    return { action: action === 'update' || action === 'push' || action === 'clear' ? action : 'closed', errors: {} };
  }

  /** Told only where the view asked for it. */
  closes(view: View): Delivery | null {
    view.isOpen = false;
    if (view.json['notify_on_close'] !== true) return null;
    return this.#api.outbox.push('interactive', closeJson(this.#api, this.user, view));
  }

  /** At a channel's top level: in threads Slack refuses it. */
  slash(channel: Channel, command: string, text = ''): Delivery {
    const { payload, address } = commandJson(this.#api, { user: this.user, channel, command, text });
    const delivery = this.#api.outbox.push('slash_commands', payload);
    const show = async () => {
      await settled(this.#api, delivery);
      if (isRecord(delivery.answer) && (delivery.answer['text'] || delivery.answer['blocks'])) {
        answerAt(this.#api, this.#api.tickets.placeOf(address), delivery.answer);
      }
    };
    show().catch((error: unknown) => {
      Object.assign(delivery, { answer: { refused: String(error) } });
    });
    return delivery;
  }

  opensHome(): Delivery {
    const { world } = this.#api;
    const event = { type: 'app_home_opened', user: this.user.id, channel: this.chat.id, tab: 'home' };
    return tell(this.#api, { ...event, event_ts: world.nextTs() });
  }

  /** Brings the bot into a channel. */
  invites(channel: Channel): Delivery {
    const { bot, team, nextTs } = this.#bound();
    channel.members.add(bot.id);
    const event = {
      user: bot.id,
      channel: channel.id,
      channel_type: letterOf(channel),
      team: team.id,
      inviter: this.user.id,
    };
    return tell(this.#api, { type: 'member_joined_channel', ...event, event_ts: nextTs() });
  }

  removes(channel: Channel): Delivery {
    const { bot, nextTs } = this.#bound();
    channel.members.delete(bot.id);
    const type = channel.kind === 'group' ? 'group_left' : 'channel_left';
    return tell(this.#api, { type, channel: channel.id, actor_id: this.user.id, event_ts: nextTs() });
  }

  #bound() {
    const { world } = this.#api;
    return { bot: world.bot, team: world.team, nextTs: () => world.nextTs() };
  }
}

function closeIf(view: View, rootId: string): void {
  if (view.rootId === rootId) view.isOpen = false;
}

function letterOf({ kind }: Channel): string {
  return kind === 'group' ? 'G' : 'C';
}

const pollEveryMs = 1;
const longestMs = 30_000;

/** Until the app acknowledged or Slack gave up. */
export async function settled({ outbox }: Api, delivery: Delivery): Promise<void> {
  const end = performance.now() + longestMs;
  while (delivery.ackedAt === null && !delivery.isOver && !outbox.isClosed) {
    if (performance.now() > end)
      throw new Error(`${delivery.kind} ${delivery.id} was not settled within ${longestMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
  }
}
