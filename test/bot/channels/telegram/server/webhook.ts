// Updates pushed to an address instead of being asked for: one at a time, each until it is taken.
import { request } from 'node:http';
import type { Clock } from '../../fixture/clock.js';
import { badRequest } from './refusal.js';
import type { Update, Updates } from './updates.js';

export interface WebhookInfo {
  readonly url: string;
  readonly has_custom_certificate: false;
  readonly pending_update_count: number;
  readonly last_error_message?: string;
}

const retryMs = 1_000;
const maxAnswerMs = 60_000;

export class Webhook {
  readonly #updates: Updates;
  readonly #clock: Clock;
  #url: string | null = null;
  #secret: string | null = null;
  #isBusy = false;
  #lastError: string | null = null;

  constructor(updates: Updates, clock: Clock) {
    this.#updates = updates;
    this.#clock = clock;
    updates.onPush = () => this.#deliver();
  }

  get isSet(): boolean {
    return this.#url !== null;
  }

  set(url: string, secret: string | null): void {
    // The platform wants https; here nothing leaves the machine.
    if (!/^http:\/\/127\.0\.0\.1:\d+\//.test(url)) {
      throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
    }
    if (secret !== null && !/^[\w-]{1,256}$/.test(secret)) {
      throw badRequest('secret token contains unallowed characters');
    }
    this.#url = url;
    this.#secret = secret;
    this.#deliver();
  }

  remove(): void {
    this.#url = null;
  }

  info(): WebhookInfo {
    return {
      url: this.#url ?? '',
      has_custom_certificate: false,
      pending_update_count: this.#updates.pending.length,
      ...(this.#lastError === null ? {} : { last_error_message: this.#lastError }),
    };
  }

  #deliver(): void {
    const url = this.#url;
    const update = this.#updates.first();
    if (url === null || update === null || this.#isBusy) return;
    this.#isBusy = true;
    const go = (error: string | null) => {
      this.#isBusy = false;
      this.#lastError = error;
      if (error === null) {
        this.#updates.delivered(update);
        this.#deliver();
      } else this.#clock.after(retryMs, () => this.#deliver());
    };
    post(url, this.#secret, update, go);
  }
}

function post(url: string, secret: string | null, update: Update, go: (error: string | null) => void): void {
  const headers = {
    'content-type': 'application/json',
    ...(secret === null ? {} : { 'x-telegram-bot-api-secret-token': secret }),
  };
  let isOver = false;
  const end = (error: string | null) => {
    if (isOver) return;
    isOver = true;
    go(error);
  };
  const sent = request(url, { method: 'POST', headers, timeout: maxAnswerMs }, (answer) => {
    answer.resume();
    const { statusCode = 0 } = answer;
    end(statusCode >= 200 && statusCode < 300 ? null : `Wrong response from the webhook: ${statusCode}`);
  });
  sent.on('timeout', () => sent.destroy(new Error('Read timeout expired')));
  sent.on('error', (error) => end(error.message));
  sent.end(JSON.stringify(update));
}
