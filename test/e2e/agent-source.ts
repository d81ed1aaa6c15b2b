// The agent of the scenarios: a program that does what a plan tells it, and notes each call with what it was given.

/** What the agent does in one call. */
interface Move {
  readonly status?: string;
  readonly reason?: string;
  readonly summary?: string;
  readonly digest?: string;
  readonly questions?: readonly string[];
  /** What the project's tests say from then on. */
  readonly tests?: { readonly pass: number; readonly fail: number };
  /** Written below the working directory; null deletes. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Put over the front matter, for one that lies about whom it belongs to. */
  readonly front?: Readonly<Record<string, string | number>>;
  /** A text stands for the whole file; false leaves none. */
  readonly handoff?: string | false;
  readonly result?: string;
  readonly print?: string;
  /** Printed again and again while it waits. */
  readonly mutters?: string;
  readonly exit?: number;
  /** Waits until the gate of this name is opened. */
  readonly until?: string;
}

/** By `step` or `item step`; of a list each call takes the next, and the last one stays. */
export type AgentPlan = Readonly<Record<string, Move | readonly Move[]>>;

export const agentSource = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const home = dirname(process.argv[1]);
const { BOSUN_STEP: step, BOSUN_ITEM: item, BOSUN_PROJECT: project, BOSUN_RUN: run, BOSUN_ATTEMPT: attempt } = process.env;
const calls = join(home, 'calls.jsonl');
const key = [project, run, item, step].join(' ');
const before = existsSync(calls) ? readFileSync(calls, 'utf8').split('\\n').filter(Boolean).map((line) => JSON.parse(line)) : [];
const n = before.filter((one) => one.key === key).length;
const prompt = readFileSync(0, 'utf8');
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('BOSUN_')));
appendFileSync(calls, JSON.stringify({ key, project, run, item, step, attempt: Number(attempt), pid: process.pid, prompt, env }) + '\\n');

const plan = JSON.parse(readFileSync(join(home, 'plan.json'), 'utf8'));
const found = plan[[project, item, step].join(' ')] ?? plan[[item, step].join(' ')] ?? plan[[project, step].join(' ')] ?? plan[step] ?? {};
const move = Array.isArray(found) ? found[Math.min(n, found.length - 1)] : found;

const at = (path) => join(process.env.BOSUN_WORKDIR, path);
const put = (file, text) => { mkdirSync(dirname(file), { recursive: true }); writeFileSync(file, text); };

for (const [path, text] of Object.entries(move.files ?? {})) text === null ? rmSync(at(path), { force: true }) : put(at(path), text);
if (move.until) {
  const gate = join(home, 'gates', move.until);
  await new Promise((resolve) => {
    let turns = 0;
    const look = () => {
      if (move.mutters && turns++ % 10 === 0) process.stdout.write(move.mutters + '\\n');
      existsSync(gate) ? resolve() : setTimeout(look, 10);
    };
    look();
  });
}
const tests = move.tests ?? (step === 'scaffold' ? { pass: 0, fail: 2 } : step === 'impl' ? { pass: 44, fail: 0 } : null);
if (tests) {
  const lines = ['TAP version 13', '1..' + (tests.pass + tests.fail)];
  for (let i = 1; i <= tests.pass + tests.fail; i++) lines.push((i > tests.pass ? 'not ok ' : 'ok ') + i + ' - test ' + i);
  put(join(home, 'tests', project + '.tap'), lines.join('\\n') + '\\n');
}
const status = move.status ?? 'pass';
if (typeof move.handoff === 'string') put(process.env.BOSUN_HANDOFF_FILE, move.handoff);
else if (move.handoff !== false) {
  const front = { story: item || project, step, attempt: Number(attempt), status, ...(move.reason ? { reason: move.reason } : {}),
    ...(move.summary ? { summary: move.summary } : {}), ...(move.digest ? { review_digest: move.digest } : {}),
    ...(move.questions ? { questions: move.questions } : {}), ...move.front };
  const lines = Object.entries(front).map(([name, value]) => name + ': ' + JSON.stringify(value));
  put(process.env.BOSUN_HANDOFF_FILE, ['---', ...lines, '---', 'Call ' + (n + 1) + ' of ' + key + '.', ''].join('\\n'));
}
if (move.result !== undefined) put(process.env.BOSUN_RESULT_FILE, move.result);
if (move.print) process.stdout.write(move.print + '\\n');
process.exitCode = move.exit ?? 0;
`;
