// Another orchestrator's progress, for a person and for resuming.
import { z } from 'zod';
import { hasBody, type NewItem, type Resume, type Workflow } from '../../engine/index.js';

export type StateFormat = 'state' | 'workflow-state' | 'session';

export interface FoundState {
  readonly format: StateFormat;
  readonly path: string;
  /** Null: not in the file. */
  readonly task: string | null;
  readonly words: readonly string[];
  /** Null: nothing left, or unreadable. */
  readonly resume: Resume | null;
  /** The present workflow knows its steps. */
  readonly fits: boolean;
}

export interface FoundFile {
  readonly path: string;
  readonly text: Buffer;
}

export interface Beside {
  readonly workflow: Workflow;
  /** Describes stories that the state only names. */
  readonly stories: readonly NewItem[];
  readonly prd: Readonly<Record<string, unknown>> | null;
  readonly handoff: string | null;
}

const maxStateBytes = 8 * 1024 * 1024;

export const shortText = z.string().max(300);
export const longText = z.string().max(100_000);

export function bodyOf({ chain }: Workflow): readonly string[] {
  return chain.find(hasBody)?.body.map(({ id }) => id) ?? [];
}

export function describedItem(stories: readonly NewItem[], key: string, title = key): NewItem {
  const known = stories.find((one) => one.key === key);
  if (known) return known;
  return { key, title, description: title, criteria: [], dependsOn: [] };
}

/** Shown with its first fault; does not block. */
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

/** Security: never quotes the text, as a parser's message would. */
export function jsonIn({ text }: FoundFile): { readonly value: unknown } | { readonly fault: string } {
  if (text.length > maxStateBytes) return { fault: `it has ${text.length} bytes; the limit is ${maxStateBytes}` };
  try {
    return { value: JSON.parse(text.toString('utf8').replace(/^\uFEFF/, '')) };
  } catch {
    return { fault: 'it is not JSON' };
  }
}

/** Keeps the newest part. */
export function clipped(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `…${text.slice(-maxChars)}`;
}
