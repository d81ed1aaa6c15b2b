// What the log says of attempts and deliveries, what it never says, and how far it grows.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { jsonLog, type Log } from '../../../src/base/logging/index.js';
import { tellOfFailure } from '../../../src/bot/channels/undelivered-notice.js';
import type { OutgoingMessage } from '../../../src/bot/delivery/index.js';
import { logPathOf, openLog } from '../../../src/cli/log-file.js';
import { homeRedaction } from '../../../src/config/index.js';
import { logCommitted } from '../../../src/dispatch/commit/log-commits.js';
import type { Committed } from '../../../src/dispatch/plans/commit-listener.js';
import { type Event, emptyEnvelope, type State } from '../../../src/engine/index.js';
import type { Message } from '../../../src/store/messages/message-types.js';
import { measuredAttempt } from '../../../src/worker/attempt/measured-attempt.js';
import { tempFolder } from '../../dispatch/given.js';
import { batchOf } from '../../empty-batch.js';
import { failing, item, loop, Player, policy, workflow } from '../../engine/builders.js';
import { describeAnew, edited, settleIn, step, workOn } from '../../engine/chains.js';
import { openHome } from '../../open-home.js';
import { given } from '../../web/given.js';

type Line = Readonly<Record<string, string>>;

function kept(level: 'debug' | 'info' = 'info'): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Line);
  return { log: jsonLog({ level, redact: (text) => text, write }), lines };
}

const storyAgent = 'cat > /dev/null\necho hello > "hello.$BOSUN_ATTEMPT.txt"\necho "STATUS: pass"\n';

it('each log line about an attempt names its run, item, node and attempt', async () => {
  const bosun = await given({ work: true, agent: storyAgent, project: { workflow: 'micro-waterfall' } });
  const { log, lines } = kept('debug');
  bosun.app.runtime.onCommits((committed) => logCommitted(log, committed));
  const stories = [{ id: 'US-1', title: 'One' }];
  await bosun.post('/api/requests', { do: 'import', project: 'shop', file: 'p', stories });
  await bosun.post('/api/say', { text: 'continue A', wait: true, timeout_s: 20 });
  const settled = lines.filter(({ msg }) => / started on | ended: |^attempt_/.test(msg ?? ''));
  expect(settled.length).toBeGreaterThan(3);
  const nodes = bosun.app.runtime.store.chain('r1', 'US-1')?.nodes ?? [];
  const stepOf = (id: string | undefined) => nodes.find((node) => node.id === id)?.template;
  for (const line of settled) {
    const { chain, node } = bosun.app.runtime.store.attempt(line['attempt'] ?? '') ?? {};
    expect(line).toMatchObject({ project: 'shop', run: 'r1', item: chain, node });
    expect(line).toMatchObject({ event: expect.stringMatching(/^attempt_(started|settled)$/), step: stepOf(node) });
  }
  const ended = settled.filter(({ event }) => event === 'attempt_settled');
  expect(ended.map(({ agent, item }) => [agent, item])).toContainEqual([expect.stringMatching(/^local-\d+$/), 'US-1']);
  for (const line of lines) expect(line).toMatchObject({ run: 'r1' });
});

it('the log names event, step, agent and story when a story is edited, merged, completed or failed', () => {
  const steps = [step('code'), step('check', { pinLast: true })];
  const patch = { isolate: 'worktree', parallel: 2, onItemDone: { squash: 'feat', conflict: null } } as const;
  const flow = workflow([loop('stories', steps, patch)], policy({ onItemFailed: 'continue' }));
  const player = Player.create(flow, { items: [item('A'), item('B')] });
  const { log, lines } = kept();
  const seen = new Map<string, State>();
  const look = () => {
    const records = player.effects.flatMap((effect) => (effect.type === 'record' ? [effect.record] : []));
    const stored = records.map((record) => ({ run: 'r12', chain: record.chain, at: 0, by: null, record }));
    const keys = ['', 'A', 'B'].filter((key) => player.world.chains.has(key));
    const states = keys.map((key) => ({ before: seen.get(key) ?? null, after: player.stateOf(key) }));
    for (const { after } of states) seen.set(after.chain.key, after);
    const event = player.events.at(-1) as Event;
    logCommitted(log, { batch: { events: [event], states, records: stored } } as unknown as Committed);
  };
  look();
  player.do({ type: 'start', behind: null });
  look();
  player.worked();
  look();
  expect(lines.filter(({ event }) => event === 'story_claimed')).toMatchObject(
    ['A', 'B'].map((story) => ({ msg: `${story} is running`, story, run: 'r12', project: 'shop' })),
  );
  workOn(player, 'open', 'A');
  workOn(player, 'open', 'B');
  settleIn(player, 'A', edited(describeAnew('step-002')));
  look();
  settleIn(player, 'A');
  workOn(player, 'merge', 'A');
  look();
  settleIn(player, 'B', failing);
  look();
  const about = (event: string) => lines.find((line) => line['event'] === event);
  const told = (event: string, story: string, step: string) =>
    expect(about(event)).toMatchObject({ event, story, step, agent: 'w1', run: 'r12', project: 'shop' });
  told('workflow_edit', 'A', 'code');
  told('story_merged', 'A', 'check');
  told('story_completed', 'A', 'check');
  told('story_failed', 'B', 'code');
});

it('a log line about an undeliverable message names run, node and attempt', async () => {
  const bosun = await given({ work: true, agent: 'cat > /dev/null\nexit 1\n' });
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 20_000 });
  const { store } = bosun.app.runtime;
  const [open] = store.openInteractions('shop');
  const [asking] = store.asking(open?.interaction.id ?? '');
  const thread = { id: 'telegram:1', channel: 'telegram', address: {}, project: null, quiet: false };
  const parcelOf = (message: Message | undefined) =>
    ({ message: message?.id, n: Number(message?.id.slice(1)), thread }) as unknown as OutgoingMessage;
  const { log, lines } = kept();
  tellOfFailure(bosun.app, parcelOf(asking), 'the chat is gone', log);
  const node = open?.interaction.node ?? '';
  const attempts = store.attempts('r1', node);
  expect(lines[0]).toMatchObject({
    ...{ level: 'warn', project: 'shop', run: 'r1', node, attempt: attempts.at(-1)?.attempt.id },
    msg: expect.stringContaining('cannot be delivered to telegram:1: the chat is gone'),
  });
  const of = { interaction: null, card: null, at: 1, thread: 'local', run: 'r1' };
  const view = { kind: 'report', text: 'x', buttons: [], offers: [], rings: false, file: null };
  const [report] = store.commit(batchOf({ messages: [{ ...of, view }] }));
  tellOfFailure(bosun.app, parcelOf(report), 'the chat is gone', log);
  expect(lines.find(({ msg }) => msg?.includes(report?.id ?? '-'))).toMatchObject({ project: 'shop', run: 'r1' });
});

it('a log line about a checkout that cannot be inspected names its attempt', async () => {
  const { log, lines } = kept();
  const spec = {
    ...{ project: 'shop', run: 'r1', item: 'US-1', node: 'n3', attempt: 'a-1', kind: 'task', token: 't' },
    ...{ workdir: join(tempFolder(), 'none'), root: tempFolder(), executor: null, tests: null, check: null },
  };
  const run = measuredAttempt({
    settings: { begin: () => [], look: () => [], end: () => undefined },
    run: () => Promise.resolve({ ...emptyEnvelope, exit: 0 }),
    redactOf: () => (text: string) => text,
    noteCheckpoint: () => undefined,
    log,
  } as unknown as Parameters<typeof measuredAttempt>[0]);
  const control = { signal: new AbortController().signal, report: () => undefined };
  await run(spec as unknown as Parameters<typeof run>[0], control as unknown as Parameters<typeof run>[1]);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatchObject({ run: 'r1', item: 'US-1', node: 'n3', attempt: 'a-1' });
});

const botToken = `123456789:AA${'h'.repeat(33)}`;
const slackToken = `xoxb-${'1234567890-'.repeat(3)}abcdef`;

it.each([
  ['a message', `the token is ${botToken}`],
  ['an address', `GET https://api.telegram.org/bot${botToken}/getMe failed`],
  ['an address with a password', 'redis://bosun:hunter2hunter2@10.0.0.1:6379 is away'],
  ['an error with its stack', new Error(`401 for ${slackToken}`).stack ?? ''],
  ['a header', `{"authorization":"Bearer ${'a1B2c3D4'.repeat(5)}"}`],
  ['a variable of the environment that config.yaml names', 'with the key swordfish-1234'],
])('a secret in %s is redacted in the log', (_, message) => {
  const home = openHome(join(tempFolder(), 'home'));
  const project = '  shop: { root: /srv/shop, hook_secret: "swordfish-1234" }\n';
  writeFileSync(home.configPath, `executors:\n  a: { kind: command, run: ["x"] }\nprojects:\n${project}`);
  const config = () => ({ projects: [{ name: 'shop', hookSecret: 'swordfish-1234', webhooks: [] }] });
  const redaction = homeRedaction(
    () => ({ ...emptyConfig, ...config() }) as unknown as ReturnType<Parameters<typeof homeRedaction>[0]>,
    home,
    {},
  );
  const log = openLog(home, { redact: redaction.redact });
  log(message, { channel: message, attempt: `a ${home.apiToken}` });
  const text = readFileSync(logPathOf(home), 'utf8');
  for (const secret of [botToken, slackToken, 'hunter2hunter2', 'a1B2c3D4', 'swordfish', home.apiToken]) {
    expect(text).not.toContain(secret);
  }
  expect(JSON.parse(text)).toMatchObject({ msg: expect.stringContaining('[redacted]') });
});

const emptyConfig = {
  executors: [],
  people: [],
  channels: { telegram: null, slack: null },
  channelKinds: [],
  queue: { redis: null },
};

it('the log rotates by size and keeps two older files', () => {
  const home = openHome(join(tempFolder(), 'home'));
  const log = openLog(home);
  const folder = dirname(logPathOf(home));
  const long = 'y'.repeat(19_000);
  for (let line = 0; line < 1_200; line += 1) log(`${line} ${long}`);
  const sizes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size] as const);
  expect(sizes.map(([name]) => name).sort()).toEqual(['bosun.log', 'bosun.log.1', 'bosun.log.2']);
  for (const [name, size] of sizes) expect([name, size <= 5 * 1024 * 1024]).toEqual([name, true]);
  const newest = readFileSync(logPathOf(home), 'utf8').trimEnd().split('\n').at(-1) ?? '';
  expect(JSON.parse(newest).msg).toMatch(/^1199 /);
  expect(statSync(logPathOf(home)).mode & 0o777).toBe(0o600);
}, 30_000);
