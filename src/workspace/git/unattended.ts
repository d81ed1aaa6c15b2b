// Hooks, editors, signing and watchers must not block Bosun's worktrees, and preferences must not change a rebase.
export const unattended: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.editor=:',
  'commit.gpgSign=false',
  'commit.template=',
  'gc.auto=0',
  'maintenance.auto=false',
  'rebase.backend=merge',
  'rebase.autoStash=false',
  'rebase.autoSquash=false',
  'rebase.rebaseMerges=false',
  'rebase.updateRefs=false',
  'rerere.enabled=false',
  'submodule.recurse=false',
];

export interface Blocked {
  readonly kind: 'blocked';
  readonly why: string;
  readonly hint: string;
}

export function blocked(why: string, hint: string): Blocked {
  return { kind: 'blocked', why, hint };
}
