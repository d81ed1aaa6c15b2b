import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeOf } from '../base/index.js';
import { type Loaded, loadWorkflow } from '../engine/index.js';
import { isBelow, isInHome } from './home/closed.js';
import { type AcceptedRules, maxRuleFileBytes } from './project-rules/index.js';

const packageRoot = fileURLToPath(new URL('../..', import.meta.url));
export const shippedFolder = join(packageRoot, 'workflows');

export type WorkflowSource =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'accepted'; readonly file: string; readonly path: string; readonly files: AcceptedRules };

/** `closed`: the home, from which no prompt is read, and a project in it. */
export function loadSource(source: WorkflowSource, name: string, closed: Closed): Loaded {
  return source.kind === 'file' ? loadFile(source.file, name, closed) : loadAccepted(source, name);
}

interface Closed {
  readonly home: string | null;
  readonly root: string | null;
}

function loadFile(file: string, name: string, { home, root }: Closed): Loaded {
  const read = readSmall(file);
  if ('why' in read) return { ok: false, problems: [{ file: name, line: 1, column: 1, message: read.why }] };
  const isShipped = dirname(file) === shippedFolder;
  const prompts = isShipped ? [packageRoot] : [dirname(file), packageRoot];
  return loadWorkflow({ file: isShipped ? basename(file) : name, text: read.text }, (path) => {
    // antfarm workflows share agents: `../../agents/shared/verifier/AGENTS.md`.
    const isShared = !isShipped && /^\.\.\/.*\/(AGENTS|SOUL|IDENTITY)\.md$/.test(path);
    return readPrompt(isShared ? [resolve(dirname(file), '../..')] : prompts, path, {
      from: isShared ? dirname(file) : null,
      isOpen: (place) => !isInHome(place, home, root),
    });
  });
}

/** Uses prompts that were accepted with it, else shipped ones. */
function loadAccepted({ path, files }: Extract<WorkflowSource, { kind: 'accepted' }>, name: string): Loaded {
  const promptOf = (said: string) => files.get(posix.join(posix.dirname(path), said))?.text ?? null;
  const text = files.get(path)?.text ?? '';
  return loadWorkflow({ file: name, text }, (said) => promptOf(said) ?? readPrompt([packageRoot], said, shipped));
}

interface PromptPlace {
  /** Set if it differs from the folder to stay in. */
  readonly from: string | null;
  readonly isOpen: (file: string) => boolean;
}

const shipped: PromptPlace = { from: null, isOpen: () => true };

function readPrompt(folders: readonly string[], path: string, { from, isOpen }: PromptPlace): string | null {
  for (const folder of folders) {
    const file = resolve(from ?? folder, path);
    if (!isBelow(folder, file) || !staysBelow(folder, file) || !isOpen(file)) continue;
    const read = readSmall(file);
    if ('text' in read) return read.text;
  }
  return null;
}

/** Security: a symlink must not bring in a file from elsewhere. */
function staysBelow(folder: string, file: string): boolean {
  const place = placeOf(file);
  return place !== null && isBelow(placeOf(folder) ?? folder, place);
}

/** Too large a file is refused: a part would mean something else. */
export function readSmall(file: string): { readonly text: string } | { readonly why: string } {
  try {
    const found = statSync(file);
    if (!found.isFile()) return { why: 'this is not a plain file' };
    if (found.size > maxRuleFileBytes) return { why: `the file is larger than ${maxRuleFileBytes} bytes` };
    return { text: readFileSync(file, 'utf8') };
  } catch (error) {
    return { why: `the file cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}
