// The buttons of an attempt that gives no sign, pressed in a real room with a real child that hangs.
import { expect, it, onTestFinished } from 'vitest';
import { perform, present, requestSchema } from '../../../src/bot/index.js';
import { type App, openApp } from '../../../src/cli/app.js';
import { emptyPlan } from '../../../src/dispatch/index.js';
import type { Message } from '../../../src/store/messages/message-types.js';
import { givenWorld, oneAgent, type World } from '../../dispatch/given.js';

const longMs = 30_000;
/** The first try hangs; what comes after it passes. */
const hangsOnce = 'note "try"; if [ "$(wc -l < "$NOTED")" -lt 2 ]; then exec sleep 600; fi; echo "STATUS: pass"';
const flow =
  'workflow: one\nversion: 1\nchain:\n  - { id: build, prompt: "Build it.", max_attempts: 1, timeout: 5m }\n';

interface Hanging {
  readonly world: World;
  readonly app: App;
  readonly attempt: string;
  press(button: number, as?: string): Promise<readonly string[]>;
  messages(): readonly Message[];
}

async function hanging(): Promise<Hanging> {
  const world = givenWorld(
    '',
    `${oneAgent.trimEnd().replace(/ \} \}$/, ', members: { vic: viewer } } }')}\npeople: { vic: {} }\n`,
  );
  world.agent(hangsOnce.replaceAll('$NOTED', `${world.root}/../noted`));
  world.write('.ai/workflows/one.yaml', flow);
  const app = await openApp({ home: world.home, work: true, log: () => undefined });
  onTestFinished(() => app.close());
  const ask = async (request: Record<string, unknown>) =>
    (await perform(app, requestSchema.parse(request))).messages.map(({ view }) => view.text);
  await ask({ do: 'run', project: 'shop', task: 'Make it', workflow: 'one' });
  await expect.poll(() => world.notes().length, { timeout: 10_000, interval: 10 }).toBeGreaterThan(0);
  const { runtime } = app;
  const attempt = runtime.store.run('r1')?.live[0]?.attempt ?? '';
  const sign = { at: 1, line: '', action: '', text: '', tokensIn: 0, tokensOut: 0, costUsd: null, silentMs: 600_000 };
  const stall = {
    attempt,
    run: 'r1',
    about: { project: 'shop', chain: '', work: 'Make it', step: 'build' },
    number: 1,
    kind: 'silent',
    sign,
  } as const;
  const { messages } = await runtime.submit((now) => ({
    ...emptyPlan,
    messages: present.stalled(stall, ['local'], now.at),
  }));
  return {
    ...{ world, app, attempt },
    press: (button, as) => ask({ do: 'press', press: `${messages[0]?.id}.${button}`, as: as ?? null }),
    messages: () => runtime.store.messages('local', null, 200),
  };
}

it(
  '"Kill and retry" ends the stalled attempt and retries its step without asking',
  async () => {
    const { world, app, attempt, press, messages } = await hanging();
    expect(await press(0)).toEqual(['shop: trying build again.']);
    expect(await app.runtime.whenAtRest('shop', longMs)).toBe(true);
    expect(world.notes()).toEqual(['try', 'try']);
    expect(app.runtime.store.run('r1')?.status).toBe('completed');
    expect(app.runtime.store.attempt(attempt)?.attempt).toMatchObject({ outcome: 'cancelled' });
    expect(messages().filter(({ interaction }) => interaction !== null)).toEqual([]);
    expect(await press(0)).toEqual(['That attempt has already ended.']);
    expect(await press(1)).toEqual(['That attempt has already ended.']);
  },
  longMs,
);

it(
  '"Keep waiting" leaves the stalled attempt running, and a viewer may press neither button',
  async () => {
    const { world, app, press } = await hanging();
    expect((await press(0, 'vic')).join()).toMatch(/takes an operator/);
    expect((await press(1, 'vic')).join()).toMatch(/takes an operator/);
    expect(await press(1)).toEqual(["shop: waiting. I'll alert you again if it stays silent."]);
    expect([world.notes(), app.runtime.store.run('r1')?.live.length]).toEqual([['try'], 1]);
  },
  longMs,
);
