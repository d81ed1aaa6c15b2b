// Which files a run keeps up to date: those that its workflow names, and what its own attempts share.
import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Chain, type ExportName, isRunOver, type Run } from '../../engine/index.js';
import { ownFolder } from '../own-path.js';
import type { Spine, Store } from '../store/index.js';
import { prdFile } from './prd-file.js';
import { archiveProgress } from './progress-log.js';
import { runFolder, writeScratch } from './scratch-files.js';
import { sessionId } from './session.js';
import { currentChainKey, initialState, stateFile } from './state-file.js';
import { sessionOf, workflowStateOf } from './stored.js';
import { lstatOrNull, writeText, writeWhole } from './write-whole.js';

/** What is not in the spine and the chains, and where to tell of what went wrong and holds nobody up. */
export interface ExportSources {
  readonly store: Pick<Store, 'records' | 'attempt' | 'attemptsOfRun'>;
  readonly log: (message: string) => void;
}

type ChainOf = (key: string) => Chain | null;

interface Export {
  readonly root: string;
  readonly spine: Spine;
  readonly changed: readonly string[];
  readonly chainOf: ChainOf;
}

/** `changed`: the chains whose files may be other than they were. Without sources, those that need the database are left out. */
export async function exportRun(
  root: string,
  spine: Spine,
  changed: readonly string[],
  chainOf: ChainOf,
  sources: ExportSources | null = null,
): Promise<void> {
  // A folder that is gone is not made anew: its disk may only be away.
  if (!(await stat(root).catch(() => null))?.isDirectory()) return;
  const { run, workflow } = spine;
  const what = { root, spine, changed, chainOf };
  // A workflow that names nothing keeps the state files.
  const wanted = workflow.exports.length > 0 ? workflow.exports : ['state'];
  const has = (name: ExportName) => wanted.includes(name);
  const works: (() => Promise<void>)[] = [];
  if (has('state') && !run.oneShot) works.push(() => writeStates(what));
  if (has('workflow-state') && !run.oneShot && sources) works.push(() => writeWorkflowState(what, sources));
  if (has('session') && !run.oneShot && sources && isBegun(spine)) works.push(() => writeSession(what, sources));
  if (!(run.oneShot && isRunOver(run.status))) works.push(() => writeScratch(root, spine, changed, chainOf));
  await doAll(works);
  if (has('progress') && !run.oneShot) await keepProgress(root, run, sources);
  if (run.oneShot) await leaveNothing(root, run);
}

/** One that fails keeps none of the others from being written. */
async function doAll(works: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const work of works) await work().catch((error: unknown) => errors.push(error));
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('; '));
  if (errors.length === 1) throw errors[0];
}

async function writeStates({ root, spine, changed, chainOf }: Export): Promise<void> {
  for (const key of changed) {
    const chain = chainOf(key);
    if (key === '' || !chain || chain.nodes.length === 0) continue;
    await writeWhole(root, join(root, '.ai', 'states', `${key}.json`), stateFile(spine, chain));
  }
  const current = currentChainKey(spine);
  const chain = chainOf(current);
  const isLaid = chain !== null && chain.nodes.length > 0;
  const idle = { ...initialState(spine.run.project), story: current || null };
  await writeWhole(root, join(root, '.ai', 'STATE.json'), isLaid ? stateFile(spine, chain) : idle);
}

async function writeWorkflowState({ root, spine, chainOf }: Export, { store }: ExportSources): Promise<void> {
  await writeWhole(root, join(root, 'workflow_state.json'), workflowStateOf(store, spine, chainOf));
  await writeWhole(root, join(root, '.ai', 'prd.json'), prdFile(spine.items));
}

/** Its folder is one by which projects are told apart that were begun already, so it waits until that was looked at. */
function isBegun({ run, workflow }: Spine): boolean {
  const isLookedAt = workflow.survey !== null && workflow.positions.length > 0;
  return run.startedAt !== null && (!isLookedAt || run.position !== null);
}

async function writeSession({ root, spine, chainOf }: Export, { store }: ExportSources): Promise<void> {
  const folder = join(root, '.workflow', '.ralph', sessionId(spine.run));
  const { file, waves } = sessionOf(store, spine, chainOf);
  for (const { wave, calls, results } of waves) {
    const path = join(folder, `wave-${wave.number}`);
    // How many steps there were is told as it was when the wave went out.
    if (!(await lstatOrNull(`${path}.csv`))) await writeText(root, `${path}.csv`, calls);
    if (results !== null) await writeText(root, `${path}-results.csv`, results);
  }
  await writeWhole(root, join(folder, 'status.json'), file);
}

async function keepProgress(root: string, run: Run, sources: ExportSources | null): Promise<void> {
  if (!isRunOver(run.status) && run.status !== 'failed') return;
  try {
    await archiveProgress(root, run);
  } catch (error) {
    sources?.log(`the progress log of ${run.id} was not archived: ${String(error)}`);
  }
}

async function leaveNothing(root: string, run: Run): Promise<void> {
  const isAtRest = run.live.length === 0 && run.ops.length === 0;
  const folder = runFolder(root, run.id);
  if (!isRunOver(run.status) || !isAtRest || (await lstatOrNull(folder)) === null) return;
  ownFolder(root, dirname(folder));
  await rm(folder, { recursive: true, force: true });
}
