// What the service writes down for its owner.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { logLevelOf } from '../../src/base/logging/index.js';
import { logPathOf, openLog } from '../../src/cli/log-file.js';
import { loadConfig } from '../../src/config/file/read-config.js';
import { homeRedaction } from '../../src/config/index.js';
import { tempFolder } from '../dispatch/given.js';
import { openHome } from '../open-home.js';

it('redacts the home’s secrets and configured ones in the service log', () => {
  const home = openHome(join(tempFolder(), 'home'));
  openLog(home)(`one ${home.secret} ${home.apiToken}`);
  const config = loadConfig(home, {});
  const telegram = { token: 'of-telegram', apiRoot: null, webhook: null };
  const whole = { ...config, channels: { ...config.channels, telegram } };
  openLog(home, { redact: homeRedaction(() => whole, home, {}).redact })('two of-telegram', { channel: 'of-telegram' });
  const lines = readFileSync(logPathOf(home), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 'info', time: expect.stringMatching(/Z$/), msg: 'one [redacted] [redacted]' },
    { level: 'info', time: expect.stringMatching(/Z$/), msg: 'two [redacted]', channel: '[redacted]' },
  ]);
});

it('logs context fields of a line, and drops lines below the level', () => {
  const home = openHome(join(tempFolder(), 'home'));
  const log = openLog(home, { level: 'info' });
  log('each event', { level: 'debug', run: 'r1' });
  log('build ended: crashed', { level: 'warn', project: 'shop', run: 'r1', node: 'n1', attempt: 'a-1' });
  openLog(home, { level: 'debug' })('each event', { level: 'debug', run: 'r2' });
  const lines = readFileSync(logPathOf(home), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', project: 'shop', run: 'r1', node: 'n1', attempt: 'a-1', msg: 'build ended: crashed' },
    { level: 'debug', run: 'r2', msg: 'each event' },
  ]);
});

it('redacts a secret that JSON escapes, and keeps the line valid JSON', () => {
  const home = openHome(join(tempFolder(), 'home'));
  const secret = 'quo"te\\and\nbreak';
  const redact = (text: string) => text.replaceAll(secret, '[redacted]');
  openLog(home, { redact })(`it said ${secret} and ${'x'.repeat(30_000)}`, { channel: secret });
  const line = JSON.parse(readFileSync(logPathOf(home), 'utf8'));
  expect(line).toMatchObject({ msg: expect.stringMatching(/^it said \[redacted\] and x+$/), channel: '[redacted]' });
  expect(line.msg).toHaveLength(20_000);
});

it('rejects an unknown log level', () => {
  expect(logLevelOf({})).toBe('info');
  expect(logLevelOf({ BOSUN_LOG: 'DEBUG' })).toBe('debug');
  expect(() => logLevelOf({ BOSUN_LOG: 'loud' })).toThrow('BOSUN_LOG is "loud"');
});
