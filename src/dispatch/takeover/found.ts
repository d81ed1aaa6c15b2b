// The common result of all format readers: where another orchestrator stood, for a person and as a place to resume.
import { z } from 'zod';
import { hasBody, type NewItem, type Resume, type Workflow } from '../../engine/index.js';

export type StateFormat = 'state' | 'workflow-state' | 'session';

export interface FoundState {
  readonly format: StateFormat;
  readonly path: string;
  /** The run's task; null: not in the file. */
  readonly task: string | null;
  readonly words: readonly string[];
  /** null: nothing is left to do, or the file is unreadable. */
  readonly resume: Resume | null;
  /** Whether the present workflow knows the file's steps. */
  readonly fits: boolean;
}

export interface FoundFile {
  readonly path: string;
  readonly text: Buffer;
}

/** Other information in the project about the same work. */
export interface Beside {
  readonly workflow: Workflow;
  /** Stories of a PRD, which describe what a state file only names. */
  readonly stories: readonly NewItem[];
  /** Other keys of that PRD; null: none. */
  readonly prd: Readonly<Record<string, unknown>> | null;
  /** The handoff's text without its front matter; null: none. */
  readonly handoff: string | null;
}

const maxStateBytes = 8 * 1024 * 1024;

export const shortText = z.string().max(300);
export const longText = z.string().max(100_000);

export function bodyOf({ chain }: Workflow): readonly string[] {
  return chain.find(hasBody)?.body.map(({ id }) => id) ?? [];
}

/** The story from the PRD, else a stub with its key and title. */
export function describedItem(stories: readonly NewItem[], key: string, title = key): NewItem {
  const known = stories.find((one) => one.key === key);
  if (known) return known;
  return { key, title, description: title, criteria: [], dependsOn: [] };
}

/** An unreadable file is shown with its first fault; it does not block. */
export function unreadable(format: StateFormat, path: string, why: string): FoundState {
  const words = [
    `${path} cannot be read: ${why}.`,
    'Fix the file and say "continue" again, or start fresh: Bosun keeps a copy.',
  ];
  return { format, path, task: null, words, resume: null, fits: true };
}

export function faultOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue ? `${issue.path.join('.') || 'the file'}: ${issue.message}` : 'its form is unknown';
}

/** Never quotes the text: a JSON parser's own message would. */
export function jsonIn({ text }: FoundFile): { readonly value: unknown } | { readonly fault: string } {
  if (text.length > maxStateBytes) return { fault: `it has ${text.length} bytes; the limit is ${maxStateBytes}` };
  try {
    return { value: JSON.parse(text.toString('utf8').replace(/^\uFEFF/, '')) };
  } catch {
    return { fault: 'it is not JSON' };
  }
}

/** Bounds notes for a prompt; keeps the end, which is the newest part. */
export function clipped(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `…${text.slice(-maxChars)}`;
}
