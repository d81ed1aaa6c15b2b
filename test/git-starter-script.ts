// The git starter as a script that Node runs. A test process holds hundreds of MB, so each git that it starts itself
// would take 20 ms, most of it in the kernel.
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export const gitStarterScript = join(root, 'node_modules/.cache/bosun/git-starter.mjs');

/** Once for each run of the tests. */
export async function setup(): Promise<void> {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(root, 'src/workspace/git/process/starter-process.ts')],
    outfile: gitStarterScript,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
}
