// Turns src/*.ts(x) into JavaScript, file by file, and copies what else lies there: types are checked by `npm run check`.
// usage: node bin/build.mjs [folder]; without a folder it renews dist, under the lock, as bin/bosun does.
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export async function build(outdir) {
  const { build: transform } = await import('esbuild');
  const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const isCode = (file) => /\.tsx?$/.test(file);
  await transform({
    entryPoints: files.filter(isCode),
    outdir,
    outbase: join(root, 'src'),
    format: 'esm',
    target: 'node20',
    platform: 'node',
    sourcemap: true,
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx',
    logLevel: 'warning',
  });
  for (const file of files.filter((it) => !isCode(it))) cpSync(file, file.replace(join(root, 'src'), outdir));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [outdir] = process.argv.slice(2);
  if (outdir === undefined) await (await import('./setup/ensure.mjs')).isReady({ build: true });
  else
    await build(outdir).catch((error) => {
      // What is wrong in which source, esbuild has printed already.
      if (error.errors === undefined) process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    });
}
