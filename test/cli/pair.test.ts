import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareDemo } from '../../src/cli/demo/demo-project.js';
import { runCli } from '../../src/cli/index.js';
import { editConfig } from '../../src/config/file/edit-config.js';
import { loadConfig } from '../../src/config/file/read-config.js';
import { knock, knocks } from '../../src/config/people/pairing.js';
import { startTelegram, type Telegram } from '../bot/channels/telegram/server/index.js';
import { type Home, openHome } from '../open-home.js';
import { bosun, errorLine, newFolder } from './given.js';

const ada = { channel: 'telegram', id: 1000, name: 'Ada' } as const;

const newHome = () => openHome(join(newFolder(), 'home'));

describe('bosun pair', () => {
  it('lists waiting people, and lets in the one with the given code', async () => {
    const home = newHome();
    expect((await bosun(['pair'], { home: home.dir })).out).toContain('No one is waiting');
    const { code = '' } = knock(home, { channel: 'telegram', id: 5_000, name: 'Eve\u202e Adams' }, Date.now()) ?? {};
    expect((await bosun(['pair'], { home: home.dir })).out).toBe(
      `${code}  "Eve Adams" (Telegram id 5000), 0 min ago\n`,
    );
    const { code: exit, out } = await bosun(['pair', code, '--person', 'eve'], { home: home.dir });
    expect([exit, out]).toEqual([
      0,
      expect.stringContaining('Paired eve with the account "Eve Adams" (Telegram id 5000)'),
    ]);
    expect(out).toContain('bosun member add PROJECT eve');
    expect(loadConfig(home, {}).people).toMatchObject([{ name: 'eve', accounts: { telegram: 5_000 } }]);
    expect((await bosun(['pair', '--json'], { home: home.dir })).out).toBe('[]\n');
  });

  it.each([
    [['pair', 'ABCD-2345'], 1, /not_found: No person is waiting with the code "ABCD-2345"/],
    [['pair', 'ABCD-2345', '--project', 'shop'], 2, /--project and --role need each other/],
    [['pair', 'ABCD-2345', '--role', 'king'], 2, /Allowed choices are owner, operator, reviewer, viewer/],
  ])('rejects %j', async (args, exit, says) => {
    const ended = await bosun(args, { home: newHome().dir });
    expect([ended.code, errorLine(ended)]).toEqual([exit, expect.stringMatching(says)]);
  });
});

describe('bosun init telegram', () => {
  let telegram: Telegram;

  beforeAll(async () => {
    telegram = await startTelegram();
  });

  afterAll(() => telegram.stop());

  const initArgs = () => ['init', 'telegram', '--api-root', telegram.apiRoot];

  it('checks the token from the environment, stores only the variable’s name, and prints next steps', async () => {
    const home = newHome();
    const env = { TELEGRAM_BOT_TOKEN: telegram.token };
    const { code, out, err } = await bosun(initArgs(), { home: home.dir, env });
    expect([code, err]).toEqual([0, '']);
    const [, pairing = ''] = /https:\/\/t\.me\/bosun_test_bot\?start=(\S+)/.exec(out) ?? [];
    expect(out).toContain(`bosun pair ${pairing} --person NAME --project demo --role owner`);
    expect(knock(home, { ...ada, code: pairing }, Date.now())).toMatchObject({ code: pairing, isInvited: true });
    const written = readFileSync(home.configPath, 'utf8');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what the file says
    expect(written).toContain('${TELEGRAM_BOT_TOKEN}');
    expect(`${written}${out}`).not.toContain(telegram.token.slice(11));
    const { token, apiRoot } = telegram;
    expect(loadConfig(home, env).channels.telegram).toMatchObject({ token, apiRoot });
  });

  it('leaves room for the demo in a new home, and adds no demo to a home that has people', async () => {
    const home = newHome();
    const env = { TELEGRAM_BOT_TOKEN: telegram.token };
    const { out } = await bosun([...initArgs(), '--keep', 'file'], { home: home.dir, env });
    expect(out).toContain('continue demo');
    expect(await prepareDemo(home, { works: false })).toBeNull();
    expect(await prepareDemo(home)).toMatchObject({ do: 'import', project: 'demo' });
    const made = loadConfig(home, {});
    expect(made.projects.map(({ name }) => name)).toEqual(['demo']);
    expect(made.channels.telegram?.token).toBe(telegram.token);
    const other = newHome();
    await bosun([...initArgs(), '--keep', 'file'], { home: other.dir, env });
    editConfig(other, {}, (document) => document.setIn(['people', 'ada', 'telegram'], 1000));
    expect(await prepareDemo(other)).toBeNull();
  });

  it('with --keep file stores the token in a file with mode 0600', async () => {
    const home = newHome();
    const env = { TELEGRAM_BOT_TOKEN: telegram.token };
    await bosun([...initArgs(), '--keep', 'file'], { home: home.dir, env });
    expect(loadConfig(home, {}).channels.telegram?.token).toBe(telegram.token);
    expect(statSync(home.configPath).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['7000000001:AAanother_token_that_nobody_gave_out', 1, /bad_input: Telegram rejects this token/],
    ['secret words', 1, /bad_input: Telegram rejects this token/],
    ['', 2, /usage: Cannot ask for the bot’s token without a terminal/],
  ])('changes nothing with %j, and does not print it', async (token, exit, says) => {
    const home = newHome();
    const ended = await bosun(initArgs(), { home: home.dir, env: { TELEGRAM_BOT_TOKEN: token } });
    expect([ended.code, errorLine(ended)]).toEqual([exit, expect.stringMatching(says)]);
    if (token !== '') expect(ended.err).not.toContain(token);
    expect(loadConfig(home, {}).channels.telegram).toBeNull();
  });

  it('reports an unreachable platform without printing the token', async () => {
    const home = newHome();
    const args = ['init', 'telegram', '--api-root', 'http://127.0.0.1:2'];
    const ended = await bosun(args, { home: home.dir, env: { TELEGRAM_BOT_TOKEN: telegram.token } });
    expect([ended.code, errorLine(ended)]).toEqual([
      3,
      expect.stringContaining('not_now: Cannot check the token with Telegram'),
    ]);
    expect(ended.err).not.toContain(telegram.token.slice(11));
  });

  /** At a terminal, with the token typed and kept in the file, until it waits for somebody to come. */
  async function waiting(home: Home, known?: object, mistakes: readonly (readonly [string, string])[] = []) {
    if (known !== undefined) editConfig(home, {}, (document) => document.set('people', document.createNode(known)));
    const terminal = () => Object.assign(new PassThrough(), { isTTY: true });
    const [stdin, stdout, stderr] = [terminal(), terminal(), new PassThrough()];
    const shown = onScreen(stdout);
    const shell = { env: { BOSUN_HOME: home.dir }, cwd: home.dir, stdin: stdin as Readable, stdout, stderr };
    const ended = runCli(initArgs(), { startWeb: () => Promise.reject(new Error('no web')) }, shell);
    const answer = async (question: string, line: string) => {
      await shown.until(question);
      stdin.write(`${line}\r`);
    };
    for (const [question, line] of mistakes) await answer(question, line);
    await answer(mistakes.length === 0 ? 'Token' : '@BotFather: digits', telegram.token);
    await answer('Store it in config.yaml', '');
    await shown.until('?start=');
    return { shown, ended, answer, code: /\?start=(\S+)/.exec(shown.text())?.[1] ?? '' };
  }

  it('asks for the token at a terminal without echoing it', async () => {
    const home = newHome();
    const { shown, ended } = await waiting(home, { bob: { telegram: 1001 } });
    expect(await ended).toBe(0);
    expect(shown.text()).not.toContain(telegram.token.slice(11));
    expect(shown.text()).toContain('Already paired: bob');
    expect(loadConfig(home, {}).channels.telegram?.token).toBe(telegram.token);
  });

  it('says at once that a typed token is rejected, asks again, and echoes neither', async () => {
    const home = newHome();
    const wrong = '7000000001:AAanother_token_that_nobody_gave_out';
    const { shown, ended } = await waiting(home, { bob: { telegram: 1001 } }, [['Token', wrong]]);
    expect(await ended).toBe(0);
    expect(shown.text().split('Telegram rejects this token')).toHaveLength(2);
    for (const token of [wrong, telegram.token]) expect(shown.text()).not.toContain(token.slice(11));
    expect(loadConfig(home, {}).channels.telegram?.token).toBe(telegram.token);
  });

  it('waits at a terminal for the person with the code, and lets them in only after a yes there', async () => {
    const home = newHome();
    const { shown, ended, answer, code } = await waiting(home);
    expect(shown.text()).toContain('start it in another terminal with "bosun up"');
    await prepareDemo(home);
    knock(home, { ...ada, id: 4_000, name: 'Eve', code: 'AAAA-2222' }, Date.now());
    knock(home, { ...ada, code }, Date.now());
    await shown.until('"Ada" (Telegram id 1000) opened the bot with this code');
    expect(loadConfig(home, {}).people).toEqual([]);
    await answer('make them owner of demo? [Y/n]', '');
    await answer('Under which name [ada]?', '');
    expect(await ended).toBe(0);
    const { people, projects } = loadConfig(home, {});
    expect([people, projects[0]?.members]).toEqual([
      [expect.objectContaining({ name: 'ada', accounts: { telegram: 1000 } })],
      { ada: 'owner' },
    ]);
    expect(shown.text()).toContain('continue demo');
  });

  it('keeps the person out after a no', async () => {
    const home = newHome();
    const { shown, ended, answer, code } = await waiting(home);
    knock(home, { ...ada, code }, Date.now());
    await answer('let them in? [Y/n]', 'n');
    expect(await ended).toBe(0);
    expect([loadConfig(home, {}).people, knocks(home, Date.now()).length]).toEqual([[], 1]);
    expect(shown.text()).toContain('Not paired');
  });

  it('does not affect "bosun init" with a folder', async () => {
    const ended = await bosun(['init', '/nowhere/at/all'], { home: newHome().dir });
    expect(ended.code).toBe(1);
    expect(errorLine(ended)).toContain('/nowhere/at/all');
  });
});

function onScreen(stream: Writable & Readable) {
  let text = '';
  const looks = new Set<() => void>();
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (const look of looks) look();
  });
  const until = (words: string) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`never: ${words}; but ${text}`)), 5_000);
      const look = () => {
        if (!text.includes(words)) return;
        clearTimeout(timer);
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      look();
    });
  return { until, text: () => text };
}
