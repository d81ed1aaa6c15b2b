// usage: node bin/complete-lock.mjs [package-lock.json]
// `npm ci` refuses a lock file that misses an optional package, even one for another platform. A registry that does not
// carry all of them leaves gaps: this fills each with an entry that says which platform it is for, as its name tells.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

function complete(file) {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  for (const gap of findGaps(lock)) {
    const entry = entryFor(gap);
    if (entry !== null) lock.packages[`node_modules/${gap.name}`] = entry;
    else process.stderr.write(`no platform in the name ${gap.name}: left out, npm ci may refuse the lock file\n`);
  }
  const { '': root, ...rest } = lock.packages;
  const sorted = Object.entries(rest).sort(([a], [b]) => a.localeCompare(b, 'en'));
  lock.packages = { '': root, ...Object.fromEntries(sorted) };
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}

complete(process.argv[2] ?? join(projectRoot, 'package-lock.json'));
