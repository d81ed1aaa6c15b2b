// Steps are atomic and config.yaml comes last, so an interrupted setup continues.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BosunError } from '../../base/index.js';
import type { Request } from '../../bot/index.js';
import { type Config, editConfig, type Home, homeFolder, isLoopback, loadConfig } from '../../config/index.js';
import { openStore } from '../../store/index.js';

const source = fileURLToPath(new URL('../../../examples/demo', import.meta.url));
const demoName = 'demo';
const gitTimeoutMs = 30_000;

/**
 * Only in a home without a configuration of its own, or with chat platforms alone and own workers (`works`), out of
 * others' reach. Returns the import to perform before "continue demo"; null: imported before, or not a demo home.
 */
export async function prepareDemo(
  home: Home,
  { works = true, config = loadConfig(home, process.env) } = {},
): Promise<Request | null> {
  if (existsSync(home.configPath) && !(works && namesChannelsAlone(config))) {
    return isDemoWithoutRun(home, config) ? importOf(demoRoot(home)) : null;
  }
  const root = await demoRepository(home);
  editConfig(home, process.env, (document) => {
    document.commentBefore ??= head;
    document.set(
      'executors',
      document.createNode({ scripted: { kind: 'command', run: ['node', 'agent.mjs'], pass_env: ['DEMO_DELAY_MS'] } }),
    );
    document.setIn(['projects', demoName], document.createNode(settingsOf(root)));
  });
  return importOf(root);
}

const head = ` "scripted" is not an AI: it is a script that plays a coding agent, so the demo costs nothing.
 To use a real agent, add it under executors and set it as the project's executor, for example
   claude: { kind: claude }                          # Claude Code, if it is installed
   mine: { kind: command, run: ["./my-agent.sh"] }   # any program that reads a prompt and does the work
 To add your own project: bosun init <folder>`;

export function demoRoot(home: Pick<Home, 'dir'>): string {
  return join(home.dir, 'demo', 'shop');
}

function settingsOf(root: string) {
  return {
    // config.yaml would read `${THIS}` in a path as a variable.
    root: root.replaceAll(/\$\{[A-Za-z_]\w*\}/g, (whole) => `$${whole}`),
    aliases: ['A'],
    workflow: 'micro-waterfall',
    executor: 'scripted',
    level: 'auto',
    tests: { run: 'node --test --test-reporter=tap', format: 'tap' },
  };
}

async function demoRepository(home: Home): Promise<string> {
  homeFolder(home, 'demo');
  const root = demoRoot(home);
  if (existsSync(root)) return root;
  const draft = `${root}.part`;
  rmSync(draft, { recursive: true, force: true });
  cpSync(source, draft, { recursive: true });
  await git(draft, 'init', '--quiet', '--initial-branch=main', '--template=');
  await git(draft, 'add', '--all');
  await git(draft, 'commit', '--quiet', '--no-verify', '--message=The demo shop');
  renameSync(draft, root);
  return root;
}

async function git(cwd: string, ...args: readonly string[]): Promise<void> {
  const own = ['-c', 'user.name=Bosun demo', '-c', 'user.email=demo@bosun.invalid', '-c', 'commit.gpgsign=false'];
  // Inside a git hook GIT_* names another repository.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  try {
    await promisify(execFile)('git', [...own, ...args], { cwd, env, timeout: gitTimeoutMs });
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.trim().split('\n').at(-1) ?? '') : String(cause);
    throw new BosunError('git', `git ${args[0]} failed in ${cwd}: ${why}`, {
      hint: 'The demo needs git 2.28 or newer: see what "git --version" says.',
      cause,
    });
  }
}

/** True after `bosun init <channel>`, on a machine that others cannot reach. */
function namesChannelsAlone({ channels, executors, projects, people, web }: Config): boolean {
  const hasNothing = [executors, projects, people].every((one) => Object.keys(one).length === 0);
  return hasNothing && isLoopback(web.host) && Object.values(channels).some((one) => one !== null);
}

/** The setup was interrupted before the import. */
function isDemoWithoutRun(home: Home, { projects }: Config): boolean {
  if (!existsSync(demoRoot(home))) return false;
  const roots = [demoRoot(home), realpathSync(demoRoot(home))];
  if (!projects.some(({ name, root }) => name === demoName && roots.includes(root))) return false;
  const store = openStore(home.dbPath, { homeId: home.homeId, threads: home.channels });
  try {
    return store.runs(demoName, 1, null).length === 0;
  } finally {
    store.close();
  }
}

function importOf(root: string): Request {
  const file = 'prd.json';
  const stories: unknown = JSON.parse(readFileSync(join(root, file), 'utf8'));
  return { do: 'import', project: demoName, stories, file, workflow: null, thread: 'local', as: null, cwd: root };
}
