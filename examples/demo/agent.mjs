// The demo's agent: a script in the place of a coding agent. It takes a step's prompt on standard input and the BOSUN_*
// environment, really does the step in the working directory, and reports as any agent would. No clock, no chance:
// the same step with the same words leaves the same files, also when it was killed half-way and runs again.
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { personWords, readPrompt, recall } from './agent/prompt.mjs';
import { writeReport } from './agent/report.mjs';
import { runStep } from './agent/steps.mjs';
import { findStory } from './agent/stories.mjs';

const NOTICE =
  'This is a scripted demo agent, not an AI; for a real one change "executor" in config.yaml (kind command with another command, or claude).';
const MAX_DELAY_MS = 10_000;

console.log(NOTICE);
const prompt = await readPrompt(process.stdin);
const task = readTask(process.env, prompt);
console.log(`step ${task.step} of ${task.item || 'the task'}, attempt ${task.attempt}`);
await pause(delayMs(process.env.DEMO_DELAY_MS));

const report = runStep(task);
for (const line of report.log ?? []) console.log(line);
writeReport(task, report);
console.log(report.summary);
for (const [key, value] of Object.entries(report.keys ?? {})) console.log(`${key}: ${value}`);
console.log(`STATUS: ${report.status}`);

function readTask(env, text) {
  const workdir = resolve(env.BOSUN_WORKDIR || process.cwd());
  const item = env.BOSUN_ITEM || '';
  const task = {
    step: env.BOSUN_STEP || '',
    item,
    run: fileName(env.BOSUN_RUN || 'run'),
    name: fileName(item || 'task'),
    story: findStory(item),
    attempt: Math.max(1, Number.parseInt(env.BOSUN_ATTEMPT ?? '', 10) || 1),
    workdir,
    sharedDir: env.BOSUN_SHARED_DIR ? resolve(workdir, env.BOSUN_SHARED_DIR) : null,
    resultFile: resolve(workdir, env.BOSUN_RESULT_FILE || '.ai/executor-result'),
    handoffFile: resolve(workdir, env.BOSUN_HANDOFF_FILE || '.ai/HANDOFF.md'),
    prompt: text,
  };
  return { ...task, words: recall(task, personWords(text)) };
}

function fileName(text) {
  return text.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '') || 'task';
}

function delayMs(text) {
  const wanted = Number.parseInt(text ?? '', 10);
  return Number.isNaN(wanted) ? 150 : Math.min(Math.max(wanted, 0), MAX_DELAY_MS);
}
