// Which values of a home are secret.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/index.js';
import { homeRedaction } from '../../../src/config/secrets/home-redaction.js';
import { secretsOf } from '../../../src/config/secrets/secret-values.js';
import { tempFolder } from '../../dispatch/given.js';
import { openHome } from '../../open-home.js';

const config = `
executors:
  agent:
    kind: claude
    env: { OPENAI_API_KEY: of-the-executor, LOG_LEVEL: verbose-words, MAX_TOKENS: "1000000", KEY_FILE: /etc/some/key }
    pass_env: [DB_PASSWORD, GITHUB_PAT, PGPASSWORD, OLDPWD, ABSENT_TOKEN]
    roles: { planner: { env: { PLANNER_SECRET: of-the-role } } }
  other: { kind: command, run: [x], env: { MONKEYS: bananas-for-all } }
projects:
  shop:
    root: .
    executor: agent
    hook_secret: of-the-hook
    webhooks: [{ url: "http://127.0.0.1/x", secret: of-the-webhook }]
channels:
  telegram: { token: of-telegram, webhook: { url: "https://x.example", secret: of-what-telegram-posts } }
  slack: { bot_token: of-the-bot, app_token: of-the-app, signing_secret: of-the-signature }
queue: { redis: "redis://u:of%20redis@127.0.0.1" }
`;
const environment = {
  DB_PASSWORD: 'of-the-database',
  GITHUB_PAT: 'of-github-pat',
  PGPASSWORD: 'of-postgres',
  OLDPWD: '/some/folder',
  NOT_PASSED_TOKEN: 'not-passed',
};

function givenHome() {
  const home = openHome(join(tempFolder(), 'home'));
  mkdirSync(home.dir, { recursive: true });
  writeFileSync(home.configPath, config);
  return home;
}

it("a home's secrets are its own, those of channels and hooks, and secret-named variables of agents", () => {
  const home = givenHome();
  expect([...secretsOf(loadConfig(home, {}), home, environment)].sort()).toEqual(
    [
      ...[
        home.secret,
        home.apiToken,
        'of-the-executor',
        'of-the-role',
        'of-the-database',
        'of-github-pat',
        'of-postgres',
      ],
      ...[
        'of-the-hook',
        'of-the-webhook',
        'of-telegram',
        'of-what-telegram-posts',
        'of-the-bot',
        'of-the-app',
        'of-the-signature',
        'of redis',
      ],
    ].sort(),
  );
});

it("redaction follows changes of the config, and an attempt's redaction includes its token", () => {
  const home = givenHome();
  let present = loadConfig(home, {});
  const redaction = homeRedaction(() => present, home, environment);
  expect(redaction.redact('of-the-hook and token-of-one')).toBe('[redacted] and token-of-one');
  expect(redaction.of({ token: 'token-of-one' })('of-the-hook and token-of-one')).toBe('[redacted] and [redacted]');
  writeFileSync(home.configPath, config.replace('of-the-hook', 'of-a-new-hook'));
  present = loadConfig(home, {});
  expect(redaction.redact('of-the-hook, of-a-new-hook')).toBe('of-the-hook, [redacted]');
});
