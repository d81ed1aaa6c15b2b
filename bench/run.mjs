// usage: npm run bench -- [name…] [--repeat N] [--full] [--docs]
// Measures and prints tables, and keeps all numbers in bench/results. --full: the large sizes. --docs: writes the figures
// to docs/images. Ratios within one run are what counts: machines differ, and this one may be shared.
import { parseArgs } from 'node:util';
import { benchmarks } from './benchmarks.mjs';
import { mergeTables } from './tools/figures.mjs';
import { keep, machine, printTable } from './tools/results.mjs';

const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { repeat: { type: 'string' }, full: { type: 'boolean' }, docs: { type: 'boolean' } },
});
const unknown = names.find((name) => benchmarks.every((it) => it.name !== name));
const repeatAll = flags.repeat === undefined ? null : Number(flags.repeat);

if (unknown !== undefined || (repeatAll !== null && !(Number.isInteger(repeatAll) && repeatAll > 0))) {
  const known = benchmarks.map(({ name }) => name).join(', ');
  process.stderr.write(`error: usage: npm run bench -- [${known}] [--repeat N] [--full] [--docs]\n`);
  process.exitCode = 2;
} else {
  const { node, system, cores, memoryGb, load, commit } = machine();
  process.stdout.write(`Node ${node}, ${system}, ${cores} cores, ${memoryGb} GB, load ${load}, commit ${commit}\n`);
  for (const benchmark of benchmarks) {
    if (names.length === 0 || names.includes(benchmark.name)) await run(benchmark, repeatAll ?? benchmark.repeats);
  }
}

async function run(benchmark, repeats) {
  const { name, measures, limit, rivals } = benchmark;
  process.stdout.write(`\n# ${name}: ${measures}\nLimit: ${limit}. Rivals: ${rivals}. Measured ${repeats} times.\n`);
  const { measure, report } = await benchmark.load();
  const measured = [];
  for (let repeat = 0; repeat < repeats; repeat++) measured.push(await measure({ isFull: flags.full === true }));
  const result = report?.(measured) ?? { tables: mergeTables(measured.map((it) => [it].flat())) };
  for (const table of result.tables) printTable(table);
  keep(benchmark, result, { isForDocs: flags.docs === true });
}
