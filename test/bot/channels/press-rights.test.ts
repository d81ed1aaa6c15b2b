// What a press tells its presser before it is decided, by the right that its option needs.
import { describe, expect, it } from 'vitest';
import { outcomeOfPress } from '../../../src/bot/commands/press-outcome.js';
import { grammar } from '../../../src/bot/grammar/index.js';
import type { Config } from '../../../src/config/index.js';
import type { Interaction } from '../../../src/engine/index.js';
import type { Store } from '../../../src/store/index.js';

const config = {
  projects: [{ name: 'shop', members: { olga: 'operator', bob: 'reviewer', vic: 'viewer' } }],
} as unknown as Config;

function asking(kind: Interaction['kind']): Store {
  const options = ['answer', 'approve', 'skip', 'abort'].map((id) => ({ id, label: id, needsText: false }));
  const interaction = { id: 'i1-1', kind, subject: { type: kind }, state: 'open', options };
  return {
    interaction: () => ({ run: 'r1', interaction }),
    run: () => ({ project: 'shop' }),
  } as unknown as Store;
}

describe('a press on a question or card', () => {
  it.each([
    ['question', 'answer', 'bob', true],
    ['question', 'skip', 'bob', false],
    ['question', 'abort', 'bob', false],
    ['question', 'skip', 'olga', true],
    ['review', 'approve', 'bob', true],
    ['review', 'approve', 'vic', false],
    ['confirm', 'approve', 'bob', false],
    ['permission', 'approve', 'bob', false],
    ['budget', 'approve', 'olga', false],
  ] as const)(
    'on a %s, option %s, by %s gets the same verdict in Telegram and in Slack: allowed %s',
    (kind, option, by, isAllowed) => {
      const store = asking(kind);
      const role = config.projects[0]?.members[by];
      const outcome = outcomeOfPress({ reader: store, deliveries: store.deliveries }, `i1-1.${option}`, {
        config,
        grammar,
        by,
        thread: 'tg:1',
      });
      expect(outcome).toEqual(
        isAllowed
          ? { kind: 'open', label: option }
          : { kind: 'refused', why: expect.stringMatching(new RegExp(`^You're an? ${role} in shop; .* takes an? `)) },
      );
    },
  );
});
