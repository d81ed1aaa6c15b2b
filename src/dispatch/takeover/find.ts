// Finds another orchestrator's state. Only Bosun's export record tells own files from others.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SettledFile, Workflow } from '../../engine/index.js';
import {
  hashOfFile,
  isOwnFile,
  keepCopy,
  openExportRecord,
  readPlainFile,
  sessionIds,
  sessionsFolder,
  unwritten,
  writeExportRecord,
} from '../exports/index.js';
import type { Beside, FoundFile, FoundState, StateFormat } from './found.js';
import { keysBesideStories, readPrd } from './read-prd.js';
import { readSession } from './read-session.js';
import { readStates } from './read-state.js';
import { prdFileOf, readWorkflowState } from './read-workflow-state.js';

export interface Place {
  readonly home: string;
  readonly root: string;
  readonly workflow: Workflow;
  readonly hasRuns: boolean;
}

export interface ForeignState extends FoundState {
  /** Files that Bosun would overwrite or has read. */
  readonly files: readonly SettledFile[];
  readonly copy: string;
}

export const workflowOfFormat: Readonly<Record<StateFormat, string>> = {
  state: 'micro-waterfall',
  'workflow-state': 'dynamic-ralph',
  session: 'lifecycle',
};

const handoffPath = '.ai/HANDOFF.md';
const maxStates = 1_000;
const maxSessionsRead = 20;
const maxShownLines = 6;

export function workflowOfStateIn(root: string): string | null {
  if (existsSync(join(root, 'workflow_state.json'))) return workflowOfFormat['workflow-state'];
  if (sessionIds(root).length > 0) return workflowOfFormat.session;
  return existsSync(join(root, '.ai/STATE.json')) ? workflowOfFormat.state : null;
}

export function settleFiles({ home, root, hasRuns }: Omit<Place, 'workflow'>, files: readonly SettledFile[]): void {
  const { files: known } = openExportRecord(home, root, hasRuns);
  const news = files.map(({ path, hash }) => [path, unwritten(hash)] as const);
  writeExportRecord(home, { root, files: new Map([...known, ...news]) });
}

export function findForeignState(place: Place): ForeignState | null {
  const foreign = foreignFiles(place);
  const states = foreign.filter(({ path }) => path.startsWith('.ai/STATE') || path.startsWith('.ai/states/'));
  const stories = foreign.find(({ path }) => path === 'workflow_state.json') ?? null;
  const sessions = foreign.filter(({ path }) => path.startsWith(sessionsFolder));
  const handoff = states.length > 0 ? bodyOfHandoff(place.root) : null;
  const beside: Beside = { workflow: place.workflow, ...prdBeside(place.root, stories), handoff };
  const found = [
    newestSession(sessions, beside),
    stories && readWorkflowState(stories, beside),
    states.length > 0 ? readStates(states, beside) : null,
  ].filter((one) => one !== null);
  const [best, ...others] = [...found].sort((a, b) => rank(a) - rank(b));
  if (best === undefined) return null;
  const files = foreign.filter(({ path }) => !path.startsWith(sessionsFolder) || path === best.path);
  const kept = handoff === null ? files : [...files, ...fileAt(place.root, handoffPath)];
  const copy = keepCopy(place.home, place.root, kept);
  return {
    ...best,
    words: cardWords(best, others, handoff, copy),
    files: files.map(({ path, text }) => ({ path, hash: hashOfFile(text) })),
    copy,
  };
}

function rank({ resume, fits }: FoundState): number {
  if (resume === null) return 2;
  return fits ? 0 : 1;
}

function cardWords(
  best: FoundState,
  others: readonly FoundState[],
  handoff: string | null,
  copy: string,
): readonly string[] {
  const lines = handoff?.split('\n').filter((line) => line.trim() !== '') ?? [];
  return [
    `Another orchestrator wrote ${best.path}:`,
    ...best.words,
    ...others.flatMap(({ path, words }) => [`Also found: ${path}${words[0] ? `: ${words[0]}` : ''}`]),
    ...(lines.length > 0
      ? [`${handoffPath}:`, ...lines.slice(0, maxShownLines).map((line) => `> ${line.slice(0, 200)}`)]
      : []),
    `Bosun keeps a copy of it in ${copy}.`,
  ];
}

function foreignFiles({ home, root, hasRuns }: Place): readonly FoundFile[] {
  const record = openExportRecord(home, root, hasRuns);
  const states = namesIn(join(root, '.ai/states')).filter((name) => name.endsWith('.json'));
  const paths = [
    '.ai/STATE.json',
    ...states.slice(0, maxStates).map((name) => `.ai/states/${name}`),
    'workflow_state.json',
    ...sessionIds(root)
      .slice(-maxSessionsRead)
      .map((id) => `${sessionsFolder}/${id}/status.json`),
  ];
  const found = paths.flatMap((path) => fileAt(root, path)).filter(({ path, text }) => !isOwnFile(record, path, text));
  if (!found.some(({ path }) => path === 'workflow_state.json')) return found;
  // workflow_state.json's export replaces it too.
  return [...found, ...fileAt(root, '.ai/prd.json').filter(({ path, text }) => !isOwnFile(record, path, text))];
}

function fileAt(root: string, path: string): readonly FoundFile[] {
  const text = readPlainFile(root, path);
  return text === null ? [] : [{ path, text }];
}

/** Ids begin with their time. */
function newestSession(files: readonly FoundFile[], beside: Beside): FoundState | null {
  for (const file of [...files].reverse()) {
    const found = readSession(file, beside);
    if (found !== null) return found;
  }
  return null;
}

function bodyOfHandoff(root: string): string | null {
  const text = readPlainFile(root, handoffPath)?.toString('utf8') ?? '';
  const body = text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---\r?\n?/, '').trim();
  return body === '' ? null : body;
}

export function prdBeside(root: string, state: FoundFile | null): Pick<Beside, 'stories' | 'prd'> {
  const named = state && prdFileOf(state);
  for (const path of [named, 'prd.json', '.ai/prd.json']) {
    const text = path ? readPlainFile(root, path) : null;
    if (text === null) continue;
    try {
      const data: unknown = JSON.parse(text.toString('utf8'));
      return { stories: readPrd(data), prd: keysBesideStories(data) };
    } catch {
      // The state names its stories.
    }
  }
  return { stories: [], prd: null };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
