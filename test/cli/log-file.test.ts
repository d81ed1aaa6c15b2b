// What the service writes down for its owner.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { logPathOf, openLog } from '../../src/cli/log-file.js';
import { homeRedaction, loadConfig, openHome } from '../../src/dispatch/index.js';
import { tempFolder } from '../dispatch/given.js';

it('the log of the service has no secret in it, neither the home’s nor one that was configured', () => {
  const home = openHome(join(tempFolder(), 'home'));
  openLog(home)(`one ${home.secret} ${home.apiToken}`);
  const config = loadConfig(home, {});
  const telegram = { token: 'of-telegram', apiRoot: null, webhook: null };
  const whole = { ...config, channels: { ...config.channels, telegram } };
  openLog(home, homeRedaction(() => whole, home, {}).redact)('two of-telegram');
  const lines = readFileSync(logPathOf(home), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => line.slice(line.indexOf(' ')))).toEqual([' one [redacted] [redacted]', ' two [redacted]']);
});
