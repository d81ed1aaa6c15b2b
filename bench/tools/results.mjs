// Where results go: tables on standard output, all numbers as JSON in bench/results, and, if asked, figures in docs/images.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const results = join(root, 'bench/results');
const images = join(root, 'docs/images');

export function machine() {
  return {
    node: process.version,
    system: `${platform()} ${release()}`,
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    load: Number(loadavg()[0].toFixed(1)),
    commit: commit(),
  };
}

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

/** @param {{ name: string, tables: object[], raw?: object, figures?: { file: string, svg: string }[] }} result */
export function keep(benchmark, { tables, raw = {}, figures = [] }, { isForDocs }) {
  mkdirSync(results, { recursive: true });
  const { name, measures, limit, rivals } = benchmark;
  const document = { name, measures, limit, rivals, machine: machine(), tables, raw };
  writeFileSync(join(results, `${name}.json`), `${JSON.stringify(document, null, 2)}\n`);
  const folder = isForDocs ? images : results;
  mkdirSync(folder, { recursive: true });
  for (const { file, svg } of figures) writeFileSync(join(folder, file), svg);
}

export function printTable({ title, rows }) {
  const heads = Object.keys(rows[0] ?? {});
  const lines = [heads, heads.map(() => '---'), ...rows.map((row) => heads.map((head) => row[head] ?? ''))];
  process.stdout.write(`\n## ${title}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`);
}
