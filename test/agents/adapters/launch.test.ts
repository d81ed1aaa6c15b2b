import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentSeatOf, freshSessionId } from '../../../src/agents/adapters/shared/seat.js';
import type { AgentConfig } from '../../../src/jobs/agent-config.js';
import type { AttemptSpec } from '../../../src/jobs/attempt-spec.js';
import { newFolder } from '../../cli/given.js';
import { adapterOf, agentConfig, agentSeat, around } from './given-agent.js';

const url = 'http://127.0.0.1:7420';

function launch(config: AgentConfig, changes: Partial<AttemptSpec> = {}, more: Partial<typeof around> = {}) {
  const seat = agentSeatOf(agentSeat(config, changes));
  if (seat === null) throw new Error('no agent');
  return adapterOf(config.kind).launch(seat, { ...around, ...more });
}

const args = (...given: Parameters<typeof launch>) => launch(...given).args;

describe('the command line of claude', () => {
  const claude = (changes: Partial<AgentConfig> = {}) => agentConfig('claude', changes);

  it.each([
    ['read', 'ask', 'default'],
    ['exec', 'ask', 'default'],
    ['write', 'ask', 'acceptEdits'],
    ['read', 'deny', 'default'],
    ['write', 'deny', 'acceptEdits'],
    ['read', 'bypass', 'bypassPermissions'],
    ['write', 'bypass', 'bypassPermissions'],
  ] as const)('with access %s and permission %s uses mode %s', (access, permission, mode) => {
    const given = args(claude({ permission }), { access, url });
    expect(given).toContain(`--permission-mode=${mode}`);
    const asks = given.some((one) => one.startsWith('--permission-prompt-tool='));
    expect(asks).toBe(permission === 'ask');
    const refused = given.filter((one) => one.startsWith('--disallowedTools=')).flatMap((one) => one.split(/[=,]/));
    expect(refused).toEqual(expect.arrayContaining(['EnterWorktree', 'EnterPlanMode', 'CronCreate', 'SendMessage']));
    expect(refused.includes('AskUserQuestion')).toBe(permission === 'ask');
  });

  it.each(['ask', 'deny', 'bypass'] as const)(
    'under %s lets a checkout’s settings count only if all is allowed',
    (permission) => {
      const { args: given, env } = launch(claude({ permission }), { url });
      const own = ['--setting-sources=user', '--add-dir=/work/demo'];
      expect(given.filter((one) => own.includes(one))).toEqual(permission === 'bypass' ? [] : own);
      expect(env['CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD']).toBe(permission === 'bypass' ? undefined : '1');
    },
  );

  it('always allows edits of its report files, and reads only in its folder', () => {
    const given = args(claude(), { access: 'read' });
    const rules = given.filter((one) => one.startsWith('--allowedTools='));
    expect(rules).toContain('--allowedTools=Edit(//work/demo/.ai/**)');
    expect(rules).toContain('--allowedTools=Read(//work/demo/**)');
    expect(rules).toContain('--allowedTools=Edit(//work/demo/.ai/HANDOFF.md)');
    expect(rules.filter((one) => /Bash|Write|Edit\(\/\/work\/demo\/\*|Read$/.test(one))).toEqual([]);
  });

  it('allows the step’s test command and the configured tools without asking', () => {
    const spec = { tests: { run: 'npm test', format: 'auto' }, check: 'echo $(date)', access: 'exec' } as const;
    const given = args(claude({ tools: ['Bash(git diff:*)'] }), spec);
    expect(given).toContain('--allowedTools=Bash(npm test)');
    expect(given).toContain('--allowedTools=Bash(git diff:*)');
    expect(given.join(' ')).not.toContain('date');
    expect(args(claude(), { ...spec, access: 'read' }).join(' ')).not.toContain('Bash');
  });

  it('allows the project’s own commands without asking, even if its step runs none of them', () => {
    const ownerLines = ['npm test', 'npm run lint', 'make "$(pwd)"'];
    const rules = (access: AttemptSpec['access']) =>
      args(claude(), { access, ownerLines, tests: { run: 'npm test', format: 'auto' } }).filter((one) =>
        one.includes('Bash'),
      );
    expect(rules('write')).toEqual(['--allowedTools=Bash(npm test)', '--allowedTools=Bash(npm run lint)']);
    expect(rules('exec')).toEqual(rules('write'));
    expect(rules('read')).toEqual([]);
  });

  it('allows what a person granted for the run, and nothing else with the same tool', () => {
    const allowed = [
      ['Bash', 'npm publish'],
      ['Edit', '/etc/hosts'],
      ['Read', '/etc/hostname'],
      ['Read', '/etc/*'],
      ['Read', '/home/ada/.ss[h]/id'],
      ['Read', 'file_path: /etc/hostname'],
      ['WebFetch', 'https://example.org/one'],
      ['mcp__github__merge', '{"pull":1}'],
    ] as const;
    const grants = allowed.map(([tool, what]) => ({ tool, what, mark: `${tool} ${what}` }));
    const before = new Set(args(claude(), { url }));
    expect(args(claude(), { url, grants }).filter((one) => !before.has(one))).toEqual([
      '--allowedTools=Bash(npm publish)',
      '--allowedTools=Edit(//etc/hosts)',
      '--allowedTools=Read(//etc/hostname)',
    ]);
  });

  it('names the commands that run without asking, and what others cost', () => {
    const ownerLines = ['npm run lint'];
    const said = (changes: Parameters<typeof claude>[0], access: 'read' | 'write' = 'write') =>
      launch(claude({ tools: ['Bash(git log:*)', 'WebFetch'], ...changes }), { url, access, ownerLines }).input;
    expect(said({})).toContain(
      'These commands run without asking: `npm run lint`, `git log:*`. Other commands may wait up to',
    );
    expect(said({}, 'read')).toContain('These commands run without asking: `git log:*`.');
    expect(said({ permission: 'deny' })).toContain('Other commands may be refused');
    expect(said({ permission: 'bypass' })).not.toContain('commands');
  });

  it('includes Bosun’s MCP server if a person can be asked, and never a token', () => {
    const { args: given, env } = launch(claude(), { url, token: 'very-secret' });
    const config = { mcpServers: { bosun: { command: process.execPath, args: ['/opt/bosun/main.js', 'mcp'] } } };
    expect(given).toContain(`--mcp-config=${JSON.stringify(config)}`);
    expect(given).toContain('--allowedTools=mcp__bosun__*');
    expect(given.join(' ')).not.toContain('very-secret');
    expect(Number(env['MCP_TOOL_TIMEOUT'])).toBeGreaterThan(600_000);
    for (const none of [args(claude(), { url: '' }), args(claude(), { url }, { entry: null })]) {
      expect(none.join(' ')).not.toMatch(/mcp/);
    }
  });

  it('starts a session with a deterministic id, distinct per attempt, role and home', () => {
    const id = args(claude())
      .find((one) => one.startsWith('--session-id='))
      ?.slice('--session-id='.length);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const seat = agentSeat(claude());
    const others = [{ attempt: 'b' }, { role: 'tester' }, { token: 'other' }].map((one) =>
      freshSessionId({ ...seat, ...one }),
    );
    expect(new Set([id, ...others]).size).toBe(4);
    expect(freshSessionId(seat)).toBe(id);
  });

  it.each([
    ['its own', 'claude:abc-1', ['--resume=abc-1'], 'Go on.'],
    ['another program’s', 'codex:abc-1', ['--session-id='], 'Do it all.'],
    ['one that looks like an option', 'claude:--dangerously-skip-permissions', ['--session-id='], 'Do it all.'],
    ['no session', 'claude:', ['--session-id='], 'Do it all.'],
  ])('handles a session to resume: %s', (_, session, flags, prompt) => {
    const { args: given, input } = launch(claude(), { resume: { session, prompt: 'Go on.' } });
    for (const flag of flags) expect(given.some((one) => one.startsWith(flag))).toBe(true);
    expect(input.startsWith(prompt)).toBe(true);
    expect(given.join(' ')).not.toContain('dangerously');
  });

  it('passes on the remaining budget', () => {
    expect(args(claude(), {}, { leftUsd: 1.25 })).toContain('--max-budget-usd=1.2500');
    expect(args(claude()).join(' ')).not.toContain('budget');
  });
});

describe('the command line of codex', () => {
  const codex = (changes: Partial<AgentConfig> = {}) => agentConfig('codex', changes);

  it.each([
    ['read', 'ask', '--sandbox=read-only'],
    ['exec', 'ask', '--sandbox=workspace-write'],
    ['write', 'deny', '--sandbox=workspace-write'],
    ['read', 'bypass', '--dangerously-bypass-approvals-and-sandbox'],
  ] as const)('with access %s and permission %s contains %s', (access, permission, flag) => {
    expect(args(codex({ permission }), { access })).toContain(flag);
  });

  it('reads the prompt from standard input, in a fresh or resumed thread', () => {
    expect(args(codex({ args: ['-c', 'x=1'] })).slice(-3)).toEqual(['-c', 'x=1', '-']);
    const resume = { session: 'codex:0-1', prompt: 'Go on.' };
    expect(args(codex(), { resume }).slice(-3)).toEqual(['resume', '0-1', '-']);
    expect(launch(codex(), { resume }).input).toBe('Go on.');
  });

  it('distrusts each folder up to the top of the repository, and hands over what AGENTS.md says there', () => {
    const top = newFolder();
    const workdir = join(top, 'packages', 'shop');
    mkdirSync(workdir, { recursive: true });
    mkdirSync(join(top, '.git'));
    writeFileSync(join(top, 'AGENTS.md'), 'Indent by tabs.');
    writeFileSync(join(workdir, 'AGENTS.md'), 'Carts are purple.');
    const { args: given, input } = launch(codex(), { workdir, root: workdir });
    const trust = given.find((one) => one.startsWith('projects='));
    const folders = [workdir, join(top, 'packages'), top];
    for (const folder of folders) expect(trust).toContain(`${JSON.stringify(folder)}={trust_level="untrusted"}`);
    expect(input).toMatch(/Indent by tabs\.[\s\S]*Carts are purple\.[\s\S]*Do it all\./);
    const bypassed = launch(codex({ permission: 'bypass' }), { workdir, root: workdir });
    expect(bypassed.args.join(' ')).not.toContain('projects=');
    expect(bypassed.input).not.toContain('purple');
  });

  it('passes the MCP server variable names, not their values', () => {
    const given = args(codex(), { url, token: 'very-secret' }).join(' ');
    expect(given).toContain('mcp_servers.bosun.args=["/opt/bosun/main.js","mcp","--no-permission-prompt"]');
    expect(given).toContain('env_vars=["BOSUN_URL","BOSUN_TOKEN","BOSUN_TASK","BOSUN_HANDOFF_FILE",');
    expect(given).not.toContain('very-secret');
  });
});

describe('the settings of opencode', () => {
  const rules = (changes: Partial<AgentConfig>, spec: Partial<AttemptSpec>) => {
    const { env } = launch(agentConfig('opencode', changes), spec);
    return JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '').permission;
  };

  it.each([
    ['read', 'ask', { bash: 'deny', webfetch: 'ask' }],
    ['exec', 'deny', { bash: 'allow', webfetch: 'deny' }],
    ['write', 'ask', { bash: 'allow', edit: 'allow' }],
    ['write', 'bypass', { '*': 'allow' }],
  ] as const)('with access %s and permission %s include these rules', (access, permission, expected) => {
    expect(rules({ permission }, { access })).toMatchObject(expected);
  });

  it('without write access allow edits of report files and the configured tools only', () => {
    expect(rules({ tools: ['webfetch'] }, { access: 'read' })).toMatchObject({
      edit: { '*': 'deny', '*/.ai/*': 'allow' },
      webfetch: 'allow',
    });
  });

  it('resume the session', () => {
    const given = args(agentConfig('opencode', { model: 'local/small' }), {
      resume: { session: 'opencode:ses_1', prompt: 'Go on.' },
    });
    expect(given).toEqual(expect.arrayContaining(['--session=ses_1', '--model=local/small', '--format', 'json']));
  });
});

describe('a role of the workflow', () => {
  it('overrides the executor’s settings for that role only', () => {
    const config = agentConfig('claude', {
      model: 'big',
      args: ['--a'],
      env: { ONE: '1', TWO: '2' },
      roles: { verifier: { model: 'small', args: [], permission: 'deny', tools: ['Bash(make)'], env: { TWO: '3' } } },
    });
    const seat = agentSeatOf(agentSeat(config, { agentRole: 'verifier' }));
    expect(seat?.executor).toMatchObject({ model: 'small', args: [], permission: 'deny', tools: ['Bash(make)'] });
    expect(seat?.executor.env).toEqual({ ONE: '1', TWO: '3' });
    expect(agentSeatOf(agentSeat(config, { agentRole: 'toString' }))?.executor).toMatchObject({ model: 'big' });
    expect(agentSeatOf(agentSeat(config))?.executor).toMatchObject({ model: 'big', args: ['--a'] });
  });
});

describe.each(['claude', 'codex', 'opencode'] as const)('the prompt of %s', (kind) => {
  const promptOf = (changes: Partial<AttemptSpec>, entry: string | null = around.entry) =>
    launch(agentConfig(kind), changes, { entry }).input;

  it('mentions the tools for asking if Bosun’s MCP server is available', () => {
    expect(promptOf({ url })).toMatch(
      /^Do it all\.\n\n[\s\S]*`bosun`.*`ask_human`.*`report_progress`.*`report`.*`note`.*`progress_log`.*\n$/,
    );
  });

  it('mentions no tools without the MCP server', () => {
    for (const text of [promptOf({ url: '' }), promptOf({ url }, null)]) {
      expect(text).toMatch(/^Do it all\./);
      expect(text).not.toMatch(/bosun|ask_human|`report`/);
    }
  });

  it('mentions the tools once per session', () => {
    const resume = { session: `${kind}:abc-1`, prompt: 'Go on.' };
    expect(promptOf({ url, resume })).toBe('Go on.');
    expect(promptOf({ url, resume: { ...resume, session: 'other:abc-1' } })).toContain('`ask_human`');
  });
});
