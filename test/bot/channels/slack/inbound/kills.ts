// A listener to a Slack that is killed again and again while a person goes on writing.
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newHome } from '../../fixture/inbox.js';
import { type Survived, surviveKills } from '../../fixture/listeners.js';
import { startSlack } from '../server/index.js';
import { usualConfig } from './given.js';

const textsInRound = 3;

/** `points`: after how many steps of its parts each listener is killed. */
export async function survived(points: readonly number[]): Promise<Survived> {
  // Slack waits while the listener starts anew, as long as a busy machine takes for that.
  const slack = await startSlack({ patience: { ackWithinMs: 1_000, retriesAfterMs: Array(2_000).fill(500) } });
  onTestFinished(() => slack.close());
  const { home } = newHome(usualConfig);
  const ada = slack.person('U02ADA', 'Ada');
  return surviveKills({
    entry: join(import.meta.dirname, 'fixtures/listener.ts'),
    dbPath: home.dbPath,
    args: [home.dir, slack.apiUrl, slack.tokens.bot, slack.tokens.app],
    points,
    speak(round) {
      for (let number = 0; number < textsInRound; number += 1) ada.says(ada.chat, `shop: task ${round}-${number}`);
      return textsInRound;
    },
    thread: `sl:${ada.chat.id}`,
    allHeard(store) {
      const isHeard = () =>
        slack.deliveries.every(({ ackedAt }) => ackedAt !== null) && store.pendingInbox().length === 0;
      return slack.until('all are heard', isHeard, 300_000);
    },
  });
}
