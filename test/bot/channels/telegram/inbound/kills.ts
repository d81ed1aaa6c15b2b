// A listener to a Telegram that is killed again and again while a person goes on writing and pressing.
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
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
  const card = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
  return surviveKills({
    entry: join(import.meta.dirname, 'fixtures/listener.ts'),
    dbPath: home.dbPath,
    args: [home.dir, telegram.apiRoot, telegram.token],
    points,
    speak(round) {
      for (let number = 0; number < textsInRound; number += 1) {
        clock.advance(3_001);
        ada.says(ada.chat, `shop: task ${round}-${number}`);
      }
      ada.pressesData(card, 'm999999.0');
      return textsInRound + 1;
    },
    thread: 'tg:1000',
    allHeard(store) {
      const isHeard = () => telegram.updates.pending.length === 0 && store.pendingInbox().length === 0;
      return telegram.until('all are heard', () => telegram.updates.isPolled && isHeard(), 30_000);
    },
  });
}
