// How a piece of work on a checkout ends: done, with what it brought, or held up, with what a person must know.
import type { WorkspaceResult } from '../../engine/index.js';

export const done: Extract<WorkspaceResult, { ok: true }> = {
  ok: true,
  note: null,
  diffStat: null,
  commit: null,
  stash: null,
};

export function blocked(message: string): Extract<WorkspaceResult, { ok: false }> {
  return { ok: false, code: 'blocked', message, files: [] };
}

/** What stands against it, and what to do. */
export function told({ why, hint }: { readonly why: string; readonly hint: string }): WorkspaceResult {
  return blocked(`${why}\n${hint}`);
}
