// Every entrance × role × verb, through the product, against the one table of what is expected.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { perform, requestSchema } from '../../src/bot/index.js';
import { type Message, projectRules } from '../../src/dispatch/index.js';
import { type Row, table, type Verb, verbs } from './authority-table.js';
import { type Given, given } from './given.js';

const members = { vic: 'viewer', rev: 'reviewer', olga: 'operator', own: 'owner' } as const;
const names = { stranger: 'sam', viewer: 'vic', reviewer: 'rev', operator: 'olga', owner: 'own' } as const;

type Say = (text: string) => Promise<unknown>;

async function open() {
  const bosun = await given({ people: { sam: { telegram: 5 } }, project: { members } });
  const flow = join(dirname(bosun.home.dir), 'elsewhere', 'mine.yaml');
  mkdirSync(dirname(flow));
  writeFileSync(flow, 'workflow: mine\nversion: 1\nchain:\n  - { id: build, prompt: "Build it." }\n');
  return { bosun, flow };
}

/** How somebody speaks who comes in there. */
async function speaker({ app, call, post, web }: Given, { entrance, who }: Row): Promise<Say> {
  const by = who === 'home owner' ? null : names[who];
  const post401 = (headers: Record<string, string>) => (text: string) =>
    call('/api/say', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ text }),
    });
  switch (entrance) {
    case 'terminal':
    case 'terminal, --as':
      return (text) => perform(app, requestSchema.parse({ do: 'say', text, as: by }));
    case 'Telegram':
    case 'Slack': {
      const [source, thread] = entrance === 'Slack' ? ['slack', 'sl:C1:1.2'] : ['telegram', 'tg:5'];
      return (text) => app.door.hear({ source, thread, by, cwd: '/', body: { type: 'text', text, replyTo: null } });
    }
    case 'HTTP, bearer token':
      return (text) => post('/api/say', { text });
    case 'HTTP, no or a wrong token':
      return post401({ authorization: `Bearer ${'0'.repeat(64)}` });
    default: {
      if (who === 'stranger') return post401({ cookie: 'bosun=no', origin: web.url });
      const { url } = (await post('/api/login-links', { as: by })).json();
      const login = await call(String(url).replace(/^http:\/\/[^/]+/, ''));
      const cookie = (login.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
      return post401({ cookie, origin: web.url });
    }
  }
}

it('every entrance lets each role do what the table says, and nothing else', async () => {
  const { bosun, flow } = await open();
  const { store } = bosun.app.room;
  const count = () => store.runs('shop', 1_000, null).length;
  const tries: Readonly<Record<Verb, (say: Say) => Promise<boolean>>> = {
    'workflow by path': (say) => makesRun(say, `start shop with ${flow}: tidy up`),
    'workflow by name': (say) => makesRun(say, 'start shop with quick: tidy up'),
  };
  async function makesRun(say: Say, text: string): Promise<boolean> {
    const before = count();
    await say(text).catch(() => undefined);
    return count() > before;
  }
  const found: Row[] = [];
  for (const row of table) {
    const say = await speaker(bosun, row);
    const may: Record<string, boolean | null> = {};
    for (const verb of verbs) may[verb] = row.may[verb] === null ? null : await tries[verb](say);
    found.push({ ...row, may: may as Row['may'] });
  }
  expect(found).toEqual(table);
});

it('rules that nobody accepted are told of with the proposal, and only an owner may see and accept them', async () => {
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
  const card = () => app.room.store.openInteractions('shop').map(({ interaction }) => interaction.text);
  expect(card().join()).toContain('Not in force, an owner must accept it: .ai/step-rules.yaml (new).');

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
  expect(foreign.messages[0]?.view.text).toContain('Not allowed');

  writeFileSync(path, 'implement: { max_attempts: 8 }\n');
  const again = await hear('own', { type: 'press', press: accept });
  expect(again.messages[0]?.view.text).toContain('+ implement: { max_attempts: 8 }');
  expect(projectRules(home.dir, { root: shop?.root ?? '', workflow: '' }).accepted.size).toBe(0);
  await hear('own', { type: 'press', press: offered(again.messages, 'Accept these rules') });
  await hear('own', start);
  expect(card().join()).toContain("The project's own rules hold: .ai/step-rules.yaml");
  expect(app.room.store.spine('r3')?.workflow.chain[0]?.maxAttempts).toBe(8);
});

it('no message repeats a part of the home’s token, whatever put it there', async () => {
  const { bosun } = await open();
  const part = bosun.home.apiToken.slice(0, 40);
  const { messages } = await perform(bosun.app, requestSchema.parse({ do: 'say', text: `start shop with ${part}: x` }));
  expect(messages.map(({ view }) => view.text).join()).toMatch(/^No workflow "\[redacted\]"/);
});
