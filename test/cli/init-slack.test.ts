import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { prepareDemo } from '../../src/cli/demo/demo-project.js';
import { runCli } from '../../src/cli/index.js';
import { loadConfig } from '../../src/config/file/read-config.js';
import { knock, knocks } from '../../src/config/people/pairing.js';
import { type Slack, startSlack } from '../bot/channels/slack/server/index.js';
import { type Home, openHome } from '../open-home.js';
import { bosun, errorLine, newFolder } from './given.js';

const ada = { channel: 'slack', id: 'U0ADA', name: 'Ada' } as const;
const newHome = () => openHome(join(newFolder(), 'home'));
let slack: Slack;

beforeAll(async () => {
  slack = await startSlack();
});

afterAll(() => slack.close());

const initArgs = (...more: string[]) => ['init', 'slack', '--api-url', slack.apiUrl, ...more];
const tokens = () => ({ SLACK_BOT_TOKEN: slack.tokens.bot, SLACK_APP_TOKEN: slack.tokens.app });

describe('bosun init slack', () => {
  it('writes the manifest, checks the tokens from the environment, stores only variable names, prints next steps', async () => {
    const home = newHome();
    const { code, out, err } = await bosun(initArgs(), { home: home.dir, env: tokens() });
    expect([code, err]).toEqual([0, '']);
    const manifest = readFileSync(join(home.dir, 'slack-manifest.json'), 'utf8');
    const [, link = ''] = /(https:\/\/api\.slack\.com\/apps\S+)/.exec(out) ?? [];
    expect(JSON.parse(new URL(link).searchParams.get('manifest_json') ?? '')).toEqual(JSON.parse(manifest));
    const [, pairing = ''] = /Pairing code: (\S+)/.exec(out) ?? [];
    expect(out).toContain(`write ${pairing} to @bosun in a direct message`);
    expect(out).toContain(`bosun pair ${pairing} --person NAME --project demo --role owner`);
    expect(knock(home, { ...ada, code: pairing }, Date.now())).toMatchObject({ isInvited: true });
    const written = readFileSync(home.configPath, 'utf8');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what the file says
    expect(written).toContain('${SLACK_BOT_TOKEN}');
    expect(`${written}${out}`).not.toMatch(/xoxb-|xapp-/);
    expect(loadConfig(home, tokens()).channels.slack).toMatchObject({ botToken: slack.tokens.bot, mode: 'socket' });
  });

  it('with --keep file stores the tokens in a file with mode 0600, and leaves room for the demo', async () => {
    const home = newHome();
    const { out } = await bosun(initArgs('--keep', 'file'), { home: home.dir, env: tokens() });
    expect(out).toContain('continue demo');
    expect(statSync(home.configPath).mode & 0o777).toBe(0o600);
    expect(await prepareDemo(home)).toMatchObject({ do: 'import', project: 'demo' });
    expect(loadConfig(home, {}).channels.slack?.appToken).toBe(slack.tokens.app);
  });

  it('with --http takes a signing secret instead of an app token', async () => {
    const home = newHome();
    const env = { SLACK_BOT_TOKEN: slack.tokens.bot, SLACK_SIGNING_SECRET: slack.signingSecret };
    const args = initArgs('--http', 'https://bosun.example.org', '--keep', 'file');
    expect((await bosun(args, { home: home.dir, env })).code).toBe(0);
    const { settings, features } = JSON.parse(readFileSync(join(home.dir, 'slack-manifest.json'), 'utf8'));
    const url = 'https://bosun.example.org/slack/events';
    expect([settings.event_subscriptions.request_url, settings.interactivity.request_url]).toEqual([url, url]);
    expect([settings.socket_mode_enabled, features.slash_commands[0].url]).toEqual([false, url]);
    expect(loadConfig(home, {}).channels.slack).toMatchObject({ mode: 'http', signingSecret: slack.signingSecret });
  });

  it('with --manifest-only writes the manifest and asks for no token', async () => {
    const home = newHome();
    expect((await bosun(initArgs('--manifest-only', '--app-name', 'Deckhand'), { home: home.dir })).code).toBe(0);
    const manifest = JSON.parse(readFileSync(join(home.dir, 'slack-manifest.json'), 'utf8'));
    expect(manifest.features.bot_user.display_name).toBe('deckhand');
    expect(loadConfig(home, {}).channels.slack).toBeNull();
  });

  it.each([
    ['a bot token that is none', { SLACK_BOT_TOKEN: 'secret words' }, 1, /rejects the bot token.*xoxb-/],
    ['another bot’s token', { SLACK_BOT_TOKEN: 'xoxb-1-of-nobody' }, 1, /the bot token \(xoxb-…\): invalid_auth/],
    ['another app’s token', { SLACK_APP_TOKEN: 'xapp-1-of-nobody' }, 1, /the app token \(xapp-…\): invalid_auth/],
    ['no token', { SLACK_APP_TOKEN: '' }, 2, /without a terminal\. Set SLACK_BOT_TOKEN and SLACK_APP_TOKEN/],
  ])('changes nothing with %s, and never prints it', async (_what, env, exit, says) => {
    const home = newHome();
    const ended = await bosun(initArgs(), { home: home.dir, env: { ...tokens(), ...env } });
    expect([ended.code, errorLine(ended)]).toEqual([exit, expect.stringMatching(says)]);
    expect(ended.err).not.toMatch(/xoxb-\d|xapp-\d|secret words/);
    expect(loadConfig(home, {}).channels.slack).toBeNull();
  });

  it('reports an unreachable Slack, and tokens of another workspace than the home’s', async () => {
    const home = newHome();
    const args = ['init', 'slack', '--api-url', 'http://127.0.0.1:2/api/'];
    const unreached = await bosun(args, { home: home.dir, env: tokens() });
    expect([unreached.code, errorLine(unreached)]).toEqual([
      3,
      expect.stringContaining('Cannot check the tokens with Slack'),
    ]);
    writeFileSync(join(home.dir, 'slack-team'), 'T0OTHER Elsewhere');
    const other = await bosun(initArgs(), { home: home.dir, env: tokens() });
    expect(errorLine(other)).toMatch(/for the workspace Harbour \(T0HARBOUR\).* belongs to Elsewhere \(T0OTHER\)/);
    expect(loadConfig(home, {}).channels.slack).toBeNull();
  });

  it('reports each missing scope and what fails without it', async () => {
    const scopes = [...slack.tokens.scopes];
    onTestFinished(() => {
      for (const one of scopes) slack.tokens.scopes.add(one);
    });
    for (const one of ['channels:history', 'files:write']) slack.tokens.scopes.delete(one);
    const { out, code } = await bosun(initArgs(), { home: newHome().dir, env: tokens() });
    expect([code, out]).toEqual([0, expect.stringContaining('channels:history: needed for hearing answers')]);
    expect(out).toContain('files:write: needed for sending long output');
    expect(out).not.toContain('  chat:write:');
  });

  /** At a terminal, with the tokens typed and kept in the file, until it waits for somebody to come. */
  async function waiting(home: Home) {
    const terminal = () => Object.assign(new PassThrough(), { isTTY: true });
    const [stdin, stdout, stderr] = [terminal(), terminal(), new PassThrough()];
    const shown = onScreen(stdout);
    const shell = { env: { BOSUN_HOME: home.dir }, cwd: home.dir, stdin: stdin as Readable, stdout, stderr };
    const ended = runCli(initArgs(), { startWeb: () => Promise.reject(new Error('no web')) }, shell);
    const answer = async (question: string, line: string) => {
      await shown.until(question);
      stdin.write(`${line}\r`);
    };
    await answer('Bot token', slack.tokens.bot);
    await answer('App token', slack.tokens.app);
    await answer('Store them in config.yaml', '');
    await shown.until('Waiting for it');
    return { shown, ended, answer, code: /Pairing code: (\S+)/.exec(shown.text())?.[1] ?? '' };
  }

  it('waits at a terminal for the person with the code, and lets them in only after a yes there', async () => {
    const home = newHome();
    const { shown, ended, answer, code } = await waiting(home);
    expect(shown.text()).toContain('start it in another terminal with "bosun up"');
    expect(shown.text()).not.toMatch(/xoxb-\d|xapp-\d/);
    await prepareDemo(home);
    knock(home, { ...ada, id: 'U0EVE', name: 'Eve', code: 'AAAA-2222' }, Date.now());
    knock(home, { ...ada, code }, Date.now());
    await shown.until('"Ada" (Slack id U0ADA) wrote this code to the bot');
    expect(loadConfig(home, {}).people).toEqual([]);
    await answer('make them owner of demo? [Y/n]', '');
    await answer('Under which name [ada]?', '');
    expect(await ended).toBe(0);
    const { people, projects } = loadConfig(home, {});
    expect(people).toEqual([expect.objectContaining({ name: 'ada', accounts: { slack: 'U0ADA' } })]);
    expect(projects[0]?.members).toEqual({ ada: 'owner' });
  });

  it('keeps the person out after a no', async () => {
    const home = newHome();
    const { ended, answer, code } = await waiting(home);
    knock(home, { ...ada, code }, Date.now());
    await answer('let them in? [Y/n]', 'n');
    expect(await ended).toBe(0);
    expect([loadConfig(home, {}).people, knocks(home, Date.now()).length]).toEqual([[], 1]);
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
      const timer = setTimeout(() => reject(new Error(`never: ${words}; but ${text}`)), 10_000);
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
