// usage: node bin/complete-lock.mjs [package-lock.json]
// `npm ci` refuses a lock file that misses an optional package, even one for another platform. A registry that does not
// carry all of them leaves gaps: this fills each with an entry that says which platform it is for, as its name tells.
// Entries without an integrity get the one that the registry states.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from './setup/ensure.mjs';

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm64', 'arm', 'x64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32'];

/** The optional packages that a lock file's packages name and the lock file has no entry for. */
function findGaps(lock) {
  return Object.entries(lock.packages).flatMap(([path, it]) =>
    Object.entries(it.optionalDependencies ?? {})
      .filter(([name]) => !(`${path}/node_modules/${name}` in lock.packages || `node_modules/${name}` in lock.packages))
      .map(([name, version]) => ({ name, version, of: it })),
  );
}

function entryFor({ name, version, of }) {
  const words = name.split('/').pop().split('-');
  const system = words.includes('windows') ? 'win32' : systems.find((it) => words.includes(it));
  const processor = processors.find((it) => words.includes(it));
  if (system === undefined || processor === undefined) return null;
  return {
    version: version.replace(/^[\^~]/, ''),
    cpu: [processor],
    ...(of.dev ? { dev: true } : {}),
    ...(system === 'linux' ? libcOf(words) : {}),
    license: of.license,
    optional: true,
    os: [system],
  };
}

function libcOf(words) {
  if (words.some((it) => it.startsWith('musl'))) return { libc: ['musl'] };
  return words.some((it) => it.startsWith('gnu')) ? { libc: ['glibc'] } : {};
}

/** Fills in what is missing, and gives the names of those that the registry does not know. */
async function fillIntegrity(packages) {
  const without = Object.entries(packages).filter(([path, it]) => path !== '' && !it.link && !it.integrity);
  const found = await Promise.all(
    without.map(async ([path, it]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const integrity = await integrityOf(`${name}@${it.version}`);
      if (integrity === null) return [name];
      const { version, ...rest } = it;
      packages[path] = { version, integrity, ...rest };
      return [];
    }),
  );
  return found.flat();
}

async function integrityOf(spec) {
  try {
    const { stdout } = await promisify(execFile)('npm', ['view', spec, 'dist.integrity']);
    const said = stdout.trim();
    return /^sha512-[A-Za-z0-9+/]{86}==$/.test(said) ? said : null;
  } catch (error) {
    // It does not carry this one; anything else is told.
    if (!String(error.stderr).includes('E404')) process.stderr.write(`npm view ${spec}: ${error.stderr}\n`);
    return null;
  }
}

async function complete(file) {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  for (const gap of findGaps(lock)) {
    const entry = entryFor(gap);
    if (entry !== null) lock.packages[`node_modules/${gap.name}`] = entry;
    else process.stderr.write(`no platform in the name ${gap.name}: left out, npm ci may refuse the lock file\n`);
  }
  const unknown = await fillIntegrity(lock.packages);
  const { '': root, ...rest } = lock.packages;
  const inOrder = Object.entries(rest).sort(([a], [b]) => a.localeCompare(b, 'en'));
  lock.packages = { '': root, ...Object.fromEntries(inOrder) };
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  if (unknown.length === 0) return;
  process.stderr.write(`this registry knows no integrity of ${unknown.join(', ')}: run it again with one that does\n`);
}

await complete(process.argv[2] ?? join(projectRoot, 'package-lock.json'));
