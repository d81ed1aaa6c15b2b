import { realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isInside } from '../../base/index.js';
import {
  type Artifact,
  type ArtifactResults,
  artifactOfResult,
  artifactsToRead,
  type EvidenceFile,
  type ProjectState,
  parseEvidence,
  type ResultFile,
  readPhase,
  readProjectState,
  resultFiles,
  type Survey,
} from '../../engine/index.js';
import { askGit, gitError, toText, wholeTreeMs } from '../git/git.js';
import { isOwnName } from '../git/own-files.js';
import { readWithin } from '../git/read-within.js';
import { type ArtifactPlace, type FoundFolder, findArtifactFolder } from './artifact-folder.js';

const stateMaxBytes = 4 * 1024 * 1024;
const resultMaxBytes = 1024 * 1024;
const surveyMaxBytes = 4 * 1024 * 1024;

export async function readSurvey(root: string, folder: string): Promise<Survey> {
  const place = join(root, folder);
  const { state, problem } = await readState(root, folder);
  return {
    hasFolder: await isThere(place, 'folder'),
    hasSources: await holdsSources(root),
    hasRoadmap: await isThere(join(place, 'roadmap.md'), 'file'),
    state,
    problem,
    results: state === null ? {} : await readResults(root, folder, artifactsToRead(state)),
  };
}

export interface WantedEvidence {
  readonly files: readonly string[];
  readonly survey: string | null;
  readonly phase: string | null;
}

export async function readEvidence(root: string, wanted: WantedEvidence): Promise<Record<string, EvidenceFile>> {
  const files = wanted.files.filter((file) => file !== 'survey');
  const read = wanted.survey === null ? null : await readState(root, wanted.survey);
  const evidence: Record<string, EvidenceFile> = {};
  for (const file of files) {
    const place = read === null ? { ok: true as const, folder: root } : await placeOf(root, wanted, read.state, file);
    evidence[file] = place.ok ? await readOne(root, place.folder, file) : missing(file, place.why);
  }
  return evidence;
}

async function placeOf(root: string, { survey, phase }: WantedEvidence, state: ProjectState | null, file: string) {
  const wantedPhase = readPhase(phase);
  const artifact = state === null ? null : artifactOfResult(state, wantedPhase, file);
  return findFolder(root, survey ?? '', { path: artifact?.path ?? null, phase: artifact?.phase ?? wantedPhase });
}

async function readOne(root: string, folder: string, file: string): Promise<EvidenceFile> {
  const read = await readWithin(folder, join(folder, file), resultMaxBytes);
  if (read.type === 'absent') return missing(file, `it is not in ${folder}`);
  if (read.type === 'refused') return missing(file, read.why);
  const parsed = parseEvidence(file, read.text);
  const path = relative(root, join(folder, file));
  return parsed.ok ? { found: true, value: parsed.value, path } : { found: false, why: `result file ${parsed.error}` };
}

function missing(file: string, why: string): EvidenceFile {
  return { found: false, why: `no result file ${file}: ${why}` };
}

interface ReadState {
  readonly state: ProjectState | null;
  readonly problem: string | null;
}

export async function readState(root: string, folder: string): Promise<ReadState> {
  const name = join(folder, 'state.json');
  const read = await readWithin(root, join(root, name), stateMaxBytes);
  if (read.type === 'absent') return { state: null, problem: null };
  if (read.type === 'refused') return { state: null, problem: read.why };
  const begins = `It starts with: ${read.text.slice(0, 300)}`;
  try {
    const parsed: unknown = JSON.parse(read.text.replace(/^\uFEFF/, ''));
    const state = readProjectState(parsed);
    return state === null
      ? { state, problem: `${name} does not contain a JSON object. ${begins}` }
      : { state, problem: null };
  } catch (error) {
    return { state: null, problem: `${name} is not valid JSON (${String(error).slice(0, 200)}). ${begins}` };
  }
}

async function readResults(
  root: string,
  folder: string,
  artifacts: readonly Artifact[],
): Promise<Record<string, ArtifactResults>> {
  const results: Record<string, ArtifactResults> = {};
  let left = surveyMaxBytes;
  for (const artifact of artifacts) {
    const found = await findFolder(root, folder, artifact);
    if (!found.ok) {
      results[artifact.key] = { folder: null, problem: found.why, files: {} };
      continue;
    }
    const files: Record<string, ResultFile> = {};
    for (const name of resultFiles) {
      const read = await readWithin(found.folder, join(found.folder, name), Math.min(resultMaxBytes, left));
      if (read.type === 'absent') continue;
      if (read.type === 'text') left -= Buffer.byteLength(read.text);
      files[name] = read.type === 'text' ? resultOf(name, read) : { at: 0, value: null, error: read.why };
    }
    results[artifact.key] = { folder: relative(root, found.folder), problem: null, files };
  }
  return results;
}

function resultOf(name: string, { text, mtimeMs }: { readonly text: string; readonly mtimeMs: number }): ResultFile {
  const parsed = parseEvidence(name, text);
  const at = Math.floor(mtimeMs);
  return parsed.ok ? { at, value: parsed.value, error: null } : { at, value: null, error: parsed.error };
}

/** Security: the workflow folder must lie in the project. */
async function findFolder(root: string, folder: string, place: ArtifactPlace): Promise<FoundFolder> {
  const scratch = join(root, folder, 'scratch');
  const real = await realpath(scratch).catch(() => null);
  if (real === null) return { ok: false, why: `${scratch} does not exist` };
  if (!isInside(await realpath(root), real)) return { ok: false, why: `${scratch} leads outside the project` };
  return findArtifactFolder(scratch, place);
}

async function isThere(path: string, kind: 'file' | 'folder'): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return kind === 'file' ? found?.isFile() === true : found?.isDirectory() === true;
}

const listMaxBytes = 8 * 1024 * 1024;

const documents =
  /^(docs?\/.*|(.*\/)?(readme|license|licence|copying|notice|authors|contributing|changelog)(\.[^/]*)?|.*\.(md|markdown|rst|adoc|txt|pdf))$/i;

/** Code to build upon: not ignored, hidden, Bosun's own, or a document. */
export async function holdsSources(root: string): Promise<boolean> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const answer = await askGit(root, args, { stdoutMaxBytes: listMaxBytes, timeoutMs: wholeTreeMs });
  if (answer.exit !== 0 && !answer.isCut) throw gitError(root, args, answer);
  return answer.out.split('\0').some((path) => path !== '' && !isOwnName(path) && isSource(toText(path)));
}

function isSource(path: string): boolean {
  return !/(^|\/)\./.test(path) && !documents.test(path);
}
