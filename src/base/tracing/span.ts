// Ids are derived, so that a restart continues the trace and children can name a parent that has not ended.
import { createHash } from 'node:crypto';

export type Attribute = string | number | boolean;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, Attribute | null>>;
}

export function traceIdOf(home: string, run: string): string {
  return digest(`${home}/${run}`).slice(0, 32);
}

/** Unique within a home. */
export function spanIdOf(home: string, kind: 'run' | 'item' | 'attempt' | 'wait', id: string): string {
  return digest(`${home}/${kind}/${id}`).slice(0, 16);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
