// A project whose people are on Telegram and Slack, in the runtime alone.
import { expect, onTestFinished } from 'vitest';
import { inboxService, present } from '../../src/bot/index.js';
import { openRuntime } from '../../src/dispatch/index.js';
import type { Message } from '../../src/store/messages/message-types.js';
import { configOf, givenWorld } from '../dispatch/given.js';
import { runtimeParts } from '../runtime-parts.js';

const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects:
  shop:
    root: "%ROOT%"
    workflow: one
    members: { ada: owner, bob: reviewer, cy: operator, eve: reviewer }
    MORE
people:
  ada: { telegram: 7, slack: U01ADA }
  bob: { slack: U02BOB }
  cy: { telegram: 9 }
  eve: EVE
channels: { telegram: { token: "1:x" }, slack: { bot_token: "xoxb-1" } }
`;

export async function openShop(more: string, quorum = 1, at: number | null = null, eve = '{ telegram: 8 }') {
  const world = givenWorld('true', config.replace('MORE', more).replace('EVE', eve));
  const human = `  - { id: review, kind: human, approvals: { quorum: ${quorum} } }\n`;
  world.write('.ai/workflows/one.yaml', `workflow: one\nversion: 1\nchain:\n${human}`);
  world.git('add', '-A');
  world.git('commit', '-q', '-m', 'flow');
  const read = configOf(world);
  const runtime = openRuntime({
    ...runtimeParts,
    home: world.home,
    config: () => read,
    present,
    now: () => at ?? Date.now(),
  });
  onTestFinished(() => runtime.close());
  const door = inboxService(runtime, () => read);
  const say = (by: string, thread: string, text: string) =>
    door.hear({ thread, by, body: { type: 'text', text, replyTo: null }, cwd: '/' });
  const press = (by: string, thread: string, pressed: string) =>
    door.hear({ thread, by, body: { type: 'press', press: pressed, text: null }, cwd: '/' });
  const sent = (thread: string): readonly Message[] => runtime.store.messages(thread, null, 500);
  const cards = (thread: string) => sent(thread).filter(({ interaction }) => interaction !== null);
  const review = async () => {
    const open = () => runtime.store.openInteractions('shop').find(({ interaction }) => interaction.kind === 'review');
    await expect.poll(open, { timeout: 10_000, interval: 10 }).toBeDefined();
    return open()?.interaction.id ?? '';
  };
  return { runtime, say, press, cards, review };
}

export const inSlack = 'sl:C01GEN:1.2';
