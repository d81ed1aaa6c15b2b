import { describe, expect, it, onTestFinished } from 'vitest';
import { BosunError } from '../../../src/base/index.js';
import { InboundLine } from '../../../src/bot/inbound/index.js';
import { type InboundMessage, type InboxService, inboxService } from '../../../src/bot/index.js';
import type { Config } from '../../../src/config/config.js';
import type { InboxRow } from '../../../src/store/messages/message-types.js';
import { openRoomIn } from '../room.js';

const projects = ['shop', 'blog'].map((name) => ({ name, aliases: [], root: '/nowhere', members: {}, chats: [] }));
const config = () => ({ projects, people: [] }) as unknown as Config;

/** Time goes by hand. */
function handClock() {
  let now = 1_000_000;
  let waits: { readonly at: number; readonly act: () => void }[] = [];
  const after = (ms: number, act: () => void) => {
    const wait = { at: now + ms, act };
    waits.push(wait);
    return () => {
      waits = waits.filter((one) => one !== wait);
    };
  };
  return {
    clock: { now: () => now, after },
    get next(): readonly number[] {
      return waits.map(({ at }) => at - now).sort((a, b) => a - b);
    },
    pass(ms: number) {
      now += ms;
      const due = waits.filter(({ at }) => at <= now);
      waits = waits.filter(({ at }) => at > now);
      for (const { act } of due) act();
    },
  };
}

function given(handle?: (row: InboxRow, own: InboxService) => Promise<unknown>) {
  const runtime = openRoomIn();
  const own = inboxService(runtime, config);
  const time = handClock();
  const log: string[] = [];
  const handled: string[] = [];
  const door = {
    verbs: own.verbs,
    note: (said: InboundMessage) => own.note(said),
    async handle(row: InboxRow) {
      await handle?.(row, own);
      handled.push(wordsOf(row));
      return own.handle(row);
    },
  };
  const open = () => {
    const line = new InboundLine({
      ...{ source: 'slack', door, config, reader: runtime.reader, inbox: runtime.inbox, clock: time.clock },
      download: () => Promise.reject(new BosunError('bad_input', 'it is gone')),
      log: (message) => log.push(message),
    });
    onTestFinished(() => line.close());
    return line;
  };
  onTestFinished(() => runtime.close());
  let number = 0;
  const said = (body: InboundMessage['body'], thread = 'sl:C1'): InboundMessage => {
    number += 1;
    return { thread, by: null, cwd: '/', externalId: `e${number}`, aliases: [`m:C1:${number}`], body };
  };
  return {
    ...{ runtime, time, log, handled, open },
    text: (text: string, thread?: string) => said({ type: 'text', text, replyTo: null }, thread),
    press: (press: string) => said({ type: 'press', press, text: null }),
    texts: () => runtime.store.messages('sl:C1', null, 50).map(({ view }) => view.text),
  };
}

function wordsOf({ body }: InboxRow): string {
  if (body.type === 'text') return body.text;
  return body.type === 'press' ? body.press : body.name;
}

/** The disk refuses these until it is well. */
function sickDisk(isSick: (words: string) => boolean = () => true) {
  const disk = { isWell: false, tries: [] as string[] };
  const handle = (row: InboxRow) => {
    disk.tries.push(wordsOf(row));
    const fails = !disk.isWell && isSick(wordsOf(row));
    return fails ? Promise.reject(new BosunError('disk', 'no space left')) : Promise.resolve();
  };
  return { disk, handle };
}

const until = (what: () => unknown) => expect.poll(what, { timeout: 5_000, interval: 1 });

describe('a stored inbound message', () => {
  it('is known by each of its ids and reports its handling once', async () => {
    const { open, text, runtime } = given();
    const line = open();
    let ends = 0;
    const said = text('help');
    const end = () => {
      ends += 1;
    };
    expect([line.note(said, end), line.note({ ...said, externalId: 'other' }, end)]).toEqual([true, false]);
    expect([runtime.store.isKnown('slack', 'm:C1:1'), runtime.store.isKnown('local', 'm:C1:1')]).toEqual([true, false]);
    line.begin();
    await until(() => ends).toBe(1);
    await line.close();
    expect([ends, runtime.store.pendingInbox()]).toEqual([1, []]);
  });

  it('is handled in order within its thread despite disk errors, without delaying other threads', async () => {
    const { disk, handle } = sickDisk((words) => words === 'use blog');
    const { open, text, time, handled } = given(handle);
    const line = open();
    for (const one of [text('use blog'), text('quiet'), text('verbose'), text('whoami', 'sl:C2')]) line.note(one);
    line.begin();
    await until(() => handled).toEqual(['whoami']);
    disk.isWell = true;
    await until(() => time.next).toEqual([1_000]);
    time.pass(1_000);
    await until(() => handled).toEqual(['whoami', 'use blog', 'quiet', 'verbose']);
  });

  it.each([['stop shop'], ['pause'], ['status shop'], ['help']])(
    'that waits for the disk is overtaken only by "%s"',
    async (hurried) => {
      const { handle } = sickDisk((words) => words === 'shop: add a login');
      const { open, text, time, handled } = given(handle);
      const line = open();
      for (const words of ['shop: add a login', 'quiet', hurried]) line.note(text(words));
      line.begin();
      await until(() => handled).toEqual([hurried]);
      expect(time.next).toEqual([1_000]);
    },
  );

  it('is overtaken by presses, but not by a second press on the same message', async () => {
    const { disk, handle } = sickDisk((words) => words === 'm1.0');
    const { open, press, handled } = given(handle);
    const line = open();
    for (const one of ['m1.0', 'm1.1', 'i2-1.deny']) line.note(press(one));
    line.begin();
    await until(() => handled).toEqual(['i2-1.deny']);
    expect(disk.tries).toEqual(['m1.0', 'i2-1.deny']);
  });

  it('that chooses the project is not overtaken by one that may depend on it', async () => {
    const { handle } = sickDisk((words) => words === 'use blog');
    const { open, text, handled } = given(handle);
    const line = open();
    for (const words of ['use blog', 'stop', 'stop shop']) line.note(text(words));
    line.begin();
    await until(() => handled).toEqual(['stop shop']);
  });

  it('is dropped with a notice when a stop overtook it', async () => {
    const { disk, handle } = sickDisk((words) => words === 'shop: add a login');
    const { open, text, time, handled, texts } = given(handle);
    const line = open();
    line.note(text('shop: add a login'));
    line.note(text('stop shop'));
    line.begin();
    await until(() => handled).toEqual(['stop shop']);
    disk.isWell = true;
    time.pass(1_000);
    await until(() => texts().at(-1)).toContain('Not done, because you said stop after it: "shop: add a login"');
    expect(handled).toEqual(['stop shop', 'told']);
  });
});

describe('a message that could not be handled', () => {
  it('is retried after a minute and then with growing backoff', async () => {
    let fails = 5;
    const { open, text, time, handled, runtime, log } = given(() => {
      fails -= 1;
      return fails >= 0 ? Promise.reject(new Error('no such luck')) : Promise.resolve();
    });
    const line = open();
    let ends = 0;
    line.note(text('whoami'), () => {
      ends += 1;
    });
    line.begin();
    const looks: number[] = [];
    for (let left = 1; left <= 6; left += 1) {
      await until(() => [log.length, time.next.length]).toEqual([Math.min(left, 5), 1]);
      const [ms = 0] = time.next;
      looks.push(ms / 60_000);
      time.pass(ms);
    }
    expect(looks).toEqual([1, 2, 4, 8, 15, 15]);
    await until(() => [handled, ends, runtime.store.pendingInbox()]).toEqual([['whoami'], 1, []]);
    expect(time.next).toEqual([]);
    expect(log[0]).toBe('slack: message 1 of the inbox hit an error: no such luck');
  });

  it('is handled before later messages of its thread, in order', async () => {
    const { disk, handle } = sickDisk();
    const { open, text, time, handled } = given(handle);
    const line = open();
    for (const words of ['use shop', 'quiet']) line.note(text(words));
    line.begin();
    for (const ms of [1_000, 10_000, 60_000]) {
      await until(() => time.next).toContain(ms);
      time.pass(ms);
    }
    await until(() => time.next).toEqual([60_000]);
    expect(new Set(disk.tries)).toEqual(new Set(['use shop']));
    disk.isWell = true;
    line.note(text('verbose'));
    line.begin();
    await until(() => handled).toEqual(['use shop', 'quiet', 'verbose']);
  });

  it('is taken over by the next line of its source, which leaves other sources alone', async () => {
    const { disk, handle } = sickDisk();
    const { open, text, time, handled, runtime } = given(handle);
    const first = open();
    first.note(text('whoami'));
    runtime.store.receive({ ...text('help'), source: 'telegram', externalId: 't', at: 1 });
    await first.close();
    disk.isWell = true;
    open().start();
    await until(() => time.next).toEqual([60_000]);
    time.pass(60_000);
    await until(() => runtime.store.pendingInbox().map(({ source }) => source)).toEqual(['telegram']);
    expect(handled).toEqual(['whoami']);
  });
});
