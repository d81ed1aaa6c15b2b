// Four stories in worktrees side by side: A edits its chain, B begins a step anew and then meets A's change to the same
// line, C rests on A, and D fails and is given up. Who lands after whom is settled by the agents: A, B, C.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scene } from './scene.js';
import { shellAgent } from './scene-agent.js';

const edits = [
  {
    operation: 'add_after',
    target_step_id: 'step-008',
    reason: 'a second look',
    new_steps: [{ type: 'review', description: 'Look at the empty cart' }],
  },
  { operation: 'skip', target_step_id: 'step-009', reason: 'nothing to prune' },
];
const anew = [
  { operation: 'restart', target_step_id: 'step-005', reason: 'wrong table', new_description: 'Use the orders table' },
];

const agentSource = shellAgent(`
'A planning')
  put "$BOSUN_EDITS_FILE" '${JSON.stringify(edits)}' ;;
'A coding')
  put src/price.txt 'price: 2'; put src/A.txt "A$(cat src/A.txt 2> /dev/null)"; commit 'A coding' ;;
'B coding')
  case "$prompt" in
  *'Use the orders table'*)
    put src/price.txt 'price: 3'; put src/B.txt "B$(cat src/B.txt 2> /dev/null)"; commit 'B coding' ;;
  *)
    put src/wrong.txt 'wrong'; commit 'B goes astray'; put src/worse.txt 'worse'
    put "$BOSUN_EDITS_FILE" '${JSON.stringify(anew)}' ;;
  esac ;;
'B final_review')
  landed 'feat(ralph): A' ;;
'B rebase_resolve')
  # A try that was interrupted after its rebase leaves the conflict, and no rebase that could go on.
  [ -z "$(git ls-files --unmerged)" ] || { put src/price.txt 'price: 5'; git add -A; }
  [ -d "$(git rev-parse --git-path rebase-merge)" ] || commit 'B resolved'
  git rebase -q main > /dev/null 2>&1
  turns=0
  while [ -d "$(git rev-parse --git-path rebase-merge)" ] && [ $turns -lt 5 ]; do
    put src/price.txt 'price: 5'; git add -A; GIT_EDITOR=true git rebase --continue > /dev/null 2>&1
    turns=$((turns + 1))
  done ;;
'C coding')
  put src/C.txt "C on $(cat src/A.txt)$(cat src/C.txt 2> /dev/null)" ;;
'C final_review')
  landed 'feat(ralph): B' ;;
'D planning')
  put src/half.txt 'half'; status=failing ;;
`);

const story = (id: string, dependsOn: readonly string[] = []) => ({
  id,
  title: `Title of ${id}`,
  description: `About ${id}`,
  acceptanceCriteria: [`${id} works`],
  depends_on: dependsOn,
});
const stories = [story('A'), story('B'), story('C', ['A']), story('D')];

function furnish(project: string): void {
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'README.md'), 'A project.\n');
  writeFileSync(join(project, 'src', 'price.txt'), 'price: 1\n');
}

interface Entry {
  readonly action: string;
  readonly step_id?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What became of each story's chain: every step in order, and every edit with the orders before and after it. */
function pickChains(project: string): unknown {
  const json: unknown = JSON.parse(readFileSync(join(project, 'workflow_state.json'), 'utf8'));
  const { stories: all } = json as { readonly stories: Readonly<Record<string, ExportedStory>> };
  return Object.entries(all).map(([key, { steps, history }]) => ({
    key,
    steps: steps.map(({ id, type, status, description, restart_count }) => [
      id,
      type,
      status,
      description,
      restart_count,
    ]),
    edits: history.filter((one) => one.action === 'workflow_edit').map((one) => [one.step_id, one.details]),
  }));
}

interface ExportedStory {
  readonly steps: readonly Readonly<Record<string, unknown>>[];
  readonly history: readonly Entry[];
}

export const sideBySide: Scene = {
  name: 'stories',
  turns: [
    {
      says: { do: 'import', project: 'demo', stories, file: 'prd.json' },
      isHeard: ({ status }) => status.run !== null,
    },
    { says: { do: 'say', text: 'continue demo' }, isHeard: ({ status }) => status.run?.status !== 'draft' },
    {
      says: { do: 'press', label: 'Skip D' },
      isHeard: ({ status }) => status.items.some((item) => item.key === 'D' && item.status === 'cancelled'),
    },
  ],
  settings: { workflow: 'dynamic-ralph' },
  furnish,
  agent: { file: 'agent.sh', text: agentSource, program: '/bin/sh' },
  exported: pickChains,
  watchesGit: true,
};
