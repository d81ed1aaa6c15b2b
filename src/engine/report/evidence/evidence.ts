// Gates' files: JSON, or Markdown with front matter. Synonyms become one word.

import { isRecord } from '../json-record.js';
import { normaliseStatus } from '../status-words.js';
import {
  type Gap,
  normaliseResult,
  normaliseSeverity,
  readAcceptance,
  readGap,
  readResult,
  type TestResult,
} from './acceptance.js';
import { type Fields, parseFrontMatter } from './front-matter.js';

type ParsedEvidence = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string };

const maxChars = 1024 * 1024;
const maxEntries = 2_000;

export function parseEvidence(name: string, text: string): ParsedEvidence {
  if (text.length > maxChars) return refuse(`${name} has ${text.length} characters; at most ${maxChars} are read`);
  if (text.trim() === '') return refuse(`${name} is empty`);
  if (/\.md$/i.test(name)) return parseReport(name, text);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return refuse(`${name} is not valid JSON: ${String(error).slice(0, 200)}`);
  }
  return { ok: true, value: normalise(name, value) };
}

function refuse(error: string): ParsedEvidence {
  return { ok: false, error };
}

function normalise(name: string, value: unknown): unknown {
  if (/(^|\/)test-results\.json$/.test(name)) return readTestRun(Array.isArray(value) ? { results: value } : value);
  if (!isRecord(value)) return value;
  const issues = value['issues'];
  const withIssues = Array.isArray(issues) ? { ...value, issues: issues.map(withSeverity) } : value;
  const passed = passedOf(value);
  return typeof passed === 'boolean' ? { ...withIssues, passed } : withIssues;
}

function withSeverity(issue: unknown): unknown {
  if (!isRecord(issue) || typeof issue['severity'] !== 'string') return issue;
  return { ...issue, severity: normaliseSeverity(issue['severity']) };
}

/** Undefined: the file does not say. */
function passedOf(value: Fields): unknown {
  const { passed, status, gaps, failures } = value;
  if (passed !== undefined && passed !== null) return passed;
  const word = typeof status === 'string' ? normaliseStatus(status) : null;
  if (word !== null) return word === 'pass';
  const wrong = [gaps, failures].find((list) => Array.isArray(list));
  return Array.isArray(wrong) ? wrong.length === 0 : undefined;
}

/** A test run without content has not passed. */
function readTestRun(value: unknown): unknown {
  if (!isRecord(value)) return { results: [], passed: false };
  const listed = ['results', 'tests', 'cases', 'testResults']
    .map((key) => value[key])
    .find((list) => Array.isArray(list));
  const results = resultsOf(listed);
  return { ...value, results, passed: isWell(value, results) && (results.length > 0 || claimsPass(value)) };
}

function parseReport(name: string, text: string): ParsedEvidence {
  const parsed = parseFrontMatter(text);
  if (!parsed.ok) return refuse(`${name}: ${parsed.error}`);
  const { front, body } = parsed;
  const acceptance = readAcceptance(body);
  const results = [...resultsOf(front['results'] ?? front['tests']), ...acceptance.results];
  const gaps = [...gapsOf(front['gaps']), ...acceptance.gaps];
  const status = typeof front['status'] === 'string' ? front['status'].trim().toLowerCase() : null;
  const complete = status === 'diagnosed' || /^(pass|failing)$/.test(normaliseStatus(status) ?? '');
  const failures = [
    ...results.filter(({ result }) => result !== 'pass').map(({ name: test, result }) => `${test}: ${result}`),
    ...gaps.map(({ description, severity }) => (severity === null ? description : `${description} (${severity})`)),
  ];
  const isGood = isWell(front, results) && !gaps.some((gap) => /^(high|critical)$/.test(gap.severity ?? ''));
  const hasRun = complete || (status === null && (results.length > 0 || claimsPass(front)));
  return { ok: true, value: { ...front, status, complete, passed: isGood && hasRun, results, gaps, failures } };
}

function isWell(fields: Fields, results: readonly TestResult[]): boolean {
  const words = [fields['status'], fields['verdict'], fields['result']].map((word) =>
    typeof word === 'string' ? normaliseStatus(word) : null,
  );
  if (words.some((word) => word !== null && word !== 'pass')) return false;
  if (fields['passed'] === false || fields['success'] === false) return false;
  const counts = [fields, fields['summary']].flatMap((one) => (isRecord(one) ? countsOf(one) : []));
  return counts.every((count) => count === 0) && results.every(({ result }) => result === 'pass');
}

function countsOf(fields: Fields): readonly number[] {
  const names = ['failed', 'failures', 'issues', 'errors', 'pending', 'blocked', 'numFailedTests'];
  const values = names.map((name) => fields[name]);
  return values.map((value) => (Array.isArray(value) ? value.length : typeof value === 'number' ? value : 0));
}

function claimsPass(fields: Fields): boolean {
  const words = [fields['status'], fields['verdict'], fields['result']];
  if (words.some((word) => typeof word === 'string' && normaliseStatus(word) === 'pass')) return true;
  const counts = isRecord(fields['summary']) ? fields['summary'] : fields;
  const hasCounts = typeof counts['total'] === 'number' && counts['total'] > 0 && counts['passed'] === counts['total'];
  return fields['passed'] === true || fields['success'] === true || hasCounts;
}

function resultsOf(list: unknown): readonly TestResult[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, maxEntries).map((entry, index) => {
    const fields = textsOf(entry);
    const result = readResult(fields, `test ${index + 1}`);
    return (
      result ?? { name: fields.get('name') ?? `test ${index + 1}`, result: normaliseResult(fields.get('passed') ?? '') }
    );
  });
}

function gapsOf(list: unknown): readonly Gap[] {
  if (!Array.isArray(list)) return [];
  return list
    .slice(0, maxEntries)
    .flatMap((entry) => readGap(textsOf(entry), typeof entry === 'string' ? entry : '') ?? []);
}

function textsOf(entry: unknown): ReadonlyMap<string, string> {
  const fields = isRecord(entry) ? Object.entries(entry) : [['result', entry] as const];
  return new Map(fields.flatMap(([key, value]) => (isScalar(value) ? [[key.toLowerCase(), String(value)]] : [])));
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
