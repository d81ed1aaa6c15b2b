// Paths in calls between a local agent and Bosun. Security: first redacts this machine's executor secrets, which Bosun
// does not know.

import { permissionMark } from '../../agents/index.js';
import type { Redact } from '../../base/index.js';
import type { Envelope } from '../../engine/index.js';
import type { AgentReply, BosunConnection } from '../../jobs/index.js';
import { hiddenWork, hidesWork } from '../attempt/tool-permission.js';
import type { CallBosun } from './agent-proxy.js';
import { deeply, type PathMapping } from './path-mapping.js';

export interface PathTranslation {
  readonly call: CallBosun;
  /** Gives the envelope Bosun's marks, which come from translated input. */
  known(envelope: Envelope): Envelope;
}

const maxMarks = 10_000;

export function translatePaths(connection: BosunConnection, places: PathMapping, redact: Redact): PathTranslation {
  /** Keyed by the mark of the original input. */
  const marks = new Map<string, string>();

  function note(asked: unknown, told: unknown): void {
    const [here, there] = [markOf(asked), markOf(told)];
    if (here !== null && there !== null && here !== there && marks.size < maxMarks) marks.set(here, there);
  }

  return {
    async call({ path, body }) {
      const asked = parsed(body);
      const shown = bare(asked, redact, 0);
      const told = asked === null ? null : deeply(shown, places.there);
      if (path === '/agent/permission') {
        // Security: Bosun cannot see what this redaction hid.
        if (hidesWork(JSON.stringify(asked), JSON.stringify(shown))) return denied;
        note(asked, told);
      }
      const reply = await connection.call({ path, body: told === null ? redact(body) : JSON.stringify(told) });
      const answer = parsed(reply.body);
      return answer === null ? reply : { ...reply, body: JSON.stringify(deeply(answer, places.here)) };
    },
    known(envelope) {
      if (envelope.asks === undefined || marks.size === 0) return envelope;
      const asks = envelope.asks.map((ask) => {
        const mark = ask.permission === null ? undefined : marks.get(ask.permission.mark);
        return mark === undefined || ask.permission === null
          ? ask
          : { ...ask, permission: { ...ask.permission, mark } };
      });
      return { ...envelope, asks };
    },
  };
}

const denied: AgentReply = {
  status: 200,
  body: JSON.stringify({ state: 'denied', by: 'Bosun', why: hiddenWork }),
};

const maxDepth = 100;

function bare(value: unknown, redact: Redact, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth > maxDepth) return null;
  if (Array.isArray(value)) return value.map((one: unknown) => bare(one, redact, depth + 1));
  const entries = Object.entries(value).map(([key, one]) => [redact(key), bare(one, redact, depth + 1)]);
  return Object.fromEntries(entries);
}

/** Null: not JSON; Bosun reports it. */
function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function markOf(asked: unknown): string | null {
  if (typeof asked !== 'object' || asked === null || !('tool' in asked) || !('input' in asked)) return null;
  const { tool, input } = asked;
  try {
    return typeof tool === 'string' ? permissionMark(tool, input) : null;
  } catch {
    // Bosun refuses input this deep.
    return null;
  }
}
