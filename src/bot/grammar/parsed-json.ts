import type { Candidate, Parsed } from './parsed.js';

export interface ParsedJson {
  readonly text: string;
  readonly verb: string | null;
  readonly project: string | null;
  readonly target: string | null;
  readonly note: string | null;
  readonly code?: string;
  readonly reason?: string;
  readonly workflow?: string;
  readonly candidates?: readonly Candidate[];
}

/** Scripts rely on five fields; others appear if set. */
export function parsedJson(parsed: Parsed): ParsedJson {
  const { text, verb, project, target, note, code, reason, workflow, candidates } = parsed;
  return {
    text,
    verb,
    project,
    target: target ?? code,
    note,
    ...(code === null ? {} : { code }),
    ...(reason === null ? {} : { reason }),
    ...(workflow === null ? {} : { workflow }),
    ...(verb === null ? { candidates } : {}),
  };
}
