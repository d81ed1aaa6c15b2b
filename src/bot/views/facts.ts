import { type DiffStat, definitions, diffStatOf, type State } from '../../engine/index.js';
import { type Costing, costNote, span, testsInWords } from './view.js';

/** `3 files +47 −0 · tests 42 of 42 ✓ · 16 min · $0.42`, without zeros. `measured`: the whole work. */
export function factsLine(state: State, measured?: DiffStat): string {
  const worked = workedMs(state);
  return [changes(state, measured), testsSaid(state), worked === 0 ? '' : span(worked), costNote(costOf(state))]
    .filter((one) => one !== '')
    .join(' · ');
}

/** A line of facts; earlier versions wrote `tests 42/42`. */
export function isFactsLine(line: string): boolean {
  return factsLook.test(line);
}

const factsLook = /^(?:In all: )?(?:\d+ files? \+|no files changed|changes not measured).* · (?:no |\d+ of \d+ )?tests/;

/** The newest evidence, with counts if any were measured. */
export function testsSaid({ chain, workflow, run }: Pick<State, 'chain' | 'workflow' | 'run'>): string {
  const told = chain.nodes.flatMap(({ last }) => {
    const check = last?.checks.find(({ name }) => name === 'tests');
    return last?.tests ? testsInWords(last.tests) : check ? (check.ok ? 'tests pass' : 'tests fail') : [];
  });
  const ofStories = chain.key === '' ? testsInWords(run.tests ?? null) : '';
  return told.at(-1) ?? (ofStories || notChecked({ chain, workflow }));
}

/** `tests not checked (no test command set)`. */
export function notChecked({ chain, workflow }: Pick<State, 'chain' | 'workflow'>): string {
  const why = whyNotChecked({ chain, workflow });
  return `tests not checked${why === null ? '' : ` (${why})`}`;
}

function whyNotChecked({ chain, workflow }: Pick<State, 'chain' | 'workflow'>): string | null {
  const testing = definitions(workflow).flatMap((def) => ('tests' in def && def.tests !== null ? [def.id] : []));
  if (testing.length === 0) return 'no step runs them';
  const here = chain.nodes.filter(({ template }) => testing.includes(template));
  // A step passes only after the tests that are set.
  if (here.some(({ last }) => last?.outcome === 'pass')) return 'no test command set';
  if (here.some(({ state }) => state === 'skipped')) return 'step skipped';
  return here.some(({ last }) => last === null) ? 'not run yet' : null;
}

/** '' for a loop's parent: stories have their own. */
function changes(state: State, measured: DiffStat | null = null): string {
  const { chain, items } = state;
  const stat = measured ?? diffOf(state);
  if (stat !== null && stat.files > 0) return diffLine(stat);
  if (items.some(({ parent }) => parent === chain.key)) return '';
  const isUnknown = stat === null && chain.nodes.some(({ last }) => last !== null);
  return isUnknown ? 'changes not measured' : 'no files changed';
}

export function costOf({ chain, run }: State): Costing {
  return chain.key === '' ? run : { costUsd: chain.costUsd ?? 0, unpriced: chain.unpriced ?? 0 };
}

export function diffOf({ chain }: State): DiffStat | null {
  return diffStatOf(chain.nodes);
}

export function diffLine(stat: DiffStat | null): string {
  if (stat === null || stat.files === 0) return '';
  const { files, insertions, deletions, largeBytes = 0 } = stat;
  const large = largeBytes === 0 ? '' : `, ${Math.round(largeBytes / (1024 * 1024))} MB in large files`;
  return `${files} ${files === 1 ? 'file' : 'files'} +${insertions} −${deletions}${large}`;
}

export function workedMs(state: State): number {
  return state.chain.nodes.reduce((total, node) => total + (node.last?.durationMs ?? 0), 0);
}

export function firstLines(text: string): string {
  return text.trim().split('\n').slice(0, 4).join('\n').slice(0, 500);
}

export function spaced(reason: string): string {
  return reason.replaceAll('_', ' ').slice(0, 60);
}
