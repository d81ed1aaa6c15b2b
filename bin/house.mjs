// `npm run house`: the shape of src in figures: files, lines, cycles, names with two meanings, words of comments.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { messagePath } from './message-path.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'node_modules/.cache/bosun');
mkdirSync(folder, { recursive: true });
const { outputFiles } = await build({
  entryPoints: [join(root, 'test/foundations/house.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  write: false,
});
const bundle = join(folder, 'house.mjs');
writeFileSync(bundle, outputFiles[0].text);
const { figuresOf } = await import(pathToFileURL(bundle).href);

const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((it) => it.isFile() && /\.tsx?$/.test(it.name))
  .map((it) => join(it.parentPath, it.name))
  .map((file) => ({ path: relative(root, file).split(sep).join('/'), text: readFileSync(file, 'utf8') }));

for (const [name, value] of Object.entries(figuresOf(sources))) {
  console.log(`${name.replace(/[A-Z0-9]+/g, (it) => ` ${it.toLowerCase()}`).padEnd(20)} ${value}`);
}
console.log('\nfolder             files   lines');
const folders = new Map();
for (const { path, text } of sources) {
  const top = path.split('/').length > 2 ? path.split('/')[1] : '(main)';
  const [files, lines] = folders.get(top) ?? [0, 0];
  folders.set(top, [files + 1, lines + text.split('\n').length - 1]);
}
for (const [name, [files, lines]] of [...folders].sort()) {
  console.log(`${name.padEnd(16)} ${String(files).padStart(7)} ${String(lines).padStart(7)}`);
}

const { toAgent, toChat } = await messagePath();
console.log(
  `\n"continue shop" passes ${toAgent.length} files to the agent's start, its result ${toChat.length} to the chat`,
);
