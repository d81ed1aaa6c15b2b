import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ownFolder, writeOwnFile } from '../../base/index.js';
import { type Chain, type ExportName, isRunOver, type Run } from '../../engine/index.js';
import type { HomeReader, Spine } from '../../store/index.js';
import { doAll, ExportFolder } from './guard/export-folder.js';
import type { ExportGuard } from './guard/export-guard.js';
import { sessionsFolder } from './guard/export-record.js';
import { prdFile } from './prd-file.js';
import { archiveFolder, runFolder, writeScratch } from './scratch-files.js';
import { sessionId } from './session.js';
import { currentChainKey, initialState, stateFile } from './state-file.js';
import { sessionOf, workflowStateOf } from './stored.js';
import { isFile, lstatOrNull } from './write-whole.js';

/** Failures are logged and must not stop the export. */
export interface ExportSources {
  readonly store: Pick<HomeReader, 'records' | 'attempt' | 'attemptsOfRun'>;
  readonly log: (message: string) => void;
  /** Protects foreign files; null: the folder is Bosun's own. */
  readonly guard: ExportGuard | null;
}

type ChainOf = (key: string) => Chain | null;

interface Export {
  readonly files: ExportFolder;
  readonly spine: Spine;
  readonly changed: readonly string[];
  readonly chainOf: ChainOf;
}

/** `changed`: chains that may be stale. Without sources it skips files that need the database. */
export async function exportRun(
  root: string,
  spine: Spine,
  changed: readonly string[],
  chainOf: ChainOf,
  sources: ExportSources | null = null,
): Promise<void> {
  // A missing root may be an unmounted disk: never recreate it.
  if (!(await stat(root).catch(() => null))?.isDirectory()) return;
  const { run, workflow } = spine;
  const files = new ExportFolder(root, run, sources?.guard ?? null);
  const what = { files, spine, changed, chainOf };
  const wanted = workflow.exports.length > 0 ? workflow.exports : ['state'];
  const has = (name: ExportName) => wanted.includes(name);
  const works: (() => Promise<void>)[] = [];
  if (has('state') && !run.oneShot) works.push(async () => putStates(what));
  if (has('workflow-state') && !run.oneShot && sources) works.push(async () => putWorkflowState(what, sources));
  if (has('session') && !run.oneShot && sources && isBegun(spine)) works.push(() => putSession(what, sources));
  works.push(() => files.write());
  if (!(run.oneShot && isRunOver(run.status))) works.push(() => writeScratch(root, spine, changed, chainOf));
  await doAll(works);
  if (has('progress') && !run.oneShot) await keepProgress(root, run, sources);
  if (run.oneShot) await leaveNothing(root, run);
}

function putStates({ files, spine, changed, chainOf }: Export): void {
  for (const key of changed) {
    const chain = chainOf(key);
    if (key === '' || !chain || chain.nodes.length === 0) continue;
    files.put(`.ai/states/${key}.json`, stateFile(spine, chain));
  }
  const current = currentChainKey(spine);
  const chain = chainOf(current);
  const isLaid = chain !== null && chain.nodes.length > 0;
  const idle = { ...initialState(spine.run.project), story: current || null };
  files.put('.ai/STATE.json', isLaid ? stateFile(spine, chain) : idle);
}

function putWorkflowState({ files, spine, chainOf }: Export, { store }: ExportSources): void {
  files.put('workflow_state.json', workflowStateOf(store, spine, chainOf));
  files.put('.ai/prd.json', prdFile(spine));
}

/** The session folder marks a project as begun, so it must not exist before the survey has looked. */
function isBegun({ run, workflow }: Spine): boolean {
  const isLookedAt = workflow.survey !== null && workflow.positions.length > 0;
  return run.startedAt !== null && (!isLookedAt || run.position !== null);
}

async function putSession({ files, spine, chainOf }: Export, { store }: ExportSources): Promise<void> {
  const folder = `${sessionsFolder}/${sessionId(spine.run)}`;
  const { file, waves } = sessionOf(store, spine, chainOf);
  for (const { wave, calls, results } of waves) {
    const path = `${folder}/wave-${wave.number}`;
    // Keeps the step count of the wave's dispatch.
    if (!(await lstatOrNull(join(files.root, `${path}.csv`)))) files.putOfRun(`${path}.csv`, calls);
    if (results !== null) files.putOfRun(`${path}-results.csv`, results);
  }
  files.put(`${folder}/status.json`, file);
}

async function keepProgress(root: string, run: Run, sources: ExportSources | null): Promise<void> {
  if (!isRunOver(run.status) && run.status !== 'failed') return;
  try {
    await archiveProgress(root, run);
  } catch (error) {
    sources?.log(`cannot archive the progress log of ${run.id}: ${String(error)}`);
  }
}

export function leavesNothing({ oneShot, status, live, ops }: Run): boolean {
  return oneShot && isRunOver(status) && live.length === 0 && ops.length === 0;
}

async function leaveNothing(root: string, run: Run): Promise<void> {
  const folder = runFolder(root, run.id);
  if (!leavesNothing(run) || (await lstatOrNull(folder)) === null) return;
  ownFolder(root, dirname(folder));
  await rm(folder, { recursive: true, force: true });
}

const maxBytes = 16 * 1024 * 1024;

async function archiveProgress(root: string, run: Run): Promise<void> {
  const live = join(runFolder(root, run.id), 'progress.txt');
  if (!(await isFile(live))) return;
  // Security: a planted link would make Bosun read or truncate another file.
  ownFolder(root, dirname(live));
  const handle = await open(live, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    if ((await handle.stat()).nlink > 1) throw new Error(`${live} has another hard link`);
    const text = await readBounded(handle, live);
    if (text.length === 0) return;
    await copyWhole(root, text, join(archiveFolder(root, run.id), 'progress.txt'));
    if (run.status === 'completed') await handle.truncate(0);
  } finally {
    await handle.close();
  }
}

async function readBounded(handle: FileHandle, path: string): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > maxBytes) {
    throw new Error(`${path} has ${size} bytes and the limit is ${maxBytes}: move it away by hand`);
  }
  return handle.readFile();
}

async function copyWhole(root: string, text: Buffer, into: string): Promise<void> {
  if ((await isFile(into)) && text.equals(await readFile(into))) return;
  writeOwnFile(root, into, text);
}
