// `.ai/executor-result`: `status:`, `reason:`, `summary:` lines, or one JSON object.
import { z } from 'zod';
import type { Report } from '../../engine/index.js';
import { type Identity, identityFields, scalar } from './report-identity.js';

const keys: readonly string[] = ['status', 'reason', 'summary', 'story', 'item', 'step', 'attempt', 'token'];

const schema = z.looseObject({ ...identityFields, status: scalar, reason: scalar, summary: scalar });

export interface ParsedResult {
  readonly identity: Identity;
  readonly report: Report;
  readonly warning: string | null;
}

export function parseResultFile(text: string): ParsedResult {
  const parsed = schema.safeParse(text.trimStart().startsWith('{') ? readJson(text) : readLines(text));
  if (parsed.success) {
    const { status, reason, summary, ...identity } = parsed.data;
    const warning = status === null ? 'executor-result has no status' : null;
    return { identity, report: { status, reason: reason === 'null' ? null : reason, summary }, warning };
  }
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  return {
    identity: { story: null, item: null, step: null, attempt: null, token: null },
    report: { status: null, reason: null, summary: null },
    warning: where === '' ? 'executor-result is not valid JSON' : `executor-result: "${where}" must be plain text`,
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema rejects undefined, with a warning.
    return undefined;
  }
}

/** Lines without a known key continue the summary; `#` is a comment. */
function readLines(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  let open = '';
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    const key = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (keys.includes(key)) {
      found[key] = unquoted(line.slice(colon + 1).trim());
      open = key;
    } else if (open === 'summary') {
      found[open] = `${found[open] ?? ''}\n${line}`;
    }
  }
  return found;
}

function unquoted(value: string): string {
  const quote = value.charAt(0);
  const isQuoted = value.length > 1 && (quote === '"' || quote === "'") && value.endsWith(quote);
  return isQuoted ? value.slice(1, -1) : value;
}
