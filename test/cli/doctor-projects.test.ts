import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codingAgents } from '../../src/agents/index.js';
import { budgetFindings } from '../../src/cli/doctor/projects.js';
import { readConfig } from '../../src/config/file/read-config.js';
import { bosun, newFolder } from './given.js';

it.each([
  ['0.0.0.0', '', true],
  ['0.0.0.0', ', hook_secret: abc', false],
  ['127.0.0.1', '', false],
])('bosun doctor, listening on %s with "%s", warns that the next start would fail: %s', async (...given) => {
  const [host, secret, isTold] = given;
  const [home, root] = [newFolder(), newFolder()];
  execFileSync('git', ['init', '-q', '-b', 'main', root]);
  const config = `web: { host: ${host} }\nprojects: { shop: { root: "${root}"${secret} } }\n`;
  writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
  const { out } = await bosun(['doctor'], { home });
  expect(out.includes('bad   project shop: 0.0.0.0 is reachable from other machines')).toBe(isTold);
  expect(out.includes('→ Set hook_secret in')).toBe(isTold);
});

it.each([
  ['{ kind: command, run: [sh] }', 'run_usd: 5', 'executor agent (command) reports no cost'],
  ['{ kind: codex }', 'day_usd: 5', 'executor agent (codex) has no prices, so its cost is unknown'],
  ['{ kind: opencode }', 'project_usd: 5', 'executor agent (opencode) has no prices, so its cost may be unknown'],
  ['{ kind: codex, prices: { input: 1, output: 4 } }', 'day_usd: 5', null],
  ['{ kind: claude }', 'day_usd: 5', null],
  ['{ kind: codex }', '', null],
])(
  'bosun doctor, with executor %s and budget {%s}, warns of a budget that cannot be enforced: %s',
  async (...given) => {
    const [executor, budget, told] = given;
    const config = readConfig(
      { agents: codingAgents, channels: [], reservedWords: new Set<string>(), configPath: '/home/config.yaml' },
      `executors: { agent: ${executor} }\nprojects: { shop: { root: /srv/shop, budget: { ${budget} } } }\n`,
      {},
    );
    if (config.kind === 'bad') throw new Error(config.problems.join());
    const [shop] = config.config.projects;
    const found = shop ? budgetFindings(config.config, shop, codingAgents) : [];
    expect(found.map(({ state, text }) => [state, text])).toEqual(
      told === null ? [] : [['warn', `its budget cannot be enforced: ${told}`]],
    );
  },
);
