// Turns src/*.ts(x) into JavaScript, and copies what else lies there: types are checked by `npm run check`. Every file
// by itself, for whoever wants a part; and main.js with all that it needs in a few files, because to find and read
// six hundred takes longer than what most commands do.
// usage: node bin/build.mjs [folder]; without a folder it renews dist, under the lock, as bin/bosun does.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');

export async function build(outdir) {
  const { build: transform } = await import('esbuild');
  const files = readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const isCode = (file) => /\.tsx?$/.test(file);
  const settings = {
    outdir,
    outbase: src,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    sourcemap: true,
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx',
    logLevel: 'warning',
  };
  await transform({ ...settings, entryPoints: files.filter(isCode) });
  await transform({
    ...settings,
    entryPoints: [join(src, 'main.ts')],
    bundle: true,
    splitting: true,
    packages: 'external',
    chunkNames: 'together/[name]-[hash]',
    plugins: [findsItsFiles, loadsToolsAlone],
  });
  const tools = join(src, 'cli', 'mcp', 'index.ts');
  await transform({
    ...settings,
    outdir: undefined,
    outfile: join(outdir, 'together', agentTools),
    entryPoints: files.filter((file) => file === tools),
    bundle: true,
    minify: true,
    charset: 'utf8',
    // Some packages inside call require.
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    plugins: [findsItsFiles, speaksEnglish],
  });
  for (const file of files.filter((it) => !isCode(it))) cpSync(file, file.replace(src, outdir));
}

const agentTools = 'agent-tools.js';

/** An agent waits for the server of its tools, so that is one file with its packages: to read theirs takes as long again. */
const loadsToolsAlone = {
  name: 'loads tools alone',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/cli\/mcp\/index\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./together/${agentTools}`, external: true } : null,
    );
  },
};

/** Leaves out the messages of zod in fifty languages, which are a third of what is read at the start. */
const speaksEnglish = {
  name: 'speaks English',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]zod[\\/].*[\\/]locales[\\/]index\.c?js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** What a module looks for beside itself lies where the module would lie alone. */
const findsItsFiles = {
  name: 'finds its files',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return null;
      const alone = relative(src, path).replaceAll(sep, '/');
      const contents = text.replaceAll('import.meta.url', `new URL('../${alone}', import.meta.url).href`);
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [outdir] = process.argv.slice(2);
  if (outdir === undefined) await (await import('./setup/ensure.mjs')).isReady({ build: true });
  else if (outdir.startsWith('-')) {
    process.stderr.write('usage: node bin/build.mjs [folder]\n');
    process.exitCode = 2;
  } else
    await build(outdir).catch((error) => {
      // What is wrong in which source, esbuild has printed already.
      if (error.errors === undefined) process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    });
}
