import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { openHome } from '../open-home.js';
import { openStore } from '../open-store.js';
import { bosun, errorLine, newFolder, start } from './given.js';

const paths = {
  claude: '.claude/settings.local.json',
  codex: '.codex/hooks.json',
  opencode: '.opencode/plugin/bosun.js',
};

async function given(name = 'shop') {
  const folder = newFolder();
  const [home, root] = [join(folder, "home o'mine"), join(folder, name)];
  mkdirSync(root);
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  git('init', '-q');
  writeFileSync(join(root, 'a.txt'), 'a\n');
  git('add', '-A');
  git('commit', '-qm', 'start');
  await bosun(['init', root, '--name', 'shop'], { home });
  const install = (...more: readonly string[]) => bosun(['hook', 'install', 'shop', ...more], { home });
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  return { folder, home, root, git, install, read, write };
}

const json = (text: string) => JSON.parse(text);
const ownHook = { type: 'command', command: expect.stringMatching(/# bosun hook shop$/), timeout: 10 };

describe('bosun hook install', () => {
  it('writes the hooks of all three agents, invisible to git', async () => {
    const { install, read, git } = await given();
    const ended = await install();
    expect(ended).toMatchObject({ code: 0, err: '' });
    expect(ended.out).toMatch(/^claude {4}\.claude\/settings\.local\.json: written$/m);
    expect(ended.out).toMatch(/Codex asks before it runs a hook/);
    for (const path of [paths.claude, paths.codex]) {
      expect(json(read(path))).toEqual({ hooks: { Stop: [{ hooks: [ownHook] }] } });
    }
    expect(read(paths.opencode)).toContain('session.idle');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('is idempotent, and --remove removes exactly what it wrote', async () => {
    const { install, read, root } = await given();
    await install();
    const before = Object.values(paths).map(read);
    expect((await install()).out.match(/: unchanged$/gm)).toHaveLength(3);
    expect(Object.values(paths).map(read)).toEqual(before);
    expect((await install('--remove')).out.match(/: removed$/gm)).toHaveLength(3);
    for (const folder of ['.claude', '.codex', '.opencode']) expect(existsSync(join(root, folder))).toBe(false);
    expect((await install('--remove')).out.match(/: unchanged$/gm)).toHaveLength(3);
  });

  it('keeps other settings in the file on install and on removal', async () => {
    const { install, read, write, root } = await given();
    const own = `{
    "permissions": { "allow": ["Bash(ls:*)"] },
    "hooks": {
        "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "mine" }] }],
        "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]
    },
    "model": "opus"
}
`;
    write(paths.claude, own);
    chmodSync(join(root, paths.claude), 0o600);
    await install('--agent', 'claude');
    const after = json(read(paths.claude));
    expect(after).toEqual({
      ...json(own),
      hooks: { ...json(own).hooks, Stop: [...json(own).hooks.Stop, { hooks: [ownHook] }] },
    });
    expect(Object.keys(after)).toEqual(['permissions', 'hooks', 'model']);
    expect(read(paths.claude)).toMatch(/^ {4}"permissions"/m);
    expect(statSync(join(root, paths.claude)).mode & 0o777).toBe(0o600);
    expect(existsSync(join(root, '.codex'))).toBe(false);
    await install('--agent', 'claude', '--remove');
    expect(json(read(paths.claude))).toEqual(json(own));
  });

  it('replaces its older command, and leaves the hooks of other projects alone', async () => {
    const { install, read, write } = await given();
    const hook = (command: string) => ({ type: 'command', command });
    const Stop = [
      { hooks: [hook("'/old/node' '/old/bosun' hook 'shop' || true # bosun hook shop"), hook('mine')] },
      { hooks: [hook('x # bosun hook shop-two')] },
    ];
    write(paths.claude, JSON.stringify({ hooks: { Stop } }));
    await install('--agent', 'claude');
    expect(json(read(paths.claude)).hooks.Stop).toEqual([
      { hooks: [hook('mine')] },
      { hooks: [hook('x # bosun hook shop-two')] },
      { hooks: [ownHook] },
    ]);
  });

  it('with --dry-run prints what it would write, and writes nothing', async () => {
    const { install, root } = await given();
    const { code, out } = await install('--dry-run');
    expect(code).toBe(0);
    expect(out).toMatch(/settings\.local\.json: would be written\n\{\n {2}"hooks"/);
    expect(existsSync(join(root, '.claude'))).toBe(false);
  });

  it('with --json prints one JSON document', async () => {
    const { install } = await given();
    const { out } = await install('--agent', 'codex', '--json');
    expect(json(out)).toEqual({
      project: 'shop',
      written: true,
      files: [{ agent: 'codex', path: paths.codex, state: 'written' }],
    });
  });

  it.each([
    ['no JSON', '{ "hooks": ', /is not JSON/],
    ['a list', '[]', /is not a JSON object/],
    ['hooks that are a list', '{"hooks": []}', /has no object under "hooks"/],
    ['a Stop that is no list', '{"hooks": {"Stop": {}}}', /has no list under "hooks\.Stop"/],
  ])('rejects a settings file with %s, and changes no file', async (_what, text, why) => {
    const { install, read, write, root } = await given();
    write(paths.claude, text);
    const ended = await install();
    expect(ended.code).toBe(1);
    expect(errorLine(ended)).toMatch(/^error: bad_input: \.claude\/settings\.local\.json/);
    expect(errorLine(ended)).toMatch(why);
    expect(read(paths.claude)).toBe(text);
    expect(existsSync(join(root, '.codex'))).toBe(false);
  });

  it.each([
    ['a folder', '.claude', 'elsewhere'],
    ['a file', paths.claude, 'elsewhere/settings.json'],
    ['a link to nothing', paths.claude, 'elsewhere/none.json'],
  ])('refuses to follow a link out of the project: %s', async (_what, link, target) => {
    const { install, folder, root } = await given();
    mkdirSync(join(folder, 'elsewhere'));
    writeFileSync(join(folder, 'elsewhere', 'settings.json'), '{}\n');
    mkdirSync(join(root, link, '..'), { recursive: true });
    symlinkSync(join(folder, target), join(root, link));
    const ended = await install('--agent', 'claude');
    expect(ended.code).toBe(3);
    expect(errorLine(ended)).toMatch(/^error: not_allowed: .* leads out of the project/);
    expect(readFileSync(join(folder, 'elsewhere', 'settings.json'), 'utf8')).toBe('{}\n');
    expect(existsSync(join(folder, 'elsewhere', 'settings.local.json'))).toBe(false);
  });

  it('refuses to edit a file that is under git, since others would get it', async () => {
    const { install, git, write, read } = await given();
    write(paths.codex, '{}\n');
    git('add', '-A');
    git('commit', '-qm', 'hooks');
    const ended = await install('--agent', 'codex');
    expect(ended.code).toBe(3);
    expect(errorLine(ended)).toMatch(/^error: not_allowed: \.codex\/hooks\.json is tracked by git/);
    expect(read(paths.codex)).toBe('{}\n');
  });

  it('leaves a foreign OpenCode plugin alone', async () => {
    const { install, write, read } = await given();
    write(paths.opencode, 'export const Mine = async () => ({});\n');
    for (const more of [[], ['--remove']]) {
      const ended = await install('--agent', 'opencode', ...more);
      expect(errorLine(ended)).toMatch(/^error: bad_input: \.opencode\/plugin\/bosun\.js is not Bosun's/);
    }
    expect(read(paths.opencode)).toBe('export const Mine = async () => ({});\n');
  });
});

const payload = (id: string) =>
  JSON.stringify({ session_id: id, hook_event_name: 'Stop', last_assistant_message: `Done by ${id}.` });

/** The local thread, once this many sessions were told there. */
function told(home: string, count: number): Promise<readonly string[]> {
  return vi.waitFor(
    () => {
      const store = openStore(openHome(home).dbPath, { readonly: true });
      const texts = store.messages('local', null, 100).map(({ view }) => view.text);
      store.close();
      expect(texts).toHaveLength(count);
      return texts;
    },
    { timeout: 30_000, interval: 50 },
  );
}

function runShell(command: string, cwd: string, input: string): Promise<{ stdout: string; stderr: string }> {
  const running = promisify(execFile)('sh', ['-c', command], { cwd });
  running.child.stdin?.end(input);
  return running;
}

describe('the installed hook command', () => {
  it('works from any folder and with special characters in paths, without output', async () => {
    const { home, read } = await given("it's a shop");
    expect((await (await start(['hook', 'install', 'shop'], { home })).ended).code).toBe(0);
    const { command } = json(read(paths.claude)).hooks.Stop[0].hooks[0];
    expect(await runShell(command, '/', payload('s1'))).toEqual({ stdout: '', stderr: '' });
    expect(await told(home, 1)).toEqual(['A Claude Code session in shop ended:\n> Done by s1.']);
  });

  it('does not fail a session when Bosun is uninstalled', async () => {
    const { home, read } = await given();
    await (await start(['hook', 'install', 'shop'], { home })).ended;
    const { command } = json(read(paths.claude)).hooks.Stop[0].hooks[0];
    const gone = command.replace('/dist/main.js', '/dist/gone.js');
    expect(gone).not.toBe(command);
    expect(await runShell(gone, '/', payload('s1'))).toEqual({ stdout: '', stderr: '' });
  });

  it('as an OpenCode plugin reports an idle session, but not a child session', async () => {
    const { home, root } = await given();
    await (await start(['hook', 'install', 'shop', '--agent', 'opencode'], { home })).ended;
    const { BosunHook } = await import(/* @vite-ignore */ join(root, paths.opencode));
    const messages = [
      { info: { id: 'm1', role: 'user' }, parts: [{ type: 'text', text: 'hello' }] },
      { info: { id: 'm2', role: 'assistant' }, parts: [{ type: 'text', text: 'Hello yourself.' }, { type: 'tool' }] },
    ];
    const client = {
      session: {
        get: ({ path }: { path: { id: string } }) => ({ data: path.id === 'child' ? { parentID: 'top' } : {} }),
        messages: () => ({ data: messages }),
      },
    };
    const hooks = await BosunHook({ client });
    await hooks.event({ event: { type: 'session.updated', properties: { sessionID: 'top' } } });
    await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 'child' } } });
    await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 'top' } } });
    await hooks.event({ event: { type: 'session.idle', properties: {} } });
    const texts = await told(home, 1);
    expect(texts).toEqual(['An OpenCode session in shop ended:\n> Hello yourself.']);
  });
});
