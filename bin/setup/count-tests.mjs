// usage: node bin/setup/count-tests.mjs FILE
// Prints `N passed, N failed, N skipped` from vitest's JSON report, as the last line of .ci/run. It fails when a test
// failed, when none ran, when more than a few passed only on their second try, or, with CI=true, when one was skipped.
// The reasons and the flaky tests go to stderr.
import { readFileSync } from 'node:fs';

const flakyAllowed = 5;

const report = readReport(process.argv[2] ?? '');
const files = report.testResults ?? [];
const tests = files.flatMap((file) => file.assertionResults);
const count = (...states) => tests.filter((it) => states.includes(it.status)).length;
// A file that breaks before its first test has no test to count: it counts as a failure itself.
const brokenFiles = files.filter(
  (it) => it.status === 'failed' && !it.assertionResults.some((one) => one.status === 'failed'),
);
const [passed, failed] = [count('passed'), count('failed') + brokenFiles.length];
const skipped = tests.filter((it) => !['passed', 'failed'].includes(it.status));

// vitest keeps the error of the first try beside the second one's pass.
const flaky = tests.filter((it) => it.status === 'passed' && (it.failureMessages ?? []).length > 0);
for (const it of flaky) {
  process.stderr.write(
    `flaky, passed only on its second try: ${it.fullName}\n  ${it.failureMessages[0].split('\n')[0]}\n`,
  );
}

const complaints = [
  ...(flaky.length > flakyAllowed ? [`${flaky.length} flaky tests, and at most ${flakyAllowed} are allowed`] : []),
  ...(passed + failed === 0 ? ['no test ran'] : []),
  ...(failed > 0 || report.success === false ? ['tests failed'] : []),
  ...(process.env.CI === 'true' ? skipped.map((it) => `skipped, which CI does not allow: ${it.fullName}`) : []),
];
for (const line of complaints) process.stderr.write(`${line}\n`);
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped.length} skipped\n`);
if (complaints.length > 0) process.exitCode = 1;

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    process.stderr.write(`no report of the tests: ${error.message}\n`);
    return { success: false };
  }
}
