import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Slack, startSlack } from '../bot/channels/slack/server/index.js';
import { startTelegram } from '../bot/channels/telegram/server/index.js';
import { openHome } from '../open-home.js';
import { bosun, newFolder } from './given.js';

let slack: Slack;

beforeAll(async () => {
  slack = await startSlack();
});

afterAll(() => slack.close());

/** As the doctor says it, with what mends it behind an arrow. */
async function examined(channels: object, team?: string): Promise<readonly string[]> {
  const home = openHome(join(newFolder(), 'home'));
  writeFileSync(home.configPath, JSON.stringify({ channels }), { mode: 0o600 });
  if (team !== undefined) writeFileSync(join(home.dir, 'slack-team'), team);
  const { out } = await bosun(['doctor', '--json'], { home: home.dir });
  const { checks }: { checks: { name: string; state: string; text: string; mend: string | null }[] } = JSON.parse(out);
  return checks
    .filter(({ name }) => /^(?:slack|telegram) /.test(name))
    .map(({ name, state, text, mend }) => `${state} ${name}: ${text}${mend === null ? '' : ` → ${mend}`}`);
}

const place = () => ({ bot_token: slack.tokens.bot, app_token: slack.tokens.app, api_url: slack.apiUrl });

it('bosun doctor names the bot and workspace of the Slack tokens, and skips unconfigured platforms', async () => {
  expect(await examined({ slack: place() })).toEqual(['ok slack tokens: accepted; the bot is @bosun in Harbour']);
  expect(await examined({})).toEqual([]);
});

it('bosun doctor reports each missing Slack scope and what fails without it', async () => {
  const scopes = [...slack.tokens.scopes];
  onTestFinished(() => {
    for (const one of scopes) slack.tokens.scopes.add(one);
  });
  slack.tokens.scopes.delete('groups:history');
  expect(await examined({ slack: place() })).toEqual([
    'ok slack tokens: accepted; the bot is @bosun in Harbour',
    expect.stringMatching(/^warn slack rights: the app lacks the scope groups:history, needed for .* → .*reinstall/),
  ]);
});

it.each([
  ['revoked', { standing: 'token_revoked' }, /^bad slack tokens: Slack rejects the bot token: token_revoked →/],
  ['of an app that was removed', { standing: 'account_inactive' }, /the bot token: account_inactive/],
  ['of no app', { appStanding: 'invalid_auth' }, /^bad .*Slack rejects the app token: invalid_auth →/],
] as const)('bosun doctor reports a Slack token that is %s', async (_what, standing, says) => {
  onTestFinished(() => void Object.assign(slack.tokens, { standing: 'fine', appStanding: 'fine' }));
  Object.assign(slack.tokens, standing);
  expect(await examined({ slack: place() })).toEqual([expect.stringMatching(says)]);
});

it('bosun doctor reports the missing secret for the configured Slack mode', async () => {
  const { app_token: _, ...without } = place();
  expect(await examined({ slack: without })).toEqual([expect.stringMatching(/^bad .*channels\.slack\.app_token/)]);
  expect(await examined({ slack: { ...place(), mode: 'http' } })).toEqual([
    expect.stringMatching(/^bad .*channels\.slack\.signing_secret/),
  ]);
});

it('bosun doctor reports Slack tokens of another workspace than the home’s', async () => {
  expect(await examined({ slack: place() }, 'T0OTHER Elsewhere')).toEqual([
    expect.stringMatching(/^bad slack tokens: .*Harbour \(T0HARBOUR\), and this home belongs to Elsewhere/),
  ]);
});

it('bosun doctor warns of an unreachable platform, without printing a token', async () => {
  const telegram = { token: '7000000001:AAnobody_listens_at_that_place_at_all', api_root: 'http://127.0.0.1:2' };
  const said = await examined({ slack: { ...place(), api_url: 'http://127.0.0.1:2/api/' }, telegram });
  expect(said).toEqual([
    expect.stringMatching(/^warn telegram token: cannot reach Telegram/),
    expect.stringMatching(/^warn slack tokens: cannot reach Slack: .*ECONNREFUSED/),
  ]);
  expect(said.join()).not.toMatch(/xoxb|xapp|AAnobody/);
});

it('bosun doctor names the bot of the Telegram token, or reports that Telegram does not know the token', async () => {
  const telegram = await startTelegram();
  onTestFinished(() => telegram.stop());
  const at = { api_root: telegram.apiRoot };
  expect(await examined({ telegram: { ...at, token: telegram.token } })).toEqual([
    'ok telegram token: accepted; the bot is @bosun_test_bot',
  ]);
  expect(await examined({ telegram: { ...at, token: '7000000001:AAanother_token_that_nobody_gave' } })).toEqual([
    expect.stringMatching(/^bad telegram token: Telegram rejects the token/),
  ]);
});
