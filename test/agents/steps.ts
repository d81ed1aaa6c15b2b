// Workflows of one step, to see what becomes of an agent that fails, hangs or forks.

/** Tried once more after a crash; with a limit of its own only once at all. */
export function oneStep({ limitMs }: { readonly limitMs?: number } = {}) {
  const tries = limitMs === undefined ? 'abandons: 1, timeout: 60s' : `abandons: 0, timeout: ${limitMs / 1000}s`;
  return {
    workflow: 'one',
    files: {
      '.ai/workflows/one.yaml': `workflow: one
version: 1
chain:
  - { id: build, kind: task, title: Build, prompt: Build it., max_attempts: 1, on_exhausted: ask, ${tries} }
`,
    },
  };
}

export const apart = {
  workflow: 'apart',
  files: {
    '.ai/workflows/apart.yaml': `workflow: apart
version: 1
chain:
  - id: stories
    kind: loop
    over: items
    isolate: worktree
    body:
      - { id: build, kind: task, title: Build, prompt: Build it. }
`,
  },
};
