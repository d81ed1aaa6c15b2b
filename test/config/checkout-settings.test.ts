import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkoutSettings } from '../../src/config/checkout-settings.js';
import { agentConfig } from '../agents/adapters/given-agent.js';
import { bosun, newFolder } from '../cli/given.js';

function given(files: Readonly<Record<string, string>>): string {
  const root = newFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const hook = (command: string) => ({ Stop: [{ hooks: [{ type: 'command', command }] }] });
const settings = JSON.stringify({ permissions: { allow: ['Bash', 'Edit'] }, hooks: hook('sh x'), env: { A: '1' } });

describe('what a checkout brings for its agent', () => {
  it.each([
    ['claude', {}, null],
    ['claude', { 'CLAUDE.md': 'x', '.claude/settings.json': '{ "model": "opus" }' }, null],
    ['claude', { '.claude/settings.local.json': JSON.stringify({ hooks: hook("'b' # bosun hook shop") }) }, null],
    ['claude', { '.claude/settings.json': settings }, '.claude/settings.json (2 allow rules, 1 hook, 1 variable)'],
    ['claude', { '.claude/settings.json': '{ "hooks": 1 }' }, '.claude/settings.json (1 hook)'],
    ['claude', { '.claude/settings.json': '// odd' }, '.claude/settings.json'],
    ['claude', { '.mcp.json': '{ "mcpServers": { "a": {}, "b": {} } }' }, '.mcp.json (2 MCP servers)'],
    ['codex', { '.codex/config.toml': '' }, '.codex/config.toml'],
    ['codex', { '.codex/rules/a.rules': 'x', '.codex/rules/@all': '' }, '.codex/rules/a.rules'],
    ['codex', { '.codex/rules/@all now.rules': '' }, '.codex/rules/*.rules'],
    ['codex', { '.claude/settings.json': settings }, null],
    ['opencode', { 'opencode.json': '{}', 'AGENTS.md': 'x' }, 'opencode.json'],
  ] as const)('%s with %o: %s', (kind, files, brought) => {
    const found = checkoutSettings(given(files), agentConfig(kind));
    const text = `This checkout brings ${brought}; Bosun keeps ${kind} from reading them`;
    expect(found).toEqual(brought === null ? null : { text, counts: false });
  });

  it('counts where the executor or a role bypasses all rules', () => {
    const root = given({ '.mcp.json': '{ "mcpServers": { "a": {} } }' });
    const text = 'This checkout brings .mcp.json (1 MCP server); they count wherever permission is bypass';
    const inRole = agentConfig('claude', { roles: { tester: { permission: 'bypass' } } });
    for (const config of [agentConfig('claude', { permission: 'bypass' }), inRole]) {
      expect(checkoutSettings(root, config)).toEqual({ text, counts: true });
    }
  });

  it.each([
    ['codex', 'exec'],
    ['opencode', 'run'],
  ])('says with the proposal that %s with mode: %s cannot ask', async (kind, mode) => {
    const [home, root] = [newFolder(), given({ a: 'x' })];
    execFileSync('git', ['init', '-q', '-b', 'main', root]);
    execFileSync('git', ['-C', root, 'commit', '-q', '--allow-empty', '-m', 'start']);
    const agent = (own: object) => ({
      executors: { agent: { kind, program: process.execPath, ...own } },
      projects: { shop: { root, workflow: 'quick' } },
    });
    const proposal = async (own: object) => {
      writeFileSync(join(home, 'config.yaml'), JSON.stringify(agent(own)), { mode: 0o600 });
      const { out, err } = await bosun(['say', 'start shop: tidy up'], { home });
      return `${out}${err}`;
    };
    const said = `${kind} with mode: ${mode} cannot ask you for permission`;
    expect(await proposal({ mode })).toContain(said);
    expect(await proposal({})).not.toContain('cannot ask');
    expect(await proposal({ mode, permission: 'deny' })).not.toContain('cannot ask');
    const config = agent({ mode });
    const executors = { first: { kind: 'claude', program: process.execPath }, ...config.executors };
    const shop = { ...config.projects.shop, executor: ['first', 'agent'] };
    writeFileSync(join(home, 'config.yaml'), JSON.stringify({ executors, projects: { shop } }), { mode: 0o600 });
    const { out, err } = await bosun(['say', 'start shop: tidy up'], { home });
    expect(`${out}${err}`).toContain(said);
  });

  it('is told by doctor and with a proposal', async () => {
    const [home, root] = [newFolder(), given({ '.claude/settings.json': settings })];
    execFileSync('git', ['init', '-q', '-b', 'main', root]);
    execFileSync('git', ['-C', root, 'commit', '-q', '--allow-empty', '-m', 'start']);
    const config = {
      executors: { agent: { kind: 'claude', program: process.execPath } },
      projects: { shop: { root, workflow: 'quick' } },
    };
    writeFileSync(join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
    const said = 'This checkout brings .claude/settings.json (2 allow rules, 1 hook, 1 variable)';
    expect((await bosun(['doctor'], { home })).out).toContain(said);
    const codex = { kind: 'codex', program: process.execPath };
    const both = {
      executors: { codex, ...config.executors },
      projects: { shop: { ...config.projects.shop, executor: ['codex', 'agent'] } },
    };
    writeFileSync(join(home, 'config.yaml'), JSON.stringify(both), { mode: 0o600 });
    expect((await bosun(['doctor'], { home })).out).toContain(said);
    const proposed = await bosun(['say', 'start shop: tidy up'], { home });
    expect(`${proposed.out}${proposed.err}`).toContain(said);
  });
});
