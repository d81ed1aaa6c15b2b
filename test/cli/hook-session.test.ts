import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openHome } from '../open-home.js';
import { openStore } from '../open-store.js';
import { bosun, errorLine, newFolder, start } from './given.js';

interface Given {
  readonly home: string;
  readonly root: string;
}

async function given(level = 'manual'): Promise<Given> {
  const [home, root] = [join(newFolder(), 'home'), join(newFolder(), 'shop')];
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'a\n');
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'start'],
  ])
    execFileSync('git', args, { cwd: root });
  await bosun(['init', root, '--level', level], { home });
  return { home, root };
}

interface Said {
  readonly text?: string;
  readonly session?: string;
  readonly prompt?: string;
  readonly event?: string;
}

/** As Claude Code hands it over. */
function stop({ text = 'All done.', session = 's1', prompt = 'p1', event = 'Stop' }: Said = {}): string {
  return JSON.stringify({
    session_id: session,
    transcript_path: '/nowhere/transcript.jsonl',
    cwd: '/nowhere',
    prompt_id: prompt,
    permission_mode: 'default',
    hook_event_name: event,
    stop_hook_active: false,
    last_assistant_message: text,
  });
}

const tell = ({ home }: Given, input: string, ...more: readonly string[]) =>
  bosun(['hook', 'shop', '--agent', 'claude', '--wait', ...more], { home, input });

function reportsIn({ home }: Given, thread = 'local'): readonly string[] {
  const store = openStore(openHome(home).dbPath, { readonly: true });
  try {
    return store
      .messages(thread, null, 200)
      .filter(({ view }) => view.kind === 'report')
      .map(({ edits, view }) => `${edits === null ? '' : 'edit: '}${view.text}`);
  } finally {
    store.close();
  }
}

const nodeOf = async ({ home }: Given) =>
  JSON.parse((await bosun(['status', 'shop', '--json'], { home })).out).nodes[0];

describe('a session that a person ran by hand', () => {
  it('is reported in the local thread if its project has no followed run, quoting its last lines', async () => {
    const it = await given();
    const long = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
    expect((await tell(it, stop({ text: long }))).code).toBe(0);
    const shown = Array.from({ length: 12 }, (_, index) => `> line ${index + 8}`).join('\n');
    expect(reportsIn(it)).toEqual([`A Claude Code session in shop ended:\n> …\n${shown}`]);
  });

  it('is reported to the followers of the newest run', async () => {
    const it = await given('auto');
    // A task is refused as long as no agent is set up for the project.
    const { configPath } = openHome(it.home);
    const executor = '    executor: agent\nexecutors:\n  agent: { kind: command, run: ["true"] }\n';
    writeFileSync(configPath, `${readFileSync(configPath, 'utf8').trimEnd()}\n${executor}`);
    await bosun(['say', 'shop: build it', '--thread', 'team'], it);
    expect((await tell(it, stop())).code).toBe(0);
    expect(reportsIn(it, 'team')).toEqual(['A Claude Code session in shop ended:\n> All done.']);
    expect(reportsIn(it)).toEqual([]);
  });

  it('is reported with configured secrets redacted', async () => {
    const it = await given();
    const config = join(it.home, 'config.yaml');
    const executors =
      'executors:\n  other: { kind: command, run: ["true"], env: { API_KEY: correct-horse-battery } }\n';
    writeFileSync(config, `${readFileSync(config, 'utf8').replace(/^executors:.*\n(?:[ \t].*\n)*/m, '')}${executors}`);
    expect((await tell(it, stop({ text: 'I used correct-horse-battery.' }))).code).toBe(0);
    expect(reportsIn(it)).toEqual(['A Claude Code session in shop ended:\n> I used [redacted].']);
  });

  it('is reported once, even if its hook fires several times and from several processes at once', async () => {
    const it = await given();
    for (let count = 0; count < 3; count += 1) expect((await tell(it, stop())).code).toBe(0);
    const both = await Promise.all(
      [1, 2].map(async () => {
        const started = await start(['hook', 'shop', '--agent', 'claude', '--wait'], it);
        started.child.stdin?.end(stop());
        return started.ended;
      }),
    );
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(reportsIn(it)).toEqual(['A Claude Code session in shop ended:\n> All done.']);
  });

  it('that continues has one message, which is edited to its last ending', async () => {
    const it = await given();
    await tell(it, stop());
    await tell(it, stop({ text: 'Done again.', prompt: 'p2' }));
    await tell(it, stop({ text: 'Another.', session: 's2' }));
    expect(reportsIn(it)).toEqual([
      'A Claude Code session in shop ended:\n> All done.',
      'edit: A Claude Code session in shop ended:\n> Done again.',
      'A Claude Code session in shop ended:\n> Another.',
    ]);
  });

  it('triggers no command, even if its last words look like one', async () => {
    const it = await given();
    await bosun(['say', 'shop: build it'], it);
    const before = (await bosun(['status', '--json'], it)).out;
    for (const [index, text] of ['approve', 'continue shop', 'yes', 'shop: rm -rf', 'STATUS: pass'].entries()) {
      expect((await tell(it, stop({ text, prompt: `p${index}` }))).code).toBe(0);
    }
    expect((await bosun(['status', '--json'], it)).out).toBe(before);
    expect(reportsIn(it)).toHaveLength(5);
  });
});

describe('a session while a step waits for a report', () => {
  const words = 'I wrote b.txt.\n\nSTATUS: pass\nSUMMARY: wrote b';

  it('counts as the attempt, once, if it ends with a status', async () => {
    const it = await given();
    await bosun(['run', 'shop', 'write b'], it);
    writeFileSync(join(it.root, 'b.txt'), 'b\n');
    expect((await tell(it, stop({ text: words }))).code).toBe(0);
    expect(await nodeOf(it)).toMatchObject({ state: 'passed', outcome: 'pass', summary: 'wrote b', attempt: 1 });
    const { out } = await bosun(['status', 'shop', '--json'], it);
    expect((await tell(it, stop({ text: words }))).code).toBe(0);
    expect((await bosun(['status', 'shop', '--json'], it)).out).toBe(out);
    expect(reportsIn(it).filter((text) => text.includes('session'))).toEqual([]);
    expect((await bosun(['verify'], it)).code).toBe(0);
  });

  it('counts as the attempt if it left a result file', async () => {
    const it = await given();
    await bosun(['run', 'shop', 'write b'], it);
    writeFileSync(join(it.root, 'b.txt'), 'b\n');
    mkdirSync(join(it.root, '.ai'), { recursive: true });
    writeFileSync(join(it.root, '.ai', 'executor-result'), 'status: pass\nsummary: by file\n');
    expect((await tell(it, stop())).code).toBe(0);
    expect(await nodeOf(it)).toMatchObject({ state: 'passed', summary: 'by file' });
  });

  it('is only reported in chat if the step cannot take its report now', async () => {
    const it = await given();
    writeFileSync(join(it.root, 'a.txt'), 'changed by a person\n');
    await bosun(['run', 'shop', 'write b'], it);
    const before = await nodeOf(it);
    expect((await tell(it, stop({ text: words }))).code).toBe(0);
    expect(await nodeOf(it)).toEqual(before);
    expect(reportsIn(it).at(-1)).toMatch(/^A Claude Code session in shop ended:\n> I wrote b\.txt\./);
  });

  it('is only reported in chat at level auto, which waits for Bosun’s own agent', async () => {
    const it = await given('auto');
    const configPath = join(it.home, 'config.yaml');
    const agent = 'cat > /dev/null; echo STATUS: pass';
    const executor = `executors: { agent: { kind: command, run: [sh, -c, ${JSON.stringify(agent)}] } }\n`;
    writeFileSync(configPath, `${executor}${readFileSync(configPath, 'utf8')}`);
    const two = join(newFolder(), 'two.yaml');
    const steps = ['a', 'b'].map((id) => `  - { id: ${id}, prompt: "Do it." }\n`).join('');
    writeFileSync(two, `workflow: two\nversion: 1\nchain:\n${steps}`);
    await bosun(['run', 'shop', 'write b', '--workflow', two], it);
    await bosun(['say', 'stop shop', '--wait'], it);
    const nodeOf = async (given: Given) => JSON.parse((await bosun(['status', 'shop', '--json'], given)).out).nodes[1];
    const before = await nodeOf(it);
    expect(['ready', 'waiting']).toContain(before.state);
    expect((await tell(it, stop({ text: words }))).code).toBe(0);
    expect(await nodeOf(it)).toEqual(before);
    expect(reportsIn(it).at(-1)).toMatch(/^A Claude Code session in shop ended:/);
  });

  it('is only reported in chat if it has no status, and the step keeps waiting', async () => {
    const it = await given();
    await bosun(['run', 'shop', 'write b'], it);
    const before = await nodeOf(it);
    expect((await tell(it, stop({ text: 'I looked around.' }))).code).toBe(0);
    expect(await nodeOf(it)).toEqual(before);
    expect(reportsIn(it).at(-1)).toBe('A Claude Code session in shop ended:\n> I looked around.');
  });
});

describe('bosun hook --agent, called by an agent', () => {
  const quiet = { code: 0, out: '', err: '' };

  it('returns at once without output, and delivers the report in the background', async () => {
    const it = await given();
    const started = await start(['hook', 'shop', '--agent', 'claude'], it);
    started.child.stdin?.end(stop());
    expect(await started.ended).toEqual(quiet);
    await vi.waitFor(() => expect(reportsIn(it)).toHaveLength(1), { timeout: 20_000, interval: 50 });
  });

  it('delegates to a process that survives when the agent’s process group is killed', async () => {
    const it = await given();
    const started = await start(['hook', 'shop', '--agent', 'claude'], { ...it, detached: true });
    started.child.stdin?.end(stop());
    expect(await started.ended).toEqual(quiet);
    try {
      process.kill(-(started.child.pid ?? 0), 'SIGKILL');
    } catch {
      // Nobody is left in its group, as it should be.
    }
    await vi.waitFor(() => expect(reportsIn(it)).toHaveLength(1), { timeout: 20_000, interval: 50 });
  });

  it('takes Codex’s payload from an argument, and ignores sessions in other folders', async () => {
    const it = await given();
    const payload = (cwd: string) =>
      JSON.stringify({
        type: 'agent-turn-complete',
        'thread-id': 't1',
        'turn-id': 'n1',
        cwd,
        'input-messages': ['hello'],
        'last-assistant-message': 'Hello yourself.',
      });
    const call = (cwd: string) => bosun(['hook', 'shop', '--agent', 'codex', '--wait', payload(cwd)], it);
    expect(await call(join(it.root, '..'))).toEqual(quiet);
    expect((await call(join(it.root, 'src'))).code).toBe(0);
    expect(reportsIn(it)).toEqual(['A Codex session in shop ended:\n> Hello yourself.']);
    const handed = await start(['hook', 'shop', '--agent', 'codex', payload(`${it.root}-two`)], it);
    expect(await handed.ended).toEqual(quiet);
    await tell(it, stop());
    expect(reportsIn(it)).toHaveLength(2);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'hello'],
    ['a JSON that is no object', '[1]'],
    ['fields of another kind', '{"session_id": 5}'],
    ['more than a megabyte', stop({ text: 'x'.repeat(1024 * 1024) })],
    ['another event', stop({ event: 'SubagentStop' })],
    ['the end after the end', stop({ event: 'SessionEnd' })],
  ])('ignores %s: exit 0', async (_what, input) => {
    const home = join(newFolder(), 'home');
    expect(await bosun(['hook', 'shop', '--agent', 'claude'], { home, input })).toEqual(quiet);
  });

  it('does not wait for an agent that never closes standard input', async () => {
    const it = await given();
    const started = await start(['hook', 'shop', '--agent', 'claude'], it);
    started.child.stdin?.write(stop().slice(0, 40));
    expect(await started.ended).toEqual(quiet);
  });

  it('does nothing inside an attempt run by Bosun', async () => {
    const it = await given();
    const env = { BOSUN_TOKEN: 'whatever' };
    const ended = await bosun(['hook', 'shop', '--agent', 'claude', '--wait'], { ...it, env, input: stop() });
    expect(ended).toEqual(quiet);
    expect(existsSync(join(it.home, 'bosun.db'))).toBe(false);
  });

  it('rejects an unknown agent with the known names: exit 2', async () => {
    const it = await given();
    const ended = await bosun(['hook', 'shop', '--agent', 'klaude'], it);
    expect(ended.code).toBe(2);
    expect(errorLine(ended)).toBe('error: usage: There is no agent "klaude". There are: claude, codex, opencode.');
  });
});
