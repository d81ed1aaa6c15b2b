// Telegram as others wrote it down: the chats, rights, limits and presses are the package's, and so are the updates and
// their queue. Here is only the way there by HTTP, and what the platform does and the package leaves out.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TelegramServer, UpdateQueue } from '@bonkers-agency/grammy-test';
import type { Chat, Message, Update, User } from 'grammy/types';

const me = {
  id: 123_456_789,
  is_bot: true as const,
  first_name: 'Bosun',
  username: 'bosun_elsewhere_bot',
  can_join_groups: true,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
  has_topics_enabled: false,
  allows_users_to_create_topics: false,
  can_manage_bots: false,
  supports_join_request_queries: false,
};
const token = '123456789:AAforeign-token_for_a_server_here';
const largestBody = 1_000_000;

export interface Foreign {
  readonly token: string;
  readonly apiRoot: string;
  readonly server: TelegramServer;
  /** Methods in the order of their calls; `refused` says why the package would not have it. */
  readonly calls: { readonly method: string; refused: string | null }[];
  says(user: User, text: string): Message;
  /** Gives the id under which the answer is found. */
  presses(user: User, message: Message, label: string): string;
  sent(user: User): readonly Message[];
  stop(): Promise<void>;
}

type Payload = Record<string, unknown>;

export async function startForeign(): Promise<Foreign> {
  const server = new TelegramServer(me);
  const queue = new UpdateQueue();
  const calls: Foreign['calls'] = [];
  const http = createServer((request, response) => {
    void answered({ server, queue, calls }, request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const heard = (update: Update) => {
    queue.push(update);
    return update;
  };
  return {
    ...{ token, server, calls, apiRoot: `http://127.0.0.1:${port}` },
    says(user, text) {
      const { message } = heard(server.simulateUserMessage(user, chatOf(user), text));
      if (message === undefined) throw new Error('the package made no message');
      return message;
    },
    presses(user, message, label) {
      const data = buttonsOf(message).find((button) => button.text === label)?.data;
      if (data === undefined) throw new Error(`no button ${label} under "${message.text}"`);
      return heard(server.simulateCallbackQuery(user, chatOf(user), data, message)).callback_query?.id ?? '';
    },
    sent: (user) => server.getBotMessages(user.id),
    async stop() {
      queue.abort();
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

export function buttonsOf(message: Message): readonly { readonly text: string; readonly data: string }[] {
  return (message.reply_markup?.inline_keyboard ?? []).flat().flatMap((button) => {
    return 'callback_data' in button ? [{ text: button.text, data: button.callback_data }] : [];
  });
}

function chatOf(user: User): Chat {
  return { id: user.id, type: 'private', first_name: user.first_name };
}

interface Platform {
  readonly server: TelegramServer;
  readonly queue: UpdateQueue;
  readonly calls: Foreign['calls'];
}

async function answered(platform: Platform, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const method = request.url?.split('/').at(-1) ?? '';
  const call: Foreign['calls'][number] = { method, refused: null };
  platform.calls.push(call);
  try {
    const result = await resultOf(platform, method, JSON.parse((await bodyOf(request)) || '{}'));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, result }));
  } catch (error) {
    const { code = 400, description = String(error), parameters } = error as Payload;
    call.refused = String(description);
    const refusal = { ok: false, error_code: code, description, parameters };
    response.writeHead(Number(code), { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
  }
}

async function resultOf({ server, queue }: Platform, method: string, payload: Payload): Promise<unknown> {
  if (method === 'getUpdates') {
    // A poller that died must not take the next update with it.
    for (const { resolve } of waitersOf(queue).splice(0)) resolve([]);
    return queue.getUpdates(
      Number(payload['offset'] ?? 0),
      Number(payload['limit'] ?? 100),
      Number(payload['timeout']),
    );
  }
  return server.handleApiCall(method, payload);
}

function waitersOf(queue: UpdateQueue): { readonly resolve: (updates: readonly Update[]) => void }[] {
  return Reflect.get(queue, 'waiters');
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > largestBody) throw new Error('Request Entity Too Large');
  }
  return text;
}
