import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codingAgents } from '../../src/agents/index.js';
import { redisAddress } from '../../src/config/file/redis-address.js';
import { checkConfig, loadConfig } from '../../src/config/index.js';
import { redisFor, workerConfig } from '../../src/worker/remote/worker-config.js';
import { tempFolder } from '../dispatch/given.js';

const from = (name: string) => `queue: { redis: "$${`{${name}}`}" }\n`;

const bad = [
  ['http://h', /begins with redis:\/\//],
  ['nonsense', /begins with redis:\/\//],
  ['127.0.0.1:6391', /begins with redis:\/\//],
  ['redis://', /include a host/],
  ['redis://:secret-word@', /include a host/],
  ['redis://:Ab/secret-word+ef=@h', /special characters .*\/ is %2F/],
  ['redis://:pw#secret-word@h', /special characters .*# is %23/],
  ['redis://:pw?secret-word@h', /special characters/],
  ['redis://u:p@ss#secret-word@h', /special characters/],
  ['redis://u:p%zzsecret-word@h', /special characters .*% is %25/],
  ['redis://h:99999', /port from 1 to 65535/],
  ['redis://h:0', /port from 1 to 65535/],
  ['redis://h:', /port from 1 to 65535/],
  ['redis://h:6391/abc', /database as a number/],
  ['redis://h/0/1', /database as a number/],
  ['redis://h o', /without spaces/],
] as const;

describe('the address of a Redis', () => {
  it.each([
    'redis://h',
    'rediss://h:6380/',
    'redis://:Ab%2FCd+ef=@h:6391/15',
    'redis://u:p@ss@h/0?family=6',
    'redis://[::1]:6379/2',
  ])('may be %s', (address) => {
    expect(redisAddress.parse(address)).toBe(address);
  });

  it.each(bad)(
    'that is %s is refused in config.yaml and in REDIS_URL, without showing its password',
    (address, says) => {
      const configPath = join(tempFolder(), 'config.yaml');
      const env = { REDIS_URL: address };
      const config = workerConfig(
        loadConfig({ configPath, agents: codingAgents, channels: [], reservedWords: new Set<string>() }, env),
        env,
      );
      expect(config.queue.redis).toBeNull();
      const refusal = () => redisFor(config, env);
      expect(refusal).toThrow(says);
      expect(refusal).toThrow(
        expect.objectContaining({ code: 'usage', message: expect.stringMatching(/^REDIS_URL /) }),
      );
      expect(refusal).not.toThrow(/secret-word/);
      writeFileSync(configPath, from('REDIS_URL'));
      const reading = checkConfig(
        { configPath, agents: codingAgents, channels: [], reservedWords: new Set<string>() },
        env,
      );
      const said = reading.kind === 'bad' ? reading.problems.map(({ message }) => message).join() : '';
      expect(said).toMatch(says);
      expect(said).toMatch(/^queue\.redis /);
      expect(said).not.toContain('secret-word');
    },
  );

  it('from an unset variable counts as none, and a worker names that variable', () => {
    const configPath = join(tempFolder(), 'config.yaml');
    writeFileSync(configPath, from('OUR_REDIS'));
    for (const env of [{}, { OUR_REDIS: ' ' }]) {
      const config = loadConfig(
        { configPath, agents: codingAgents, channels: [], reservedWords: new Set<string>() },
        env,
      );
      expect(config.queue).toMatchObject({ redis: null, unset: 'OUR_REDIS' });
      expect(() => redisFor(config, env)).toThrow(/queue\.redis in \S+ comes from OUR_REDIS, which is not set here/);
    }
    const env = { OUR_REDIS: 'redis://h' };
    expect(
      redisFor(
        loadConfig({ configPath, agents: codingAgents, channels: [], reservedWords: new Set<string>() }, env),
        env,
      ),
    ).toBe('redis://h');
  });
});
