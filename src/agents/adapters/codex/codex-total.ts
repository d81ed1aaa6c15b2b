// What a thread of Codex had used when it ended: gone on with, it counts from its very beginning.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeOwnFile } from '../../../base/index.js';
import { baseOf, fileName } from '../../processes/environment.js';
import type { AgentSeat } from '../port.js';
import { numberAt, objectIn } from '../shared/foreign-json.js';
import { noTokens, type Tokens } from '../shared/usage.js';

export function readThreadTotal(seat: AgentSeat, thread: string): Tokens {
  try {
    const kept = objectIn(readFileSync(pathOf(seat, thread), 'utf8'));
    const count = (key: string) => numberAt(kept, key) ?? 0;
    return { fresh: count('fresh'), cached: count('cached'), output: count('output') };
  } catch {
    // Not there: then all of it counts, which is too much rather than too little.
    return noTokens;
  }
}

export function writeThreadTotal(seat: AgentSeat, thread: string, total: Tokens): void {
  const path = pathOf(seat, thread);
  try {
    writeOwnFile(baseOf(seat, path), path, JSON.stringify(total));
  } catch {
    // As if it were not there.
  }
}

function pathOf({ sharedDir }: AgentSeat, thread: string): string {
  return join(sharedDir, 'agents', `codex-${fileName(thread)}.json`);
}
