// How a person's own client speaks to Bosun: requests that may break, a look at the status, and the stream of messages,
// taken up again where it broke off.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { z } from 'zod';

export interface Address {
  readonly port: number;
  readonly token: string;
}

export type Answer =
  | { readonly kind: 'exit'; readonly exit: number }
  | { readonly kind: 'broken'; readonly why: string };

const endSchema = z.union([z.object({ exit: z.number() }), z.object({ error: z.object({ message: z.string() }) })]);

/** Never throws: a connection that breaks is what these tests are about. */
export async function ask(
  to: Address,
  body: object,
  hooks: { readonly onSent: () => void; readonly onHeard: () => void },
): Promise<Answer> {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  try {
    const response = await open(to, { method: 'POST', path: '/api/requests', headers }, text, hooks.onSent);
    hooks.onHeard();
    const said = (await textOf(response)).split('\n').filter((line) => line !== '');
    const end = endSchema.safeParse(JSON.parse(said.at(-1) ?? 'null'));
    if (!end.success) return { kind: 'broken', why: `it ended with ${said.at(-1)}` };
    return 'exit' in end.data ? { kind: 'exit', ...end.data } : { kind: 'broken', why: end.data.error.message };
  } catch (error) {
    return { kind: 'broken', why: String(error) };
  }
}

export async function get(to: Address, path: string): Promise<unknown> {
  return JSON.parse(await textOf(await open(to, { path }, '', () => undefined)));
}

function open(to: Address, options: RequestOptions, body: string, onSent: () => void): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { ...options.headers, authorization: `Bearer ${to.token}` };
    const sent = httpRequest({ host: '127.0.0.1', port: to.port, agent: false, ...options, headers });
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.end(body, onSent);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return text;
}

const messageSchema = z.object({
  id: z.string(),
  kind: z.string(),
  text: z.string(),
  edits: z.string().nullable(),
  buttons: z.array(z.object({ label: z.string(), press: z.string() })),
});

export type Shown = z.infer<typeof messageSchema>;

/** All that Bosun posts in a thread, however often the connection breaks. */
export class Listener {
  readonly messages: Shown[] = [];
  readonly #looks = new Set<() => void>();

  /** Listens until the connection ends. */
  attach(to: Address): void {
    const headers = { 'last-event-id': this.messages.at(-1)?.id ?? 'm0' };
    const opened = open(to, { path: '/api/stream?thread=local', headers }, '', () => undefined);
    opened.then((response) => this.#follow(response)).catch(() => this.#look());
  }

  onMessage(listen: () => void): () => void {
    this.#looks.add(listen);
    return () => this.#looks.delete(listen);
  }

  /** The newest message that fits, waited for. */
  newest(fits: (message: Shown) => boolean, timeoutMs: number): Promise<Shown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#looks.delete(look);
        reject(new Error('what was waited for was never posted'));
      }, timeoutMs);
      const look = () => {
        const found = this.messages.findLast(fits);
        if (!found) return;
        clearTimeout(timer);
        this.#looks.delete(look);
        resolve(found);
      };
      this.#looks.add(look);
      look();
    });
  }

  async #follow(response: IncomingMessage): Promise<void> {
    let rest = '';
    for await (const chunk of response.setEncoding('utf8')) {
      const events = `${rest}${String(chunk)}`.split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) this.#take(event);
    }
  }

  #take(event: string): void {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data === undefined) return;
    this.messages.push(messageSchema.parse(JSON.parse(data)));
    this.#look();
  }

  #look(): void {
    for (const look of [...this.#looks]) look();
  }
}
