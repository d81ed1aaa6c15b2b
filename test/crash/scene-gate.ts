// Stages with a gate, like a small lifecycle: it shows its verdict before anything is done, adds a fix once, and passes.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scene, Seen } from './scene.js';
import { shellAgent } from './scene-agent.js';

// Each stage may be hit several times in a row, because what is killed here shares one checkout.
const workflow = `workflow: gated
version: 1
inputs:
  task: { required: true }
context:
  gap_summary: ""
policy: { stop_at_decisions: before }
defaults: { max_attempts: 1, abandons: 4, on_exhausted: pause }
exports: [state, session]
survey: .workflow
chain:
  - { id: execute, prompt: "Build: {{task}}" }
  - { id: verify, prompt: Verify it. }
  - id: post-verify
    kind: decision
    evidence: verification.json
    fail_when: "passed != true || len(gaps) > 0"
    max_retries: 2
    on:
      fix:
        insert: fix
        carry: { gap_summary: gaps }
        say: "gaps detected (retry {{retry}}/{{max}})"
      escalate: { insert: escalate }
  - { id: goal, kind: decision, evidence: survey, fail_when: "has_roadmap == false", on: { fix: { insert: escalate } } }
  - { id: report, prompt: Report it. }
fragments:
  fix:
    nodes:
      - { id: debug, prompt: "Mend: {{gap_summary}}" }
      - { again: execute }
      - { again: verify }
      - { again: post-verify, retry: next }
  escalate:
    nodes:
      - { id: given-up, kind: human, title: max retries reached }
`;

const folder = '.workflow/scratch/20261101-work-P1-part';
const artifact = { type: 'verify', milestone: 'Cart', phase: 1, scope: 'phase', status: 'completed' };
const state = {
  version: '1.0',
  current_milestone: 'Cart',
  milestones: [{ id: 'M1', name: 'Cart', status: 'active', phases: [1] }],
  artifacts: [{ ...artifact, id: 'VER-001', path: '20261101-work-P1-part' }],
};
const gaps = { passed: false, gaps: [{ description: 'no index' }] };

const agentSource = shellAgent(`
' debug')
  put src/debugged.txt 'once'; commit 'debugged' ;;
' execute')
  put src/order.txt 'order' ;;
' report')
  put src/report.txt 'reported' ;;
' verify')
  put .workflow/state.json '${JSON.stringify(state)}'
  if [ -e src/debugged.txt ]; then put ${folder}/verification.json '{"passed":true,"gaps":[]}'
  else put ${folder}/verification.json '${JSON.stringify(gaps)}'; fi ;;
`);

function furnish(project: string): void {
  mkdirSync(join(project, '.ai', 'workflows'), { recursive: true });
  mkdirSync(join(project, '.workflow'));
  writeFileSync(join(project, '.ai', 'workflows', 'gated.yaml'), workflow);
  writeFileSync(join(project, '.workflow', 'roadmap.md'), '# Roadmap\n');
  writeFileSync(join(project, 'README.md'), 'A project.\n');
}

/** The steps of each session that there is: one run has one. */
function pickSession(project: string): unknown {
  const sessions = join(project, '.workflow', '.ralph');
  return readdirSync(sessions).map((name) => {
    const { status, steps } = JSON.parse(readFileSync(join(sessions, name, 'status.json'), 'utf8'));
    // A try that was interrupted went out in a wave of its own.
    return { status, steps: steps.map((step: object) => ({ ...step, wave: null })) };
  });
}

type Status = Seen['status'];

const isJudged = (node: Status['nodes'][number]) => node.template === 'post-verify' && node.state === 'passed';

export const gated: Scene = {
  name: 'gate',
  turns: [
    { says: { do: 'run', project: 'demo', task: 'Orders' }, isHeard: ({ status }) => status.run !== null },
    // The gate shows gaps; then, after the fix, that there are none; the last one judges the whole.
    ...[1, 2].map((count) => ({
      says: { do: 'say', text: 'continue demo' } as const,
      isHeard: ({ status }: { readonly status: Status }) =>
        status.interactions.length === 0 || status.nodes.filter(isJudged).length >= count,
    })),
    { says: { do: 'say', text: 'continue demo' }, isHeard: ({ status }) => status.interactions.length === 0 },
  ],
  settings: { workflow: 'gated' },
  furnish,
  agent: { file: 'agent.sh', text: agentSource, program: '/bin/sh' },
  exported: pickSession,
  watchesGit: true,
};
