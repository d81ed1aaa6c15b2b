// HTTP mode: what Slack posts to the app, signed; events, interactions and commands to one address each or all to one.
import { createHmac } from 'node:crypto';
import type { Clock } from '../../fixture/clock.js';
import type { Attempt, Delivery, Way } from './outbox.js';

export interface Addresses {
  readonly events: string;
  readonly interactions?: string;
  readonly commands?: string;
}

/** How a request is spoilt. */
export interface Forgery {
  /** Signs with another secret. */
  readonly secret?: string;
  /** Signs for a time that lies so far off. */
  readonly skewS?: number;
  readonly signature?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent in place of the payload that was signed. */
  readonly sent?: object;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
}

export class Hooks implements Way {
  readonly #clock: Clock;
  readonly #secret: string;
  readonly #addresses: Addresses;

  constructor({ clock, secret, addresses }: { clock: Clock; secret: string; addresses: Addresses }) {
    this.#clock = clock;
    this.#secret = secret;
    this.#addresses = addresses;
  }

  send(delivery: Delivery, attempt: Attempt, settle: (failure: string | null, answer?: unknown) => void): () => void {
    const hangUp = new AbortController();
    this.#deliver(delivery, attempt, hangUp.signal).then(
      (answer) => {
        attempt.status = answer.status;
        if (answer.status >= 200 && answer.status < 300) settle(null, readAnswer(answer.body));
        else settle(answer.headers.get('x-slack-no-retry') === '1' ? 'no_retry' : 'http_error');
      },
      () => settle('connection_failed'),
    );
    return () => hangUp.abort();
  }

  async #deliver(delivery: Delivery, attempt: Attempt, signal: AbortSignal): Promise<Answer> {
    const { kind, payload } = delivery;
    const { events, interactions = events, commands = events } = this.#addresses;
    const reason = delivery.attempts.at(attempt.retry - 1)?.failure === 'timeout' ? 'http_timeout' : 'http_error';
    const retry = { 'x-slack-retry-num': String(attempt.retry), 'x-slack-retry-reason': reason };
    const headers = attempt.retry === 0 ? {} : retry;
    if (kind === 'events_api')
      return await this.post(events, JSON.stringify(payload), 'application/json', { headers }, signal);
    const form = kind === 'interactive' ? { payload: JSON.stringify(payload) } : stringsOf(payload);
    const body = new URLSearchParams(form).toString();
    const address = kind === 'interactive' ? interactions : commands;
    return await this.post(address, body, 'application/x-www-form-urlencoded', { headers }, signal);
  }

  /** Signed as Slack signs, or spoilt. */
  async post(
    address: string,
    body: string,
    type: string,
    forgery: Forgery = {},
    signal?: AbortSignal,
  ): Promise<Answer> {
    const { secret = this.#secret, skewS = 0, headers = {} } = forgery;
    const at = String(Math.floor(this.#clock.now() / 1000) + skewS);
    const made = `v0=${createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')}`;
    const signed = { 'x-slack-request-timestamp': at, 'x-slack-signature': forgery.signature ?? made };
    const common = { 'content-type': type, 'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)' };
    const response = await fetch(address, {
      method: 'POST',
      headers: { ...common, ...signed, ...headers },
      body: forgery.sent === undefined ? body : JSON.stringify(forgery.sent),
      redirect: 'manual',
      ...(signal ? { signal } : {}),
    });
    return { status: response.status, body: await response.text(), headers: response.headers };
  }

  async verify(): Promise<Answer> {
    const asked = {
      token: 'verification',
      challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
      type: 'url_verification',
    };
    return await this.post(this.#addresses.events, JSON.stringify(asked), 'application/json');
  }

  async forge(payload: object, forgery: Forgery): Promise<Answer> {
    return await this.post(this.#addresses.events, JSON.stringify(payload), 'application/json', forgery);
  }
}

function stringsOf(payload: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, String(value ?? '')]));
}

/** A command may be answered with plain words. */
function readAnswer(body: string): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(body);
  } catch {
    return { text: body };
  }
}
