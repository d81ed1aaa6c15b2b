// Reads vitest's JSON report and decides which items of the five designs are proven. An item is proven by a test that ran
// and passed in that report: either a conformance test that begins with the item, or a test of another file that a
// conformance row names by file and title. A named test that was skipped, renamed or commented out proves nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';

const itemsAtStart = /^(?:S\d-\d+(?: |(?=:)|$))+/;
const rowOfAnotherFile = / is proved in (\S+) by "(.*)"$/;
const rowLeftOut = / is left out: (.*)$/;
/** What vitest fills in for each row of a table: `%s`, `%j`, …, `$name`. */
const placeholder = /%[sdifjoOc#p]|\$[\w.]+/g;

/**
 * @param {{ testResults: { name: string, assertionResults: { title: string, status: string }[] }[] }} report
 * @param {string} root the folder that the files of rows are relative to
 */
export function readProofs(report, root) {
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, status }) => ({ file: relative(root, name), title, status })),
  );
  const proven = new Set();
  const reasons = new Map();
  const rows = tests.filter(({ file }) => file.startsWith('test/conformance/'));
  for (const row of rows) {
    const why = whyUnproven(tests, row);
    for (const item of itemsAtStart.exec(row.title)?.[0].trim().split(' ') ?? []) {
      if (why === null) proven.add(item);
      else reasons.set(item, why);
    }
  }
  return { proven, reasons };
}

/** null: the row proves its items. */
function whyUnproven(tests, { file, title, status }) {
  const named = namedTest(title);
  const leftOut = rowLeftOut.exec(title)?.[1];
  if (status === 'passed' && leftOut !== undefined) return leftOut;
  const isProven = status === 'passed' && (named === null || ranAndPassed(tests, named));
  if (isProven) return null;
  const unproven = named ?? { file, title };
  return `"${unproven.title}" of ${unproven.file} did not run and pass`;
}

/**
 * The items that decision records name, each by itself: `S3-158`.
 * @param {string} folder
 * @returns {Set<string>}
 */
export function readDecided(folder) {
  const records = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return new Set(records.flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/\bS\d-\d+\b/g) ?? []));
}

/**
 * Three numbers for each design, and the items that have neither a proof nor a record. A row whose named test did not run
 * and pass is missing although a record names its item: the table says that it holds.
 * @param {Record<string, { name: string, count: number, added: string[] }>} designs
 * @param {ReturnType<typeof readProofs>} proofs
 * @param {Set<string>} decided
 */
export function countDesigns(designs, { proven, reasons }, decided) {
  return Object.entries(designs).map(([design, { name, count, added }]) => {
    const all = Array.from({ length: count + added.length }, (_, index) => itemOf(design, index + 1));
    const unproven = all.filter((item) => !proven.has(item));
    const missing = unproven.filter(
      (item) => !decided.has(item) || reasons.get(item)?.includes('did not run and pass'),
    );
    return {
      ...{ design, name, items: all.length, proven: all.length - unproven.length },
      decided: all.filter((item) => decided.has(item)).length,
      missing: missing.map((item) => ({ item, why: reasons.get(item) ?? 'no test names it' })),
    };
  });
}

export function itemOf(design, number) {
  return `${design}-${String(number).padStart(2, '0')}`;
}

/** The files that rows name, so that they can be run too. */
export function namedFiles(report) {
  const titles = report.testResults.flatMap(({ assertionResults }) => assertionResults.map(({ title }) => title));
  return [...new Set(titles.flatMap((title) => namedTest(title)?.file ?? []))];
}

/** The test files that run `file`: itself, or, for a suite that several implementations share, those that import it. */
export function testFilesOf(file, allTestFiles, root) {
  if (file.endsWith('.test.ts')) return [file];
  const imported = `/${basename(file, '.ts')}.js'`;
  return allTestFiles.filter((one) => readFileSync(resolve(root, one), 'utf8').includes(imported));
}

function namedTest(title) {
  const [, file, named] = rowOfAnotherFile.exec(title) ?? [];
  return file === undefined ? null : { file, title: named };
}

function ranAndPassed(tests, { file, title }) {
  const isShared = !file.endsWith('.test.ts');
  const pattern = new RegExp(`^${title.split(placeholder).map(escaped).join('.*')}$`, 's');
  const named = tests.filter((test) => (isShared || test.file === file) && pattern.test(test.title));
  return named.length > 0 && named.every(({ status }) => status === 'passed');
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
