// What each step does. A step returns its report: { status, summary, files, tests?, digest?, questions?, keys?, log? }.
import { join } from 'node:path';
import { bddText, clarificationsIn, deltaText, memoryText, scenariosIn, withPath } from './documents.mjs';
import { secondsIn } from './prompt.mjs';
import { commit, countsText, readText, runTests, writeFiles } from './workspace.mjs';

const STEPS = {
  bdd,
  'sdd-delta': sddDelta,
  contract,
  scaffold,
  impl,
  verify,
  'update-memory': updateMemory,
  implement,
  task: implement,
};

export function runStep(task) {
  if (Object.hasOwn(STEPS, task.step)) return STEPS[task.step](task);
  const summary = `The scripted demo agent does not know the step "${task.step}". It plays micro-waterfall, quick and one-step; give this project a real executor in config.yaml.`;
  return { status: 'needs_human', summary, files: [] };
}

function bdd(task) {
  const path = bddPath(task);
  const text = bddText(task.story, task.words, secondsIn(task.words));
  const files = writeFiles(task.workdir, { [path]: text });
  const digest = scenariosIn(text);
  const questions = clarificationsIn(text);
  return { status: 'pass', summary: `${digest.length} scenarios, ${questions.length} open`, files, digest, questions };
}

function sddDelta(task) {
  const files = writeFiles(task.workdir, { [`docs/deltas/${task.name}.md`]: deltaText(task.story) });
  return { status: 'pass', summary: 'The change of the design is written down', files };
}

/** The last step before the review: its report carries again what the person is asked to look at. */
function contract(task) {
  const path = 'docs/api/openapi.yaml';
  const { endpoint } = task.story;
  const files = endpoint
    ? writeFiles(task.workdir, { [path]: withPath(readText(join(task.workdir, path)), endpoint) })
    : [];
  const spec = readText(join(task.workdir, bddPath(task)));
  const summary = endpoint ? `The contract has ${endpoint.path}` : 'No endpoint is affected';
  return { status: 'pass', summary, files, digest: scenariosIn(spec), questions: clarificationsIn(spec) };
}

function scaffold(task) {
  const seconds = secondsIn(task.words) ?? secondsIn(decidedIn(readText(join(task.workdir, bddPath(task)))));
  const files = writeFiles(task.workdir, task.story.scaffold({ words: task.words, seconds }));
  const tests = runTests(task.workdir);
  const heard = task.words ? `; used what was said: ${task.words}` : '';
  if (tests.ok) return { status: 'failing', summary: 'The new tests are not red', files, tests };
  return { status: 'pass', summary: `${tests.fail} new tests, all red${heard}`, files, tests };
}

/** US-001 fails at its first try and asks at its second, so that a person sees both; other stories just pass. */
function impl(task) {
  const { story, attempt, words } = task;
  if (story.question && attempt === 1) return firstTry(task);
  if (story.question && attempt === 2 && !words) return ask(task);
  const files = writeFiles(task.workdir, story.impl({ words }));
  const tests = runTests(task.workdir);
  if (!tests.ok) return { ...failing(tests), files };
  const log = [
    commit(
      task.workdir,
      [...story.scaffoldFiles, ...files],
      `${task.name}: code and tests of ${story.title.toLowerCase()}`,
    ),
  ];
  const heard = words ? `; answer used: ${words}` : '';
  return { status: 'pass', summary: `${countsText(tests)}${heard}`, files, tests, log };
}

function firstTry(task) {
  const files = writeFiles(task.workdir, task.story.firstTry());
  const tests = runTests(task.workdir);
  return { ...failing(tests), files, next: 'Make the last test pass.' };
}

function ask(task) {
  const { question } = task.story;
  return { status: 'needs_human', summary: question, questions: [question], files: [], tests: runTests(task.workdir) };
}

function verify(task) {
  const tests = runTests(task.workdir);
  if (!tests.ok) return { ...failing(tests), files: [] };
  return { status: 'pass', summary: `Verified: ${countsText(tests)}`, files: [], tests };
}

function updateMemory(task) {
  const path = 'PROJECT_MEMORY.md';
  const tests = runTests(task.workdir);
  const text = memoryText(readText(join(task.workdir, path)), task.story, countsText(tests));
  const files = writeFiles(task.workdir, { [path]: text });
  const keys = task.story.next ? { NEXT_STORY: task.story.next } : {};
  return { status: 'pass', summary: 'The memory is up to date', files, tests, keys };
}

/** The only step of an agent in the workflows `quick` and `one-step`. */
function implement(task) {
  const path = `docs/notes/${task.item ? `${task.name}.md` : `${task.run}.md`}`;
  const text = `# A note\n\nA real agent would have done the task; the scripted one leaves this file.\n${task.words ? `\nA person said: ${task.words}\n` : ''}`;
  const files = writeFiles(task.workdir, { [path]: text });
  return { status: 'pass', summary: `Wrote ${path}`, files };
}

function failing(tests) {
  return { status: 'failing', summary: `${countsText(tests)}: ${tests.failing.join(', ')}`, tests };
}

function bddPath(task) {
  return `docs/bdd/${task.name}.md`;
}

function decidedIn(spec) {
  return spec.split('\n').find((line) => line.startsWith('Decided: ')) ?? '';
}
