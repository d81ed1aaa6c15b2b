// Turns src/*.ts(x) into JavaScript, and copies what else lies there: types are checked by `npm run check`. Every file
// by itself, for whoever wants a part; and main.js with all that it needs in a few files, because to find and read
// six hundred takes longer than what most commands do.
// usage: node bin/build.mjs [folder]; without a folder it renews dist, under the lock, as bin/bosun does.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
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
  const together = await transform({
    ...settings,
    entryPoints: [join(src, 'main.ts')],
    bundle: true,
    splitting: true,
    packages: 'external',
    chunkNames: 'together/[name]-[hash]',
    legalComments: 'none',
    plugins: [findsItsFiles, loadsToolsAlone, includesZod, speaksEnglish],
    write: false,
  });
  const tools = join(src, 'cli', 'mcp', 'index.ts');
  const alone = await transform({
    ...settings,
    outdir: undefined,
    outfile: join(outdir, 'together', agentTools),
    entryPoints: files.filter((file) => file === tools),
    bundle: true,
    minify: true,
    // Some packages inside call require.
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    plugins: [findsItsFiles, speaksEnglish],
    write: false,
  });
  for (const { path, text } of [...together.outputFiles, ...alone.outputFiles]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith('.js') ? inAscii(text) : text);
  }
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

/** Its English alone is a quarter of the files that a start would read. */
const includesZod = {
  name: 'includes zod',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^zod$/ }, () => ({ path: fileURLToPath(import.meta.resolve('zod')) }));
  },
};

/**
 * V8 keeps two bytes for each character of a file in which one needs them. esbuild escapes those in strings; the others are
 * in regular expressions and their raw sources, which read the same escapes.
 */
function inAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

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
