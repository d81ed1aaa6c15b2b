import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Config } from '../../../src/config/index.js';
import { usualCallTiming, type WebhookParts, Webhooks } from '../../../src/dispatch/webhooks/index.js';
import { openStore } from '../../open-store.js';

import { emptyBatch } from '../../store/values.js';
import { tempFolder } from '../given.js';
import { receiver } from './receiver.js';

interface Hook {
  readonly url: string;
  readonly secret?: string;
  readonly project?: string;
}

function configWith(hooks: readonly Hook[]): Config {
  const names = [...new Set(hooks.map(({ project = 'shop' }) => project))];
  const projects = names.map((name) => ({
    name,
    hookSecret: null,
    webhooks: hooks
      .filter(({ project = 'shop' }) => project === name)
      .map(({ url, secret = null }) => ({ url, secret, events: ['run', 'interaction'] })),
  }));
  return { projects, channels: { telegram: null, slack: null }, channelKinds: [] } as unknown as Config;
}

interface Given extends Partial<Pick<WebhookParts, 'backoffMs' | 'timeoutMs' | 'now' | 'calls'>> {
  readonly path?: string;
}

function given(hooks: readonly Hook[], options: Given = {}) {
  const { path = join(tempFolder(), 'bosun.db'), ...others } = options;
  const store = openStore(path, { homeId: 'h' });
  const logged: string[] = [];
  let config = configWith(hooks);
  const webhooks = new Webhooks({
    calls: store.calls,
    home: { secret: 'a'.repeat(64), apiToken: 'b'.repeat(64) },
    config: () => config,
    now: Date.now,
    log: (line) => void logged.push(line),
    ...{ backoffMs: () => 30, timeoutMs: usualCallTiming.timeoutMs },
    ...others,
  });
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await webhooks.close();
    store.close();
  };
  onTestFinished(close);
  return {
    ...{ store, webhooks, logged, path, close },
    configure: (changed: readonly Hook[]) => {
      config = configWith(changed);
    },
    /** Written as a commit writes them. */
    write(url: string, ids: readonly string[], { project = 'shop', at = Date.now() } = {}): void {
      const calls = ids.map((id) => ({ project, url, at, body: JSON.stringify({ id, type: 'run.completed' }) }));
      store.commit({ ...emptyBatch, calls });
    },
    counts: (url: string) => store.calls.counts().find((one) => one.url === url),
  };
}

const soon = { timeout: 15_000, interval: 5 };
const until = (check: () => void) => vi.waitFor(check, soon);
const idsOf = (received: readonly { readonly json: Readonly<Record<string, unknown>> }[]) =>
  received.map(({ json }) => json['id']);

describe('a webhook call', () => {
  it('carries its id, its type and a verifiable signature, or no signature without a secret', async () => {
    const [signed, plain] = [await receiver(), await receiver()];
    const bosun = given([{ url: signed.url, secret: 'only we two know' }, { url: plain.url }]);
    bosun.write(signed.url, ['d1']);
    bosun.write(plain.url, ['d1']);
    bosun.webhooks.start();
    await until(() => expect([signed.received.length, plain.received.length]).toEqual([1, 1]));
    const [call] = signed.received;
    expect(call?.headers).toMatchObject({
      'x-bosun-delivery': 'd1',
      'x-bosun-event': 'run.completed',
      'content-type': 'application/json',
    });
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(call?.headers['x-bosun-signature'])) ?? [];
    const macWith = (secret: string) => createHmac('sha256', secret).update(`${t}.${call?.body}`).digest('hex');
    expect(macWith('only we two know')).toBe(v1);
    expect(macWith('guessed')).not.toBe(v1);
    expect(Math.abs(Date.now() / 1000 - Number(t))).toBeLessThan(10);
    expect(plain.received[0]?.headers['x-bosun-signature']).toBeUndefined();
    await until(() => expect(bosun.counts(signed.url)).toMatchObject({ waiting: 0, failed: 0 }));
  });

  it('is retried under the same id until it arrives, after any kind of failure', async () => {
    const there = await receiver(500, 'reset', 'hang', 503, 408, 429, 200);
    const bosun = given([{ url: there.url }], { timeoutMs: 150 });
    bosun.write(there.url, ['d1']);
    bosun.webhooks.start();
    await until(() => expect(there.received).toHaveLength(7));
    await until(() => expect(bosun.counts(there.url)).toMatchObject({ waiting: 0, failed: 0 }));
    expect(new Set(there.received.map(({ headers }) => headers['x-bosun-delivery']))).toEqual(new Set(['d1']));
  });

  it('is retried by its own backoff while the connection is refused', async () => {
    const url = 'http://127.0.0.1:9/nobody';
    const bosun = given([{ url }], { backoffMs: (tries) => (tries < 4 ? 5 : 60_000) });
    bosun.write(url, ['d1']);
    bosun.webhooks.start();
    await until(() => expect(bosun.store.calls.heads()[0]?.tries).toBe(4));
    expect(bosun.counts(url)).toMatchObject({ waiting: 1, waitingFor: 'ECONNREFUSED' });
  });

  it.each([
    [404, 'HTTP 404'],
    [401, 'HTTP 401'],
    [302, 'HTTP 302: it redirects, and Bosun follows no redirects'],
  ])('is dropped at once on %d', async (status, problem) => {
    const elsewhere = await receiver();
    const there = await receiver((response) => response.writeHead(status, { location: elsewhere.url }).end());
    const bosun = given([{ url: there.url }]);
    bosun.write(there.url, ['d1', 'd2']);
    bosun.webhooks.start();
    await until(() => expect(idsOf(there.received)).toEqual(['d1', 'd2']));
    await until(() => expect(bosun.counts(there.url)).toMatchObject({ waiting: 0, failed: 1, problem }));
    expect(elsewhere.received).toEqual([]);
    expect(bosun.logged.join()).toContain('gave up a call');
    expect(bosun.logged.join()).not.toContain('of-the-address');
  });

  it('waits as long as Retry-After of a 429 asks', async () => {
    const later = (response: ServerResponse) => response.writeHead(429, { 'retry-after': '60' }).end();
    const there = await receiver(later);
    const bosun = given([{ url: there.url }]);
    bosun.write(there.url, ['d1']);
    bosun.webhooks.start();
    await until(() => expect(bosun.store.calls.heads()[0]?.tries).toBe(1));
    const [head] = bosun.store.calls.heads();
    expect((head?.nextAt ?? 0) - Date.now()).toBeGreaterThan(50_000);
    expect((head?.nextAt ?? 0) - Date.now()).toBeLessThan(61_000);
  });

  it('is dropped after 15 tries, and the next one is sent', async () => {
    const there = await receiver(...Array.from({ length: 15 }, () => 500));
    const bosun = given([{ url: there.url }], { backoffMs: () => 1 });
    bosun.write(there.url, ['d1', 'd2']);
    bosun.webhooks.start();
    await until(() => expect(idsOf(there.received)).toEqual([...Array.from({ length: 15 }, () => 'd1'), 'd2']));
    await until(() =>
      expect(bosun.counts(there.url)).toMatchObject({ waiting: 0, failed: 1, problem: 'HTTP 500, after 15 tries' }),
    );
  });

  it('is dropped when it is older than three days and fails again', async () => {
    const there = await receiver(500);
    const bosun = given([{ url: there.url }]);
    bosun.write(there.url, ['d1'], { at: Date.now() - 3 * 24 * 3_600_000 - 1 });
    bosun.webhooks.start();
    await until(() => expect(bosun.counts(there.url)).toMatchObject({ waiting: 0, failed: 1 }));
    expect(there.received).toHaveLength(1);
  });

  it('counts as delivered by its status, even if the response body is endless or broken', async () => {
    let sent = 0;
    const endless = (response: ServerResponse) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) sent += 16_384;
      };
      response.on('drain', more);
      more();
    };
    const torn = (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => response.socket?.resetAndDestroy());
    };
    const there = await receiver(endless, torn);
    const bosun = given([{ url: there.url }]);
    bosun.write(there.url, ['d1', 'd2', 'd3']);
    bosun.webhooks.start();
    await until(() => expect(idsOf(there.received)).toEqual(['d1', 'd2', 'd3']));
    await until(() => expect(bosun.counts(there.url)).toMatchObject({ waiting: 0, failed: 0 }));
    // What lies in the buffers of the two sockets is on top.
    expect(sent).toBeLessThan(8 * 1024 * 1024);
  });
});

describe('a webhook call whose result cannot be stored', () => {
  it('is not sent again and again', async () => {
    const there = await receiver();
    const path = join(tempFolder(), 'bosun.db');
    const store = openStore(path, { homeId: 'h' });
    onTestFinished(() => store.close());
    const tried: number[] = [];
    const full = (n: number) => {
      tried.push(n);
      throw new Error('no space left');
    };
    const bosun = given([{ url: there.url }], { path, calls: { ...store.calls, arrived: full } });
    bosun.write(there.url, ['d1', 'd2']);
    bosun.webhooks.start();
    await until(() => expect(tried).toHaveLength(1));
    bosun.webhooks.start();
    bosun.webhooks.start();
    await bosun.webhooks.close();
    expect(idsOf(there.received)).toEqual(['d1']);
    expect(bosun.logged.join()).toContain('no space left');
  });
});

describe('webhook calls to one address', () => {
  it('are sent one at a time and in order, and a failing one blocks those behind it', async () => {
    const there = await receiver(200, 500, 500, 200);
    const bosun = given([{ url: there.url }]);
    bosun.write(there.url, ['d1', 'd2', 'd3']);
    bosun.write(there.url, ['d4']);
    bosun.webhooks.start();
    await until(() => expect(idsOf(there.received)).toEqual(['d1', 'd2', 'd2', 'd2', 'd3', 'd4']));
    expect(there.mostAtOnce()).toBe(1);
  });

  it('do not block calls to another address', async () => {
    const [stuck, fine] = [await receiver('hang'), await receiver()];
    const bosun = given([{ url: stuck.url }, { url: fine.url }]);
    bosun.write(stuck.url, ['s1', 's2']);
    bosun.write(fine.url, ['d1', 'd2', 'd3']);
    bosun.webhooks.start();
    await until(() => expect(idsOf(fine.received)).toEqual(['d1', 'd2', 'd3']));
    expect(idsOf(stuck.received)).toEqual(['s1']);
  });

  it('are dropped if config.yaml no longer names the address, while those of another project are sent', async () => {
    const there = await receiver();
    const bosun = given([{ url: there.url, project: 'other' }]);
    bosun.write(there.url, ['d1', 'd2']);
    bosun.write(there.url, ['o1'], { project: 'other' });
    bosun.webhooks.start();
    await until(() => expect(idsOf(there.received)).toEqual(['o1']));
    await until(() => expect(bosun.store.calls.counts().filter(({ waiting }) => waiting > 0)).toEqual([]));
  });

  it('are dropped when the address is removed while they wait', async () => {
    const [gone, fine] = [await receiver(500), await receiver()];
    const bosun = given([{ url: gone.url }, { url: fine.url }]);
    bosun.write(gone.url, ['d1']);
    bosun.webhooks.start();
    await until(() => expect(bosun.store.calls.heads()[0]?.tries).toBe(1));
    bosun.configure([{ url: fine.url }]);
    await until(() => expect(bosun.store.calls.heads()).toEqual([]));
    expect(gone.received).toHaveLength(1);
  });

  it('are limited to 5000, dropping the oldest', async () => {
    const there = await receiver(500);
    const bosun = given([{ url: there.url }], { backoffMs: () => 60_000 });
    bosun.write(
      there.url,
      Array.from({ length: 5_100 }, (_, index) => `d${index}`),
    );
    bosun.webhooks.start();
    await until(() => expect(there.received).toHaveLength(1));
    await until(() => expect(bosun.counts(there.url)).toMatchObject({ waiting: 5_000, failed: 100 }));
    expect(idsOf(there.received)).toEqual(['d100']);
  });

  it('leave a bounded number of delivered rows', async () => {
    const there = await receiver();
    const bosun = given([{ url: there.url }]);
    bosun.write(
      there.url,
      Array.from({ length: 620 }, (_, index) => `d${index}`),
    );
    bosun.webhooks.start();
    await vi.waitFor(() => expect(bosun.counts(there.url)?.waiting).toBe(0), { timeout: 40_000, interval: 50 });
    expect(there.received.length).toBe(620);
    expect(bosun.counts(there.url)?.arrived).toBeLessThanOrEqual(600);
    expect(bosun.counts(there.url)?.arrived).toBeGreaterThanOrEqual(500);
  });
});

describe('a webhook call at shutdown', () => {
  it('is cut off if it hangs, without counting as a try, and sent again at the next start', async () => {
    const there = await receiver('hang');
    const bosun = given([{ url: there.url }]);
    bosun.write(there.url, ['d1']);
    bosun.webhooks.start();
    await until(() => expect(there.received).toHaveLength(1));
    const before = Date.now();
    await bosun.close();
    expect(Date.now() - before).toBeLessThan(5_000);
    const next = given([{ url: there.url }], { path: bosun.path });
    expect(next.store.calls.heads()).toMatchObject([{ tries: 0 }]);
    next.webhooks.start();
    await until(() => expect(idsOf(there.received)).toEqual(['d1', 'd1']));
    await until(() => expect(next.store.calls.heads()).toEqual([]));
  });

  it('keeps waiting for its backoff after a restart', async () => {
    const there = await receiver(500);
    const bosun = given([{ url: there.url }], { backoffMs: () => 60_000 });
    bosun.write(there.url, ['d1']);
    bosun.webhooks.start();
    await until(() => expect(bosun.store.calls.heads()[0]?.tries).toBe(1));
    await bosun.close();
    const clock = { now: Date.now() };
    const next = given([{ url: there.url }], { path: bosun.path, now: () => clock.now });
    next.webhooks.start();
    expect(there.received).toHaveLength(1);
    clock.now += 61_000;
    next.webhooks.start();
    await until(() => expect(there.received).toHaveLength(2));
  });
});
