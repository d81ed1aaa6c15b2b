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

export function told({ why, hint }: { readonly why: string; readonly hint: string }): WorkspaceResult {
  return blocked(`${why}\n${hint}`);
}
