// The demo's conversation: one story from import to its commit, with a review, a question and real tests.
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scene, Seen } from './scene.js';

const asks = (kind: string) => (seen: Seen) => !seen.status.interactions.some((one) => one.kind === kind);

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

function withoutTimes(file: string): unknown {
  return { ...Object(JSON.parse(readFileSync(file, 'utf8'))), dispatched_at: null, completed_at: null };
}

export const demo: Scene = {
  name: 'demo',
  turns: [
    { says: { do: 'say', text: 'continue demo' }, isHeard: ({ status }) => status.run?.status !== 'draft' },
    { says: { do: 'reply', kind: 'review', text: '30 seconds, others OK' }, isHeard: asks('review') },
    { says: { do: 'reply', kind: 'question', text: 'yes, newest first' }, isHeard: asks('question') },
    { says: { do: 'say', text: 'status' }, isHeard: () => false },
    {
      says: { do: 'say', text: 'stop for today' },
      isHeard: ({ texts }) => texts.some((text) => text.startsWith('Done: US-001.')),
    },
  ],
  settings: {
    workflow: 'micro-waterfall',
    tests: { run: 'node --test --test-reporter=tap', format: 'tap' },
  },
  furnish: (project, installed) => cpSync(join(installed, 'examples', 'demo'), project, { recursive: true }),
  agent: { file: 'agent.mjs', text: agentSource, program: process.execPath },
  exported: (project) => ['STATE.json', 'states/US-001.json'].map((file) => withoutTimes(join(project, '.ai', file))),
  watchesGit: false,
};
