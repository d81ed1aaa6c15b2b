import { describe, expect, it } from 'vitest';
import { inboxService } from '../../src/bot/index.js';
import type { Config } from '../../src/config/config.js';
import { beginFault, catchWriter } from '../faults/fault.js';
import { openRoomIn } from './room.js';

describe('the inbox service', () => {
  it('answers a message that hits a bug and does not retry it at the next start', async () => {
    const runtime = openRoomIn();
    const broken = {
      get projects(): never {
        throw new Error('boom');
      },
      people: [],
    } as unknown as Config;
    const door = inboxService(runtime, () => broken);
    const heard = await door.hear({
      thread: 't1',
      by: null,
      body: { type: 'text', text: 'status', replyTo: null },
      cwd: '/',
    });
    expect([heard.exit, heard.messages.map((one) => one.view.text)]).toEqual([
      3,
      ['An error stopped that, and nothing was done: boom'],
    ]);
    expect(runtime.store.pendingInbox()).toEqual([]);
    await runtime.close();
  });

  it('strips the word joiners that keep copied text from being tappable', async () => {
    const runtime = openRoomIn();
    const door = inboxService(runtime, () => ({ projects: [], channelKinds: [], people: [] }) as unknown as Config);
    const said = { thread: 't1', by: null, cwd: '/' };
    door.note({ ...said, body: { type: 'text', text: 'mend src/main.\u2060rs', replyTo: null } });
    door.note({ ...said, body: { type: 'press', press: 'm1.0', text: 'ask @\u2060ada' } });
    expect(runtime.store.pendingInbox().map(({ body }) => 'text' in body && body.text)).toEqual([
      'mend src/main.rs',
      'ask @ada',
    ]);
    await runtime.close();
  });

  it('recovers stored messages once and continues past a failing one', async () => {
    const runtime = openRoomIn();
    const row = { source: 'local', thread: 't1', by: null, at: 1 };
    runtime.store.receive({ ...row, externalId: 'a', body: { type: 'press', press: 'm99.0', text: null } });
    runtime.store.receive({ ...row, externalId: 'b', body: { type: 'text', text: 'help', replyTo: null } });
    const door = inboxService(runtime, () => ({ projects: [], channelKinds: [], people: [] }) as unknown as Config);
    await door.recover();
    expect(runtime.store.pendingInbox()).toEqual([]);
    const kinds = runtime.store.messages('t1', null, 10).map((one) => one.view.kind);
    expect(kinds).toEqual(['error', 'answer']);
    await door.recover();
    expect(runtime.store.messages('t1', null, 10)).toHaveLength(2);
    await runtime.close();
  });

  it('rejects a message that is sent again under its id', async () => {
    const runtime = openRoomIn();
    const door = inboxService(runtime, () => ({ projects: [], channelKinds: [], people: [] }) as unknown as Config);
    const said = { thread: 't1', by: null, body: { type: 'text', text: 'help', replyTo: null }, cwd: '/' } as const;
    await door.hear({ ...said, externalId: 'x' });
    await expect(door.hear({ ...said, externalId: 'x' })).rejects.toThrow('was heard before');
    await runtime.close();
  });

  it('handles a stored message as soon as the database is writable, and says so', async () => {
    const { opened: runtime, db } = await catchWriter(openRoomIn);
    const door = inboxService(runtime, () => ({ projects: [], channelKinds: [], people: [] }) as unknown as Config);
    const { receive } = runtime.store;
    let end: () => void = () => undefined;
    const thenFull = (...args: Parameters<typeof receive>) => {
      const row = receive(...args);
      end = beginFault('full', db);
      return row;
    };
    Object.assign(runtime.store, { receive: thenFull });
    const heard = door.hear({ thread: 't1', by: null, body: { type: 'text', text: 'help', replyTo: null }, cwd: '/' });
    await expect(heard).rejects.toMatchObject({ code: 'disk', hint: expect.stringContaining("Don't send it again") });
    expect(runtime.store.pendingInbox()).toHaveLength(1);
    end();
    await expect.poll(() => runtime.store.pendingInbox()).toEqual([]);
    expect(runtime.store.messages('t1', null, 10).map((one) => one.view.kind)).toEqual(['answer']);
    await runtime.close();
  });

  it('refuses a text that is too long with its length and the limit', async () => {
    const runtime = openRoomIn();
    const door = inboxService(runtime, () => ({ projects: [], channelKinds: [], people: [] }) as unknown as Config);
    const body = { type: 'text', text: 'x'.repeat(40_001), replyTo: null } as const;
    const { messages } = await door.hear({ thread: 't1', by: null, body, cwd: '/' });
    expect(messages[0]?.view.text).toBe('That message is too long: 40001 characters. I read at most 40000.');
    await runtime.close();
  });

  it('stores a message before handling it and recognizes it by each of its ids', async () => {
    const runtime = openRoomIn();
    const door = inboxService(
      runtime,
      () => ({ projects: [], channelKinds: [], people: [{ name: 'ada' }] }) as unknown as Config,
    );
    const body = { type: 'text', text: 'whoami', replyTo: null } as const;
    const said = { thread: 'tg:-7:3', by: 'ada', body, cwd: '/', source: 'telegram' };
    const row = door.note({ ...said, externalId: '1:1', aliases: ['m:1'] });
    expect(runtime.store.pendingInbox()).toEqual([expect.objectContaining({ id: row?.id, source: 'telegram', body })]);
    expect(door.note({ ...said, externalId: '1:2', aliases: ['m:1'] })).toBeNull();
    if (row) await door.handle(row);
    expect(runtime.store.pendingInbox()).toEqual([]);
    expect(runtime.store.thread('tg:-7:3')).toMatchObject({ channel: 'telegram', address: { chat: '-7', topic: '3' } });
    await runtime.close();
  });

  it("posts Bosun's own news to unknown people but accepts no input from them", async () => {
    const runtime = openRoomIn();
    const door = inboxService(runtime, () => ({ projects: [], channelKinds: [], people: [] }) as unknown as Config);
    const news = { news: 'a code', threads: ['tg:9'], card: null, rings: false };
    const came = { kind: 'saved', path: '.ai/inbox/x', project: 'shop' };
    const bodies = [
      { type: 'command', name: 'told', args: news },
      { type: 'text', text: 'help', replyTo: null },
      { type: 'press', press: 'i1-1.approve', text: null },
      { type: 'command', name: 'file', args: { name: 'x', caption: 'help', album: null, came } },
    ] as const;
    for (const body of bodies) await door.hear({ thread: 'tg:9', by: 'gone', cwd: '/', body });
    const said = runtime.store.messages('tg:9', null, 10).map(({ view }) => view.text.split('.')[0]);
    expect(said).toEqual(['a code', "I don't know gone", "I don't know gone", "I don't know gone"]);
    await runtime.close();
  });
});
