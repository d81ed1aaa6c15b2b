// Where a conversation with kills is played: Bosun built into a folder of its own, as it would be installed, and for each
// conversation a home with one project. The agent's starts and ends and git's commits are written to a log as they happen;
// where a scene asks for it, each of Bosun's own git commands that changes anything too.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { acceptProjectRules } from '../accept-rules.js';
import type { Scene } from './scene.js';

const root = join(import.meta.dirname, '../..');

export interface Installed {
  readonly folder: string;
  readonly main: string;
  remove(): void;
}

/** Bosun as it is now; what is changed in the sources while it is in use changes nothing. */
export function install(): Installed {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-crash-installed-')));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const name of ['workflows', 'prompts', 'examples', 'package.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  execFileSync(process.execPath, [join(root, 'bin/build.mjs'), join(folder, 'dist')], { stdio: 'pipe' });
  return { folder, main: join(folder, 'dist', 'main.js'), remove: () => remove(folder) };
}

const lineSchema = z.object({
  what: z.enum([
    ...(['agent_started', 'agent_ended', 'agent_commits', 'committing', 'committed'] as const),
    ...(['git_begins', 'git_ended'] as const),
  ]),
  token: z.string().optional(),
  step: z.string().optional(),
  item: z.string().optional(),
  /** Of git: what it does. */
  of: z.string().optional(),
});

export type LogLine = z.infer<typeof lineSchema>;

export interface Stage {
  readonly folder: string;
  readonly home: string;
  readonly scene: Scene;
  /** The project. */
  readonly shop: string;
  /** What Bosun is started with, beside what the tests are. */
  readonly env: Readonly<Record<string, string>>;
  /** What was logged so far. */
  log(): readonly LogLine[];
  /** Calls when the log grows. */
  onLog(listen: (line: LogLine) => void): () => void;
  remove(): void;
}

export interface StageOptions {
  /** How long git's hooks take: where people have hooks, commits are not done in no time. */
  readonly hookMs: number;
  readonly agentMs: number;
  readonly slowStep?: string | undefined;
}

export function setStage(installed: Installed, scene: Scene, options: StageOptions): Stage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-crash-')));
  const [home, logPath] = [join(folder, 'home'), join(folder, 'log.jsonl')];
  // What lies in the home's own demo folder, Bosun takes for the demo, and imports its stories.
  const shop = join(home, scene.name === 'demo' ? 'demo' : 'projects', 'shop');
  mkdirSync(dirname(shop), { recursive: true, mode: 0o700 });
  chmodSync(home, 0o700);
  writeFileSync(logPath, '');
  const { agent } = scene;
  writeFileSync(join(folder, agent.file), agent.text);
  scene.furnish(shop, installed.folder);
  acceptProjectRules(home, shop);
  putUnderGit(shop, logPath, options.hookMs);
  const run = [agent.program, join(folder, agent.file)];
  const config = configOf({ shop, scene, run, logPath }, options);
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
  const log = () => readFileSync(logPath, 'utf8').split('\n').slice(0, -1).map(parseLine);
  return {
    folder,
    home,
    scene,
    shop,
    env: scene.watchesGit ? { PATH: `${watchGit(folder, logPath)}:${process.env['PATH']}` } : {},
    log,
    onLog(listen) {
      let told = log().length;
      const watcher = watch(logPath, () => {
        const lines = log();
        const from = told;
        told = lines.length;
        for (const line of lines.slice(from)) listen(line);
      });
      return () => watcher.close();
    },
    remove: () => remove(folder),
  };
}

function parseLine(text: string): LogLine {
  return lineSchema.parse(JSON.parse(text));
}

interface Place {
  readonly shop: string;
  readonly scene: Scene;
  readonly run: readonly string[];
  readonly logPath: string;
}

function configOf({ shop, scene, run, logPath }: Place, { agentMs, slowStep = '' }: StageOptions) {
  const env = { CRASH_LOG: logPath, CRASH_SLOW_STEP: slowStep, DEMO_DELAY_MS: String(agentMs) };
  return {
    executors: { scripted: { kind: 'command', run, env } },
    projects: {
      demo: { root: shop, aliases: ['A'], executor: 'scripted', level: 'auto', ...scene.settings },
    },
  };
}

/** What Bosun does with git, by the first word of it, or by what only that piece of work is called with. */
const watched = [
  [`*' worktree add '*`, 'open'],
  [`*' worktree remove '*`, 'remove'],
  [`*' rebase '*`, 'rebase'],
  [`*' commit-tree '*`, 'squash'],
  [`*'bosun: merge'*`, 'advance'],
  [`*'bosun: rollback'*`, 'rollback'],
  [`*' branch '*' -D '*`, 'branch'],
  [`*' read-tree -m -u '*`, 'files'],
  [`*' read-tree --reset '*`, 'index'],
  [`*' --cached --others '*`, 'survey'],
] as const;

export type GitWork = (typeof watched)[number][1];

/** A moment in which git is done and Bosun does not know it yet. */
const gitWaitMs = 60;

/** Gives a folder with a git of its own, which tells of Bosun's work, and leaves that of agents alone. */
function watchGit(folder: string, logPath: string): string {
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const cases = watched.map(([pattern, word]) => `${pattern}) of=${word} ;;`);
  const note = (what: string) => `printf '{"what":"${what}","of":"%s"}\\n' "$of" >> '${logPath}'`;
  const lines = [
    '#!/bin/sh',
    `[ -z "$BOSUN_TOKEN" ] || exec ${real} "$@"`,
    `case " $* " in`,
    ...cases,
    `*) exec ${real} "$@" ;;`,
    'esac',
    note('git_begins'),
    `${real} "$@"`,
    'exit=$?',
    note('git_ended'),
    `sleep ${gitWaitMs / 1000}`,
    'exit $exit',
  ];
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'git'), `${lines.join('\n')}\n`, { mode: 0o755 });
  return join(folder, 'bin');
}

function putUnderGit(shop: string, logPath: string, hookMs: number): void {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: shop, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=main', '--template=');
  git('add', '--all');
  git('commit', '--quiet', '--message=The project');
  mkdirSync(join(shop, '.git', 'hooks'), { recursive: true });
  const note = (what: string) => `echo '${JSON.stringify({ what })}' >> '${logPath}'`;
  const isBosun = `grep -q '^Bosun: '`;
  const slow = `sleep ${hookMs / 1000}`;
  hook(
    shop,
    'commit-msg',
    `if ${isBosun} "$1"; then ${note('committing')}; else ${note('agent_commits')}; fi; ${slow}`,
  );
  hook(shop, 'post-commit', `if git log -1 --format=%B | ${isBosun}; then ${note('committed')}; ${slow}; fi`);
}

function hook(shop: string, name: string, script: string): void {
  writeFileSync(join(shop, '.git', 'hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
