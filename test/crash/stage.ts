// Where a conversation with kills is played: Bosun built into a folder of its own, as it would be installed, and for each
// conversation a home with the demo shop. The agent's starts and ends and git's commits are written to a log as they happen.
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
import { join } from 'node:path';
import { z } from 'zod';

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
  what: z.enum(['agent_started', 'agent_ended', 'agent_commits', 'committing', 'committed']),
  token: z.string().optional(),
  step: z.string().optional(),
});

export type LogLine = z.infer<typeof lineSchema>;

export interface Stage {
  readonly folder: string;
  readonly home: string;
  readonly shop: string;
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

export function setStage(installed: Installed, options: StageOptions): Stage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-crash-')));
  const [home, logPath] = [join(folder, 'home'), join(folder, 'log.jsonl')];
  const shop = join(home, 'demo', 'shop');
  mkdirSync(join(home, 'demo'), { recursive: true, mode: 0o700 });
  chmodSync(home, 0o700);
  writeFileSync(logPath, '');
  writeFileSync(join(folder, 'agent.mjs'), agentSource);
  cpSync(join(installed.folder, 'examples', 'demo'), shop, { recursive: true });
  putUnderGit(shop, logPath, options.hookMs);
  const config = configOf(shop, join(folder, 'agent.mjs'), logPath, options);
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
  const log = () => readFileSync(logPath, 'utf8').split('\n').slice(0, -1).map(parseLine);
  return {
    folder,
    home,
    shop,
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

/** The demo's own agent, with its comings and goings written down. */
const agentSource = `import { appendFileSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const { CRASH_LOG, CRASH_SLOW_STEP, BOSUN_TOKEN: token, BOSUN_STEP: step } = process.env;
const note = (what) => appendFileSync(CRASH_LOG, JSON.stringify({ what, token, step }) + '\\n');
const isFirst = !readFileSync(CRASH_LOG, 'utf8').includes('"step":"' + step + '"');
note('agent_started');
process.on('exit', () => note('agent_ended'));
if (isFirst && step === CRASH_SLOW_STEP) await pause(20_000);
await import(pathToFileURL(resolve('agent.mjs')).href);
`;

function configOf(shop: string, agent: string, logPath: string, { agentMs, slowStep = '' }: StageOptions) {
  const env = { CRASH_LOG: logPath, CRASH_SLOW_STEP: slowStep, DEMO_DELAY_MS: String(agentMs) };
  return {
    executors: { scripted: { kind: 'command', run: [process.execPath, agent], env } },
    projects: {
      demo: {
        root: shop,
        aliases: ['A'],
        workflow: 'micro-waterfall',
        executor: 'scripted',
        level: 'auto',
        tests: { run: 'node --test --test-reporter=tap', format: 'tap' },
      },
    },
  };
}

function putUnderGit(shop: string, logPath: string, hookMs: number): void {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: shop, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=main', '--template=');
  git('add', '--all');
  git('commit', '--quiet', '--message=The demo shop');
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
