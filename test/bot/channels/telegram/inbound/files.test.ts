import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from 'grammy';
import { describe, expect, it } from 'vitest';
import { downloadFrom } from '../../../../../src/bot/channels/telegram/inbound/open-inbound.js';
import { type Ears, given } from './given.js';

const inChat = 'tg:1000';
const inboxOf = (folder: string, project = 'shop') => join(folder, project, '.ai', 'inbox');

function file({ telegram }: Ears, name = 'spec.md', text = '# Spec', sizeBytes?: number) {
  return telegram.world.addFile(name, Buffer.from(text), sizeBytes);
}

describe('a file sent by a member', () => {
  it('is saved in the inbox of the project in its caption, and its path is reported', async () => {
    const ears = await given();
    const { ada, posted, folder } = ears;
    ada.sends(ada.chat, file(ears), { caption: 'shop' });
    const [told = ''] = await posted(inChat);
    const path = /^Saved for shop: (\.ai\/inbox\/\d{4}-\d\d-\d\d-1-spec\.md)$/.exec(told)?.[1] ?? '';
    const saved = join(folder, 'shop', path);
    expect([readFileSync(saved, 'utf8'), statSync(saved).mode & 0o111]).toEqual(['# Spec', 0]);
  });

  it('is added by path to the task in its caption', async () => {
    const ears = await given();
    const { ada, posted, runtime } = ears;
    ada.sends(ada.chat, file(ears), { caption: 'shop: build what this says' });
    const said = await posted(inChat, 2);
    expect(said.filter((one) => one.startsWith('Saved for shop'))).toHaveLength(1);
    expect(runtime.store.drafts('shop')[0]?.task).toMatch(/^build what this says \(file: \.ai\/inbox\/.*spec\.md\)$/);
  });

  it('is not saved when its project is unclear', async () => {
    const ears = await given();
    const { ada, posted, folder } = ears;
    ada.sends(ada.chat, file(ears), { caption: 'have a look' });
    expect(await posted(inChat)).toEqual([
      "spec.md wasn't saved: send it again with the name of its project as the caption",
    ]);
    expect([existsSync(inboxOf(folder)), existsSync(inboxOf(folder, 'blog'))]).toEqual([false, false]);
  });

  it('is saved for the project chosen in the chat', async () => {
    const ears = await given();
    const { ada, posted, folder } = ears;
    ada.says(ada.chat, 'use blog');
    await posted(inChat);
    ada.sends(ada.chat, file(ears));
    await posted(inChat, 2);
    expect(readdirSync(inboxOf(folder, 'blog'))).toHaveLength(1);
  });

  it('is refused from strangers and from members without the right to drive work', async () => {
    const ears = await given();
    const { telegram, posted, folder } = ears;
    const bob = telegram.person(1001, 'Bob');
    const eve = telegram.person(5_000, 'Eve');
    bob.sends(bob.chat, file(ears), { caption: 'shop' });
    eve.sends(eve.chat, file(ears), { caption: 'shop' });
    expect(await posted('tg:1001')).toEqual([
      "spec.md wasn't saved: You're a reviewer in shop; continuing work takes an operator: Ada.",
    ]);
    expect((await posted('tg:5000'))[0]).toContain('bosun pair');
    expect([existsSync(inboxOf(folder)), telegram.ledger.count('getFile')]).toEqual([false, 0]);
  });

  it('gets a safe name and never overwrites another file', async () => {
    const ears = await given();
    const { ada, posted, folder } = ears;
    for (const name of ['../../.git/config', '.env', 'a b;$(rm -rf) `x`.sh', 'ünï.txt', '.env']) {
      ada.sends(ada.chat, file(ears, name), { caption: 'shop' });
    }
    await posted(inChat, 5);
    const names = readdirSync(inboxOf(folder)).map((name) => name.slice(11).replace(/^\d+-/, ''));
    expect(names.sort()).toEqual(['a-b_rm-rf_-_x_.sh', 'config', 'env', 'env', 'uni.txt']);
  });

  it('larger than 20 MB is refused, with or without an announced size', async () => {
    let downloads = 0;
    async function* tooMuch() {
      for (let mb = 0; mb < 21; mb += 1) yield new Uint8Array(1024 * 1024);
    }
    const download = () => {
      downloads += 1;
      return Promise.resolve(tooMuch());
    };
    const ears = await given({ parts: { download } });
    const { ada, posted, folder } = ears;
    ada.sends(ada.chat, file(ears, 'big.bin', 'x', 21 * 1024 * 1024), { caption: 'shop' });
    ada.sends(ada.chat, file(ears, 'liar.bin', 'x'), { caption: 'shop' });
    expect(await posted(inChat, 2)).toEqual([
      "big.bin wasn't saved: it is larger than 20 MB",
      "liar.bin wasn't saved: it is larger than 20 MB",
    ]);
    expect([downloads, readdirSync(inboxOf(folder))]).toEqual([1, []]);
  });

  it('announced as larger than 20 MB is not downloaded', async () => {
    const told = { file_id: 'f', file_unique_id: 'u', file_size: 21 * 1024 * 1024, file_path: 'documents/f' };
    const api = { getFile: () => Promise.resolve(told) } as unknown as Api;
    const download = downloadFrom(api, { token: '1:x', apiRoot: 'http://127.0.0.1:2' });
    await expect(download('f', new AbortController().signal)).rejects.toThrow('it is larger than 20 MB');
  });

  it('whose download fails is reported without the address', async () => {
    const ears = await given();
    const { ada, posted, telegram } = ears;
    const given_ = file(ears);
    telegram.plant({ method: 'getFile', fault: { type: 'reset', at: 'body' } });
    ada.sends(ada.chat, given_, { caption: 'shop' });
    const [told = ''] = await posted(inChat);
    expect(told).toMatch(/^spec\.md wasn't saved: it could not be downloaded \(.*\); send it again$/);
    expect(told).not.toContain('127.0.0.1');
  });

  it('is not saved through a symlink that leaves the project', async () => {
    const ears = await given();
    const { ada, posted, folder } = ears;
    mkdirSync(join(folder, 'elsewhere'));
    mkdirSync(join(folder, 'shop', '.ai'));
    symlinkSync(join(folder, 'elsewhere'), inboxOf(folder));
    ada.sends(ada.chat, file(ears), { caption: 'shop' });
    expect((await posted(inChat))[0]).toContain('leads out of it');
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });

  it('of an album is reported in one message with the others', async () => {
    const ears = await given();
    const { telegram, posted, folder, settled, runtime } = ears;
    for (const number of [1, 2, 3]) {
      const photo = file(ears, `p${number}.jpg`, `photo ${number}`);
      telegram.updates.push('message', {
        message_id: 9_000 + number,
        from: { id: 1000, is_bot: false, first_name: 'Ada' },
        chat: { id: 1000, type: 'private' },
        date: Math.floor(Date.now() / 1000),
        media_group_id: 'album-1',
        ...(number === 1 ? { caption: 'shop' } : {}),
        photo: [
          { file_id: 'small', file_unique_id: 's', file_size: 1 },
          { file_id: photo.id, file_unique_id: 'l', file_size: 7 },
        ],
      });
    }
    await settled();
    const said = await posted(inChat, 3);
    expect(said.at(-1)?.split('\n')).toHaveLength(3);
    expect(new Set(runtime.store.messages(inChat, null, 9).map(({ card }) => card))).toEqual(
      new Set(['files:album-1']),
    );
    expect(readdirSync(inboxOf(folder))).toHaveLength(3);
  });

  it('stored before a crash is downloaded at the next start', async () => {
    const ears = await given({ listens: false });
    const { ada, door, runtime, posted, intake, folder } = ears;
    const { message } = ada.sends(ada.chat, file(ears), { caption: 'shop' });
    const args = { fileId: message.file?.id, name: 'spec.md', sizeBytes: 6, caption: 'shop', album: null };
    const thread = inChat;
    door.note({
      ...{ thread, by: 'ada', cwd: '/', source: 'telegram', externalId: '7000000001:700000001' },
      body: { type: 'command', name: 'file', args },
    });
    await door.recover();
    expect(runtime.store.pendingInbox()).toHaveLength(1);
    intake.start();
    expect(await posted(inChat)).toHaveLength(1);
    expect(readdirSync(inboxOf(folder))).toHaveLength(1);
  });
});
