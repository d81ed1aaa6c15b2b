// The two files that an attempt is judged by: the handoff for the next session, then the short result.
import { writeText } from './workspace.mjs';

export function writeReport(task, report) {
  writeText(task.handoffFile, handoffText(task, report));
  writeText(task.resultFile, resultText(report));
}

function handoffText(task, report) {
  const { tests } = report;
  const front = [
    ...(task.item ? [`story: ${quote(task.item)}`] : []),
    `step: ${quote(task.step)}`,
    `attempt: ${task.attempt}`,
    `status: ${report.status}`,
    `reason: ${report.reason ?? 'null'}`,
    ...list('files_changed', report.files),
    ...(tests ? [`tests_pass: ${tests.pass}`, `tests_fail: ${tests.fail}`, `tests_skip: ${tests.skip}`] : []),
    ...list('review_digest', report.digest),
    ...list('questions', report.questions),
  ];
  const said = task.words ? ['', '## A person said', '', task.words] : [];
  const body = ['## Done', '', report.summary, ...said, '', '## Next session', '', report.next ?? 'Go on.'];
  return `---\n${front.join('\n')}\n---\n\n${body.join('\n')}\n`;
}

function resultText(report) {
  const summary = report.summary.replace(/\s+/g, ' ');
  return `# written by the scripted demo agent\nstatus: ${report.status}\nreason: ${report.reason ?? 'null'}\nsummary: ${summary}\n`;
}

function list(key, values = []) {
  return values.length === 0 ? [`${key}: []`] : [`${key}:`, ...values.map((value) => `  - ${quote(value)}`)];
}

/** A JSON string is a YAML string too. */
function quote(text) {
  return JSON.stringify(text);
}
