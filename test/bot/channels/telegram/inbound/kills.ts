// A listener to a Telegram that is killed again and again while a person goes on writing and pressing.
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { batchOf } from '../../../../empty-batch.js';
import { openStore } from '../../../../open-store.js';
import { HandClock } from '../../fixture/clock.js';
import { newHome } from '../../fixture/inbox.js';
import { type Survived, surviveKills } from '../../fixture/listeners.js';
import { startTelegram } from '../server/index.js';
import { usualConfig } from './given.js';

const textsInRound = 6;

/** `points`: after how many steps of its parts each listener is killed. */
export async function survived(points: readonly number[]): Promise<Survived> {
  const clock = new HandClock(1_750_000_000_000);
  const telegram = await startTelegram({ clock });
  onTestFinished(() => telegram.stop());
  const { home } = newHome(usualConfig);
  const ada = telegram.person(1000, 'Ada');
  const button = offeredIn(home.dbPath);
  const card = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
  const survived = await surviveKills({
    entry: join(import.meta.dirname, 'fixtures/listener.ts'),
    dbPath: home.dbPath,
    args: [home.dir, telegram.apiRoot, telegram.token],
    points,
    speak(round) {
      for (let number = 0; number < textsInRound; number += 1) {
        clock.advance(3_001);
        ada.says(ada.chat, `shop: task ${round}-${number}`);
      }
      ada.pressesData(card, button);
      return textsInRound + 1;
    },
    thread: 'tg:1000',
    allHeard(store) {
      const isHeard = () => telegram.updates.pending.length === 0 && store.pendingInbox().length === 0;
      return telegram.until('all are heard', () => telegram.updates.isPolled && isHeard(), 30_000);
    },
  });
  // The message with the button is no answer.
  return { ...survived, answers: survived.answers - 1 };
}

/** A button that each press answers with a message: it reads, so it stays. */
function offeredIn(dbPath: string): string {
  const store = openStore(dbPath);
  const buttons = [{ label: 'Status', press: '.0' }];
  const view = { kind: 'answer', text: 'Which?', buttons, offers: ['status shop'], rings: false, file: null };
  const message = { thread: 'tg:1000', run: null, interaction: null, card: null, view, at: 1 };
  const [stored] = store.commit(batchOf({ messages: [message] }));
  store.close();
  return `${stored?.id}.0`;
}
