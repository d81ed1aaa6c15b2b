// Format, lint, types and dead code: one line a tool. A tool that read no file has not passed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from './setup/ensure.mjs';

const tool = (name) => join(projectRoot, 'node_modules', '.bin', name);
const timeoutMs = 9 * 60_000;

/** Each tool: how to run it, and how many files it says it read. */
const checks = [
  {
    name: 'biome (format, lint)',
    command: [tool('biome'), 'ci', '--error-on-warnings', '--colors=off'],
    countFiles: (printed) => Number(/Checked (\d+) files?/.exec(printed)?.[1] ?? 0),
    show: (printed) => printed,
  },
  {
    name: 'tsc (types)',
    command: [tool('tsc'), '--noEmit', '--listFiles', '--pretty', 'false', '-p', projectRoot],
    countFiles: (printed) => ownFiles(printed).length,
    show: (printed) =>
      printed
        .split('\n')
        .filter((line) => !/^\/\S*\.([cm]?tsx?|json)$/.test(line))
        .join('\n'),
  },
  {
    name: 'knip (dead code)',
    command: [tool('knip'), '--no-progress', '--preprocessor', join(projectRoot, 'bin', 'setup', 'count-knip.mjs')],
    countFiles: (printed) => Number(/^knip read (\d+) files$/m.exec(printed)?.[1] ?? 0),
    show: (printed) => printed.replace(/^knip read \d+ files$\n?/m, ''),
  },
];

const results = await Promise.all(checks.map(runCheck));
for (const { line, printed, passed } of results) {
  process.stdout.write(`${line}\n`);
  if (!passed) process.stdout.write(`${printed.trim()}\n`);
}
if (results.some((it) => !it.passed)) process.exitCode = 1;

async function runCheck({ name, command, countFiles, show }) {
  const { code, printed } = await run(command);
  const files = countFiles(printed);
  if (code !== 0) return { passed: false, line: `FAILED  ${name}`, printed: show(printed) };
  if (files === 0)
    return { passed: false, line: `FAILED  ${name}: it passed without reading a file`, printed: show(printed) };
  return { passed: true, line: `ok      ${name}, ${files} files`, printed: '' };
}

function run([file, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
    let printed = '';
    const keep = (chunk) => {
      printed += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => resolve({ code: 1, printed: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, printed }));
  });
}

function ownFiles(printed) {
  return printed.split('\n').filter((line) => line.startsWith(join(projectRoot, 'src')) && !line.includes('('));
}
