// Codex reports totals since the thread began, so the last total is stored beside the run.
import { join } from 'node:path';
import { writeOwnFile } from '../../../base/index.js';
import { baseOf, fileName } from '../../processes/environment.js';
import { readFileWithin } from '../../processes/safe-read.js';
import type { AgentSeat } from '../port.js';
import { numberAt, objectIn, valueAt } from '../shared/foreign-json.js';
import { noTokens, type Tokens } from '../shared/usage.js';

export interface ThreadTotal extends Tokens {
  /** False: the thread needs an MCP server. */
  readonly hasTools: boolean;
}

export function readThreadTotal(seat: AgentSeat, thread: string): ThreadTotal {
  const path = pathOf(seat, thread);
  const file = readFileWithin(baseOf(seat, path), path);
  // Unknown: counting everything is safer than too little.
  const kept = file.type === 'text' ? objectIn(file.text) : null;
  const count = (key: string) => numberAt(kept, key) ?? 0;
  const tokens = { fresh: count('fresh'), cached: count('cached'), output: count('output') };
  return { ...tokens, hasTools: valueAt(kept, 'hasTools') === true };
}

export function writeThreadTotal(seat: AgentSeat, thread: string, total: ThreadTotal): void {
  const path = pathOf(seat, thread);
  try {
    writeOwnFile(baseOf(seat, path), path, JSON.stringify(total));
  } catch {
    // Best effort: the next resume counts the whole thread.
  }
}

/** Security: agents can write the stored total. One above Codex's own is forged, so everything counts. */
export function believed(stored: Tokens, now: Tokens): Tokens {
  const isAbove = stored.fresh > now.fresh || stored.cached > now.cached || stored.output > now.output;
  return isAbove ? noTokens : stored;
}

export function minus(one: Tokens, other: Tokens): Tokens {
  return { fresh: one.fresh - other.fresh, cached: one.cached - other.cached, output: one.output - other.output };
}

function pathOf({ sharedDir }: AgentSeat, thread: string): string {
  return join(sharedDir, 'agents', `codex-${fileName(thread)}.json`);
}
