// What the app gets of a press, a modal that is sent, and a command.
import type { Api } from './api.js';
import { seenBy } from './happen.js';
import { isRecord } from './params.js';
import { messageJson, viewJson } from './wire.js';
import type { Channel, Json, Message, User, View } from './world.js';

/** A button as a phone shows it, which may show it still when it is gone. */
export interface Button {
  readonly label: string;
  readonly blockId: string;
  readonly json: Json;
}

export function buttonsOf(blocks: unknown): readonly Button[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.filter(isRecord).flatMap((block) => {
    const elements: readonly unknown[] = Array.isArray(block['elements']) ? block['elements'] : [block['accessory']];
    return elements.filter(isRecord).flatMap((json) => {
      if (json['type'] !== 'button') return [];
      return [{ label: textIn(json['text']), blockId: String(block['block_id']), json }];
    });
  });
}

export function textIn(given: unknown): string {
  if (typeof given === 'string') return given;
  return isRecord(given) && typeof given['text'] === 'string' ? given['text'] : '';
}

export interface Pressing {
  readonly user: User;
  readonly button: Button;
  /** Where the button stands. */
  readonly on: Message | View;
}

export function pressJson(api: Api, { user, button, on }: Pressing): Json {
  const { type, action_id, value, text, style } = button.json;
  const action = { type, action_id, block_id: button.blockId, text, value, style, action_ts: api.world.nextTs() };
  const place = 'ts' in on ? messagePlace(api, user, on) : viewPlace(api, on);
  return { type: 'block_actions', ...byWhom(api, user), ...place, actions: [action] };
}

function messagePlace(api: Api, user: User, message: Message): Json {
  const { channel, ts, threadTs, ephemeralTo } = message;
  const thread = threadTs === null ? {} : { thread_ts: threadTs };
  const address = api.tickets.address({ channel, user: user.id, threadTs, message });
  return {
    container: {
      type: 'message',
      message_ts: ts,
      channel_id: channel.id,
      is_ephemeral: ephemeralTo !== null,
      ...thread,
    },
    channel: { id: channel.id, name: channelName(channel) },
    // One that only a person sees is not shown to the app again.
    ...(ephemeralTo === null ? { message: messageJson(seenBy(api), message) } : {}),
    state: { values: {} },
    response_url: `${api.root}${address}`,
  };
}

function viewPlace(api: Api, view: View): Json {
  return { container: { type: 'view', view_id: view.id }, view: viewJson(seenBy(api), view) };
}

/** By a block's label or its id: what the person typed. */
export type Filled = Readonly<Record<string, string>>;

export function submitJson(api: Api, user: User, view: View, filled: Filled): Json {
  const state = viewJson(seenBy(api), view, stateOf(view, filled));
  return { type: 'view_submission', ...byWhom(api, user), view: state, response_urls: [] };
}

export function closeJson(api: Api, user: User, view: View): Json {
  return { type: 'view_closed', ...byWhom(api, user), view: viewJson(seenBy(api), view), is_cleared: false };
}

function stateOf(view: View, filled: Filled): Json {
  const inputs = inputsOf(view);
  const known = inputs.flatMap((one) => [one.label, one.blockId]);
  const unknown = Object.keys(filled).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`No field "${unknown}" in the modal; there are: ${known.join(', ')}`);
  const entries = inputs.map(({ label, blockId, isOptional, element }) => {
    const initial = typeof element['initial_value'] === 'string' ? element['initial_value'] : null;
    const typed = filled[label] ?? filled[blockId] ?? initial;
    if (!isOptional && (typed === null || typed === '')) throw new Error(`"${label}" has to be filled in`);
    return [blockId, { [String(element['action_id'])]: filledIn(element, typed === '' ? null : typed) }] as const;
  });
  return Object.fromEntries(entries);
}

function filledIn(element: Json, typed: string | null): Json {
  const { type } = element;
  if (type !== 'static_select' && type !== 'radio_buttons') return { type, value: typed };
  const options = Array.isArray(element['options']) ? element['options'].filter(isRecord) : [];
  const chosen = options.find((one) => textIn(one['text']) === typed || one['value'] === typed);
  return { type, selected_option: chosen ?? element['initial_option'] ?? null };
}

export function inputsOf({ json }: View) {
  const blocks = Array.isArray(json['blocks']) ? json['blocks'].filter(isRecord) : [];
  return blocks.flatMap((block) => {
    const { element } = block;
    if (block['type'] !== 'input' || !isRecord(element)) return [];
    return [
      {
        label: textIn(block['label']),
        blockId: String(block['block_id']),
        isOptional: block['optional'] === true,
        element,
      },
    ];
  });
}

export function commandJson(
  api: Api,
  { user, channel, command, text }: { user: User; channel: Channel; command: string; text: string },
): { readonly payload: Json; readonly address: string } {
  const { team } = api.world;
  const address = api.tickets.address({ channel, user: user.id, threadTs: null, message: null });
  const payload = {
    token: 'verification',
    team_id: team.id,
    team_domain: team.domain,
    channel_id: channel.id,
    channel_name: channelName(channel),
    user_id: user.id,
    user_name: user.name,
    command,
    text,
    api_app_id: api.appId,
    is_enterprise_install: 'false',
    response_url: `${api.root}${address}`,
    trigger_id: api.tickets.trigger(user.id),
  };
  return { payload, address };
}

function channelName({ kind, name }: Channel): string {
  return kind === 'im' ? 'directmessage' : kind === 'group' ? 'privategroup' : name;
}

function byWhom(api: Api, user: User): Json {
  const { team } = api.world;
  return {
    user: { id: user.id, username: user.name, name: user.name, team_id: user.teamId },
    api_app_id: api.appId,
    token: 'verification',
    trigger_id: api.tickets.trigger(user.id),
    team: { id: team.id, domain: team.domain },
    enterprise: null,
    is_enterprise_install: false,
  };
}
