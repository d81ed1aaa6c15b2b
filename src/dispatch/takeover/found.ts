// What every format is read to: where another orchestrator stood, as words for a person and as a place to resume.
import { z } from 'zod';
import type { NewItem, Resume, Workflow } from '../../engine/index.js';

export type StateFormat = 'state' | 'workflow-state' | 'session';

export interface FoundState {
  readonly format: StateFormat;
  /** Relative to the project's root. */
  readonly path: string;
  /** What the run is called; null: the file does not say. */
  readonly task: string | null;
  readonly words: readonly string[];
  /** null: nothing is left to do, or the file cannot be understood. */
  readonly resume: Resume | null;
  /** Whether the workflow at hand knows the steps that the file names. */
  readonly fits: boolean;
}

export interface FoundFile {
  readonly path: string;
  readonly text: Buffer;
}

/** What else the project holds that says more of it. */
export interface Beside {
  readonly workflow: Workflow;
  /** Stories of a PRD file, which describe what a state file only names. */
  readonly stories: readonly NewItem[];
  /** The handoff's body, the front matter left out; null: there is none. */
  readonly handoff: string | null;
}

const maxStateBytes = 8 * 1024 * 1024;

export const shortText = z.string().max(300);
export const longText = z.string().max(100_000);

/** The ids of the steps that each story walks. */
export function bodyOf({ chain }: Workflow): readonly string[] {
  return chain.find((def) => def.kind === 'loop')?.body.map(({ id }) => id) ?? [];
}

/** The story as a PRD describes it, else by its name alone. */
export function describedItem(stories: readonly NewItem[], key: string, title = key): NewItem {
  const known = stories.find((one) => one.key === key);
  if (known) return known;
  return { key, title, description: title, criteria: [], dependsOn: [] };
}

/** A file that cannot be understood is shown with its first fault, and stops nothing. */
export function unreadable(format: StateFormat, path: string, why: string): FoundState {
  const words = [
    `${path} cannot be read: ${why}.`,
    'Mend it there and say "continue" again, or start afresh: a copy of it is kept.',
  ];
  return { format, path, task: null, words, resume: null, fits: true };
}

export function faultOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue ? `${issue.path.join('.') || 'the whole'}: ${issue.message}` : 'it has another shape';
}

/** Names the place and never the text: a parser's own message quotes what stands there. */
export function jsonIn({ text }: FoundFile): { readonly value: unknown } | { readonly fault: string } {
  if (text.length > maxStateBytes) return { fault: `it has ${text.length} bytes; at most ${maxStateBytes} are read` };
  try {
    return { value: JSON.parse(text.toString('utf8').replace(/^\uFEFF/, '')) };
  } catch {
    return { fault: 'it is not JSON' };
  }
}

/** Notes for a prompt are bounded: the end of a long text is the newest. */
export function clipped(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `…${text.slice(-maxChars)}`;
}
