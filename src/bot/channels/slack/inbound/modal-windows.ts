import type { webApi } from '@slack/bolt';
import type { RunReader } from '../../../../store/index.js';
import type { InboundMessage } from '../../../inbound/inbox-service.js';
import { signalled, whyOf } from '../client.js';
import { windowFor } from '../render/modal.js';
import { errorOf } from './connection/call-failure.js';
import type { SlackWindow } from './read/read-context.js';

export interface WindowsParts {
  readonly api: webApi.WebClient;
  readonly reader: RunReader;
  readonly log: (message: string) => void;
  readonly note: (said: InboundMessage) => void;
  readonly signal: AbortSignal;
}

const maxKept = 1_000;

export class Windows {
  readonly #parts: WindowsParts;
  readonly #asked = new Set<string>();

  constructor(parts: WindowsParts) {
    this.#parts = parts;
  }

  /** If it fails, the thread asks for the text. */
  async open(window: SlackWindow): Promise<void> {
    const { api, reader, log, note, signal } = this.#parts;
    const { externalId: key = '' } = window.instead;
    if (this.#asked.has(key)) return;
    remember(this.#asked, key, maxKept);
    try {
      const view = windowFor(window, reader);
      await signalled(signal, () => api.views.open({ trigger_id: window.trigger, view }));
    } catch (error) {
      if (errorOf(error) === 'exchanged_trigger_id') return;
      log(`slack: a window was not opened, and the words are asked for in the thread: ${whyOf(error)}`);
      note(window.instead);
    }
  }
}

export function remember(all: Set<string>, one: string, max: number): void {
  all.delete(one);
  all.add(one);
  const [oldest] = all;
  if (all.size > max && oldest !== undefined) all.delete(oldest);
}
