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
  /** Printed as `KEY: value`, before the rest. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Put into the edits file; what is no text as JSON. */
  readonly edits?: unknown;
  /** Added to the progress log, to what all stories should know, and to what this one should. */
  readonly progress?: string;
  readonly tells?: string;
  readonly tellsStory?: string;
  /** Everything that changed is committed with this message. */
  readonly commit?: string;
  /** Rebases onto main; where that stops, the files get these texts. */
  readonly rebase?: Readonly<Record<string, string>>;
  /** What a member of a team does instead. */
  readonly roles?: Readonly<Record<string, Move>>;
  /** Printed again and again while it waits. */
  readonly mutters?: string;
  readonly exit?: number;
  /** Waits until the gate of this name is opened. */
  readonly until?: string;
}

/**
 * By `step` or `item step`; of a list each call takes the next, and the last one stays. `{item}` in paths and texts of
 * files and in messages is the story.
 */
export type AgentPlan = Readonly<Record<string, Move | readonly Move[]>>;

/** As CommonJS, which starts a fifth faster than a module. */
export const agentSource = `
const { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

main();

async function main() {
const home = dirname(process.argv[1]);
const { BOSUN_STEP: step, BOSUN_ITEM: item, BOSUN_PROJECT: project, BOSUN_RUN: run, BOSUN_ATTEMPT: attempt, BOSUN_ROLE: role } = process.env;
const calls = join(home, 'calls.jsonl');
const key = [project, run, item, step, ...(role ? [role] : [])].join(' ');
const before = existsSync(calls) ? readFileSync(calls, 'utf8').split('\\n').filter(Boolean).map((line) => JSON.parse(line)) : [];
const n = before.filter((one) => one.key === key).length;
const prompt = readFileSync(0, 'utf8');
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(BOSUN|RALPH|COMPOSE)_/.test(name)));
appendFileSync(calls, JSON.stringify({ key, project, run, item, step, ...(role ? { role } : {}), attempt: Number(attempt), pid: process.pid, prompt, env, at: Date.now() }) + '\\n');

const plan = JSON.parse(readFileSync(join(home, 'plan.json'), 'utf8'));
const found = plan[[project, item, step].join(' ')] ?? plan[[item, step].join(' ')] ?? plan[[project, step].join(' ')] ?? plan[step] ?? {};
const whole = Array.isArray(found) ? found[Math.min(n, found.length - 1)] : found;
const move = role && whole.roles ? (whole.roles[role] ?? {}) : whole;

const at = (path) => join(process.env.BOSUN_WORKDIR, path);
const put = (file, text) => { mkdirSync(dirname(file), { recursive: true }); writeFileSync(file, text); };

const named = (text) => text.replaceAll('{item}', item);
const me = ['-c', 'user.name=Agent', '-c', 'user.email=agent@example.invalid'];
const git = (...args) => require('node:child_process').execFileSync('git', [...me, ...args], { cwd: process.env.BOSUN_WORKDIR, stdio: 'pipe', env: { ...process.env, GIT_EDITOR: 'true' } });
const add = (file, text) => { mkdirSync(dirname(file), { recursive: true }); appendFileSync(file, text + '\\n'); };

for (const [path, text] of Object.entries(move.files ?? {})) text === null ? rmSync(at(named(path)), { force: true }) : put(at(named(path)), named(text));
if (move.commit) {
  git('add', '-A');
  if (String(git('diff', '--cached', '--name-only')) !== '') git('commit', '-q', '-m', named(move.commit));
}
if (move.rebase) {
  try { git('rebase', 'main'); }
  catch {
    for (const [path, text] of Object.entries(move.rebase)) put(at(path), text);
    git('add', '-A');
    git('rebase', '--continue');
  }
}
if (move.progress) add(process.env.BOSUN_PROGRESS_FILE, named(move.progress));
if (move.tells) add(process.env.BOSUN_SCRATCH_FILE, named(move.tells));
if (move.tellsStory) add(process.env.BOSUN_ITEM_SCRATCH_FILE, named(move.tellsStory));
if (move.edits !== undefined) put(process.env.BOSUN_EDITS_FILE, typeof move.edits === 'string' ? move.edits : JSON.stringify(move.edits));
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
for (const [name, value] of Object.entries(move.keys ?? {})) process.stdout.write(name + ': ' + named(value) + '\\n');
if (move.print) process.stdout.write(move.print + '\\n');
process.exitCode = move.exit ?? 0;
}
`;
