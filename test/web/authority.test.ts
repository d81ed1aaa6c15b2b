// Every entrance × role × verb, through the product, against the one table of what is expected.
import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { BosunError } from '../../src/base/index.js';
import type { Incoming } from '../../src/bot/commands/incoming-files.js';
import { Albums, fetched } from '../../src/bot/inbound/fetch-files.js';
import { grammar, perform, requestSchema } from '../../src/bot/index.js';
import { projectRules } from '../../src/config/index.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import { attemptToken } from '../../src/jobs/attempt-token.js';
import type { InboundBody, Message } from '../../src/store/messages/message-types.js';
import { acceptProjectRules } from '../accept-rules.js';
import { accessPage, type Row, table, type Verb, verbs } from './authority-table.js';
import { type Given, given, hookSecret, logIn } from './given.js';

const members = { vic: 'viewer', rev: 'reviewer', olga: 'operator', own: 'owner' } as const;
const names = { stranger: 'sam', viewer: 'vic', reviewer: 'rev', operator: 'olga', owner: 'own' } as const;

async function open() {
  const bosun = await given({ people: { sam: { telegram: 5 } }, project: { members } });
  const flow = join(dirname(bosun.home.dir), 'elsewhere', 'mine.yaml');
  mkdirSync(dirname(flow));
  writeFileSync(flow, 'workflow: mine\nversion: 1\nchain:\n  - { id: build, prompt: "Build it." }\n');
  return { bosun, flow };
}

/** How somebody acts who comes in there; what is refused may be said in an answer or thrown. */
interface Acting {
  /** Gives what is answered. */
  say(text: string): Promise<readonly Said[]>;
  press(press: string): Promise<unknown>;
  /** True where the report is taken. */
  hook(): Promise<boolean>;
  upload(): Promise<boolean>;
}

interface Said {
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly press: string }[];
}

function saidIn({ messages }: { readonly messages: readonly Message[] }): readonly Said[] {
  return messages.map(({ id, view: { text, buttons } }) => ({
    text,
    buttons: buttons.map(({ label, press }) => ({ label, press: press.startsWith('.') ? `${id}${press}` : press })),
  }));
}

const answered = z.object({
  items: z
    .array(z.object({ text: z.string(), buttons: z.array(z.object({ label: z.string(), press: z.string() })) }))
    .default([]),
});

const never = () => Promise.reject(new Error('there is no such thing here'));
const report = { status: 'failing', summary: 'red' };

async function actorAt(bosun: Given, { entrance, who }: Row): Promise<Acting> {
  const by = who in names ? names[who as keyof typeof names] : null;
  if (entrance.startsWith('terminal')) return atTerminal(bosun, by);
  if (entrance === 'Telegram') return inChat(bosun, String(by), 'telegram', 'tg:5');
  if (entrance === 'Slack') return inChat(bosun, String(by), 'slack', 'sl:C1:1.2');
  return overHttp(bosun, await headersFor(bosun, entrance, by));
}

function atTerminal({ app }: Given, as: string | null): Acting {
  const ask = (request: object) => perform(app, requestSchema.parse({ as, ...request }));
  return {
    say: async (text) => saidIn(await perform(app, requestSchema.parse({ as, do: 'say', text }))),
    press: (press) => ask({ do: 'press', press }),
    hook: () =>
      ask({ do: 'hook', project: 'shop', ...report }).then(
        () => true,
        (error: unknown) => error instanceof BosunError && error.code !== 'not_allowed',
      ),
    upload: never,
  };
}

function inChat({ app }: Given, by: string, source: string, thread: string): Acting {
  const hear = (body: InboundBody) => app.door.hear({ source, thread, by, cwd: '/', body });
  const args = { fileId: 'f', name: 'a.txt', sizeBytes: 1, caption: 'shop', album: null };
  const row = {
    id: 1,
    source,
    externalId: 'x',
    thread,
    by,
    at: 1,
    body: { type: 'command', name: 'file', args },
  } as const;
  const download = () => Promise.resolve(Readable.from([Buffer.from('x')]));
  const parts = { config: app.config, reader: app.runtime.reader, albums: new Albums(), download, grammar };
  return {
    say: async (text) => saidIn(await hear({ type: 'text', text, replyTo: null })),
    press: (press) => hear({ type: 'press', press, text: null }),
    hook: never,
    upload: async () => {
      const { body } = await fetched(row, parts, new AbortController().signal);
      return body.type === 'command' && (body.args as Incoming).came?.kind === 'saved';
    },
  };
}

function overHttp({ call }: Given, headersOf: (body: string) => Readonly<Record<string, string>>): Acting {
  const post = (path: string, given: object) => {
    const body = JSON.stringify(given);
    return call(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headersOf(body) }, body });
  };
  return {
    say: async (text) => answered.parse((await post('/api/say', { text })).json()).items,
    press: (press) => post('/api/press', { press }),
    hook: async () => (await post('/hooks/shop', report)).status === 200,
    upload: never,
  };
}

async function headersFor({ app, call, home, post, web }: Given, entrance: string, by: string | null) {
  const bearer = (token: string) => () => ({ authorization: `Bearer ${token}` });
  if (entrance === 'HTTP, bearer token') return bearer(home.apiToken);
  if (entrance === 'HTTP, a wrong token') return bearer('0'.repeat(64));
  if (entrance === 'hook, an attempt’s token') {
    return bearer(attemptToken(home.secret, app.runtime.store.openAttempts()[0]?.attempt.id ?? ''));
  }
  if (entrance === 'hook, the project’s secret') {
    const t = Math.floor(Date.now() / 1_000);
    const mac = (body: string) => createHmac('sha256', hookSecret).update(`${t}.${body}`).digest('hex');
    return (body: string) => ({ 'x-bosun-signature': `t=${t},v1=${mac(body)}` });
  }
  if (by === names.stranger) return () => ({ cookie: 'bosun=no', origin: web.url });
  const { url } = (await post('/api/login-links', { as: by })).json();
  const { headers } = await logIn({ call, web }, String(url));
  return () => headers;
}

it('every entrance lets each role do exactly what the access table says', async () => {
  const { bosun, flow } = await open();
  const { app } = bosun;
  const { store } = app.runtime;
  const attempt = await atWork(bosun);
  const changes = async (look: () => unknown, act: () => Promise<unknown>) => {
    const before = look();
    await act().catch(() => undefined);
    return look() !== before;
  };
  const raised = () => store.newestEvents('r1', 1_000).filter(({ event }) => event.type === 'budget').length;
  const runs = () => store.runs('shop', 1_000, null).length;
  const asked = () => store.openInteractions('shop').length;
  let count = 0;
  const tries: Readonly<Record<Verb, (who: Acting) => Promise<boolean>>> = {
    'workflow by path': ({ say }) => changes(runs, () => say(`start shop with ${flow}: tidy up`)),
    'workflow by name': ({ say }) => changes(runs, () => say('start shop with quick: tidy up')),
    skip: ({ say }) => {
      count += 1;
      const step = `later${count}`;
      const state = () => store.nodes('r1').find(({ template }) => template === step)?.state;
      return changes(state, () => say(`skip shop ${step}: not today`));
    },
    'skip a review': ({ say }) => {
      count += 1;
      return changes(asked, () => say(`skip shop look${count}: docs only`));
    },
    'skip a quorum': ({ say }) => {
      count += 1;
      return changes(asked, () => say(`skip shop vote${count}: docs only`));
    },
    budget: ({ say }) => changes(raised, () => say('budget shop +1')),
    'permission grant': async ({ press }) => {
      count += 1;
      const card = await permissionCard(bosun, attempt, count);
      return changes(
        () => store.interaction(card)?.interaction.state,
        () => press(`${card}.once`),
      );
    },
    'log and diff': async ({ say }) => {
      const said = await say('log shop build').catch(() => []);
      return said.some(({ text }) => text.startsWith('Log · build'));
    },
    'words to an agent': (acting) => {
      const words = () => store.newestEvents('r1', 1_000).filter(({ event }) => event.type === 'words_said').length;
      return changes(words, () => sayAndPress(acting, 'note for shop: use tabs', 'With the next try'));
    },
    queue: (acting) => {
      const first = () => store.drafts('shop')[0]?.id;
      return changes(first, () => sayAndPress(acting, 'queue shop', 'Move 2 first'));
    },
    'hook report': ({ hook }) => hook(),
    upload: ({ upload }) => upload(),
  };
  const found: Row[] = [];
  for (const row of table) {
    const acting = await actorAt(bosun, row);
    const may: Record<string, boolean | null> = {};
    for (const verb of verbs) may[verb] = row.may[verb] === null ? null : await tries[verb](acting);
    found.push({ ...row, may: may as Row['may'] });
  }
  expect(found).toEqual(table);
  await expect(accessPage()).toMatchFileSnapshot('../../docs/access.md');
});

/** Presses a button of the answer; its label tells which. */
async function sayAndPress({ say, press }: Acting, text: string, label: string): Promise<unknown> {
  const said = await say(text);
  const button = said.flatMap(({ buttons }) => buttons).find((one) => one.label === label);
  return button === undefined ? never() : press(button.press);
}

/** A run whose first step an agent works on, with a step behind it for each row to skip. */
async function atWork({ app, home, post }: Given): Promise<string> {
  const [shop] = app.config().projects;
  const root = shop?.root ?? '';
  const steps = Array.from({ length: 4 * table.length }, (_, at) =>
    [
      `  - { id: later${at + 1}, prompt: "Go on." }\n`,
      `  - { id: look${at + 1}, kind: human }\n`,
      `  - { id: vote${at + 1}, kind: human, approvals: { quorum: 2 } }\n`,
    ].join(''),
  );
  mkdirSync(join(root, '.ai/workflows'), { recursive: true });
  const text = `workflow: long\nversion: 1\nchain:\n  - { id: build, prompt: "Build it." }\n${steps.join('')}`;
  writeFileSync(join(root, '.ai/workflows/long.yaml'), text);
  acceptProjectRules(home.dir, root);
  await post('/api/requests', { do: 'run', project: 'shop', task: 'Build it', workflow: 'long' });
  const { store } = app.runtime;
  await vi.waitFor(() => expect(store.openAttempts()).toHaveLength(1), { interval: 10, timeout: 10_000 });
  const attempt = store.openAttempts()[0]?.attempt.id ?? '';
  await app.runtime.submit(({ at }) => ({
    ...emptyPlan,
    events: [{ type: 'attempt_started', run: 'r1', chain: '', at, attempt, worker: 'w' }],
  }));
  return attempt;
}

/** What the agent asks to be allowed, and nobody has answered. */
async function permissionCard({ app }: Given, attempt: string, number: number): Promise<string> {
  const permission = { tool: 'Bash', what: `npm publish ${number}`, mark: `mark${number}` };
  const ask = { kind: 'permission', text: permission.what, options: [], permission } as const;
  await app.runtime.submit(({ at }) => ({
    ...emptyPlan,
    events: [{ type: 'agent_asked', run: 'r1', chain: '', at, attempt, key: `k${number}`, ask }],
  }));
  const open = app.runtime.store
    .openInteractions('shop')
    .filter(({ interaction }) => interaction.kind === 'permission');
  return open.at(-1)?.interaction.id ?? '';
}

it('rules that no owner accepted are reported with the proposal, and only an owner may see and accept them', async () => {
  const { bosun } = await open();
  const { app, home } = bosun;
  const [shop] = app.config().projects;
  const path = join(shop?.root ?? '', '.ai/step-rules.yaml');
  const hear = (by: string | null, body: { type: 'text'; text: string } | { type: 'press'; press: string }) =>
    app.door.hear({
      ...{ source: 'telegram', thread: `tg:${by}`, by, cwd: '/' },
      body: body.type === 'text' ? { ...body, replyTo: null } : { ...body, text: null },
    });
  const offered = (messages: readonly Message[], label: string) => {
    const found = messages.flatMap(({ id, view }) => view.buttons.map((one) => ({ ...one, press: id + one.press })));
    return found.find((one) => one.label === label)?.press ?? '';
  };
  const start = { type: 'text', text: 'start shop: tidy up' } as const;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'implement: { max_attempts: 7 }\n');

  const byOlga = await hear('olga', start);
  expect(byOlga.messages.map(({ view }) => view.text).join()).toContain('.ai/step-rules.yaml (new)');
  expect(offered(byOlga.messages, 'Show the rules')).toBe('');
  const card = () => app.runtime.store.openInteractions('shop').map(({ interaction }) => interaction.text);
  expect(card().join()).toContain('Not in force until an owner accepts it: .ai/step-rules.yaml (new).');

  const byOwn = await hear('own', start);
  const shown = await hear('own', { type: 'press', press: offered(byOwn.messages, 'Show the rules') });
  expect(shown.messages[0]?.view.text).toContain('+ implement: { max_attempts: 7 }');
  const accept = offered(shown.messages, 'Accept these rules');
  const foreign = await app.door.hear({
    source: 'telegram',
    thread: 'tg:own',
    by: 'olga',
    cwd: '/',
    body: { type: 'press', press: accept, text: null },
  });
  expect(foreign.messages[0]?.view.text).toMatch(/; .* takes an? /);

  writeFileSync(path, 'implement: { max_attempts: 8 }\n');
  const again = await hear('own', { type: 'press', press: accept });
  expect(again.messages[0]?.view.text).toContain('+ implement: { max_attempts: 8 }');
  expect(projectRules(home.dir, { root: shop?.root ?? '', workflow: '' }).accepted.size).toBe(0);
  await hear('own', { type: 'press', press: offered(again.messages, 'Accept these rules') });
  await hear('own', start);
  expect(card().join()).toContain("The project's own rules apply: .ai/step-rules.yaml");
  expect(app.runtime.store.spine('r3')?.workflow.chain[0]?.maxAttempts).toBe(8);
});

it('no message repeats a part of the home token', async () => {
  const { bosun } = await open();
  const part = bosun.home.apiToken.slice(0, 40);
  const { messages } = await perform(bosun.app, requestSchema.parse({ do: 'say', text: `start shop with ${part}: x` }));
  expect(messages.map(({ view }) => view.text).join()).toMatch(/^No workflow "\[redacted\]"/);
});
