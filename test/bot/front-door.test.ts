import { describe, expect, it } from 'vitest';
import { frontDoor } from '../../src/bot/index.js';
import type { Config } from '../../src/dispatch/index.js';
import { openRoomIn } from './room.js';

describe('the front door', () => {
  it('answers a message that hits a bug, and does not meet it again at the next start', async () => {
    const room = openRoomIn();
    const broken = {
      get projects(): never {
        throw new Error('boom');
      },
      people: [],
    } as unknown as Config;
    const door = frontDoor(room, () => broken);
    const heard = await door.hear({
      thread: 't1',
      by: null,
      body: { type: 'text', text: 'status', replyTo: null },
      cwd: '/',
    });
    expect([heard.exit, heard.messages.map((one) => one.view.text)]).toEqual([
      3,
      ['That hit an error, and nothing was done: boom'],
    ]);
    expect(room.store.pendingInbox()).toEqual([]);
    await room.close();
  });

  it('takes up what was written down before, once, and goes on over what fails', async () => {
    const room = openRoomIn();
    const row = { source: 'local', thread: 't1', by: null, at: 1 };
    room.store.receive({ ...row, externalId: 'a', body: { type: 'press', press: 'm99.0', text: null } });
    room.store.receive({ ...row, externalId: 'b', body: { type: 'text', text: 'help', replyTo: null } });
    const door = frontDoor(room, () => ({ projects: [], people: [] }) as unknown as Config);
    await door.recover();
    expect(room.store.pendingInbox()).toEqual([]);
    const kinds = room.store.messages('t1', null, 10).map((one) => one.view.kind);
    expect(kinds).toEqual(['error', 'answer']);
    await door.recover();
    expect(room.store.messages('t1', null, 10)).toHaveLength(2);
    await room.close();
  });

  it('takes a message that is sent again under its id once', async () => {
    const room = openRoomIn();
    const door = frontDoor(room, () => ({ projects: [], people: [] }) as unknown as Config);
    const said = { thread: 't1', by: null, body: { type: 'text', text: 'help', replyTo: null }, cwd: '/' } as const;
    await door.hear({ ...said, externalId: 'x' });
    await expect(door.hear({ ...said, externalId: 'x' })).rejects.toThrow('was heard before');
    await room.close();
  });

  it('says of a text that is too long that it is too long', async () => {
    const room = openRoomIn();
    const door = frontDoor(room, () => ({ projects: [], people: [] }) as unknown as Config);
    const body = { type: 'text', text: 'x'.repeat(40_001), replyTo: null } as const;
    const { messages } = await door.hear({ thread: 't1', by: null, body, cwd: '/' });
    expect(messages[0]?.view.text).toBe('That is too long: 40001 characters; I read 40000 at most.');
    await room.close();
  });
});
