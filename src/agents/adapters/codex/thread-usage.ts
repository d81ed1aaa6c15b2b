// Counts what a Codex thread used in this attempt. Codex reports totals since the thread began, so the total at its last
// end is stored beside the run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeOwnFile } from '../../../base/index.js';
import { baseOf, fileName } from '../../processes/environment.js';
import type { AgentSeat } from '../port.js';
import { numberAt, objectIn, valueAt } from '../shared/foreign-json.js';
import { noTokens, type Tokens } from '../shared/usage.js';

/** What is known of a thread that was left earlier. */
export interface ThreadTotal extends Tokens {
  /** Whether Bosun's tools belong to the thread itself, and so need no MCP server. */
  readonly hasTools: boolean;
}

export function readThreadTotal(seat: AgentSeat, thread: string): ThreadTotal {
  try {
    const kept = objectIn(readFileSync(pathOf(seat, thread), 'utf8'));
    const count = (key: string) => numberAt(kept, key) ?? 0;
    const tokens = { fresh: count('fresh'), cached: count('cached'), output: count('output') };
    return { ...tokens, hasTools: valueAt(kept, 'hasTools') === true };
  } catch {
    // No total is stored: count everything. Too much is safer than too little.
    return { ...noTokens, hasTools: false };
  }
}

export function writeThreadTotal(seat: AgentSeat, thread: string, total: ThreadTotal): void {
  const path = pathOf(seat, thread);
  try {
    writeOwnFile(baseOf(seat, path), path, JSON.stringify(total));
  } catch {
    // Best effort: without a stored total, the next resume counts the whole thread.
  }
}

export function minus(one: Tokens, other: Tokens): Tokens {
  return {
    fresh: Math.max(0, one.fresh - other.fresh),
    cached: Math.max(0, one.cached - other.cached),
    output: Math.max(0, one.output - other.output),
  };
}

function pathOf({ sharedDir }: AgentSeat, thread: string): string {
  return join(sharedDir, 'agents', `codex-${fileName(thread)}.json`);
}
