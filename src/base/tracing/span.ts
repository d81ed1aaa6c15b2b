// Ids are derived, so a restart continues the trace, and a span may name a parent that is still open.
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

export function spanIdOf(home: string, kind: 'run' | 'item' | 'attempt' | 'wait', id: string): string {
  return digest(`${home}/${kind}/${id}`).slice(0, 16);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
