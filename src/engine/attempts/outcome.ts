// Evidence beats claims, unknown words never pass, silence is a crash.

import { readDecision } from '../chain/route.js';
import type { OutcomeKind, Resolved } from '../model/model.js';
import { type Claim, isSameStatus, readClaim, statusWord } from '../report/claim.js';
import type { Ask, CheckResult, Envelope, TestCounts } from '../report/envelope.js';
import { nothingToDo, parseStories, type Story } from '../report/index.js';
import type { JobDef, Workflow } from '../workflow/definition.js';
import { runsAgent } from '../workflow/node-kinds.js';
import { changesFiles, outOfScope, type Scope } from './scope.js';

type Judged = Pick<Resolved, 'kind' | 'reason' | 'summary'> & {
  readonly stories?: readonly Story[];
  readonly asks?: readonly Ask[];
  readonly warnings?: readonly string[];
};

export function resolveOutcome(envelope: Envelope, def: JobDef, workflow: Workflow, scope: Scope): Resolved {
  const claim = readClaim(envelope, def);
  const judged = withinScope(envelope, scope, leftOpen(envelope, judge(envelope, def, workflow, claim)));
  return {
    kind: judged.kind,
    reason: judged.reason,
    summary: judged.summary ?? claim?.summary ?? envelope.output.summary ?? handedOn(envelope, def, judged.kind),
    claim: claim && isContradicted(claim, judged.kind) ? claim.word : null,
    word: claim && statusWord(claim, def),
    warnings: [...envelope.warnings, ...(claim?.warnings ?? []), ...(judged.warnings ?? [])],
    isInterrupted: envelope.killed === 'interrupted',
    keys: envelope.output.keys,
    tests: countsOf(envelope),
    stories: judged.stories ?? [],
    asks: judged.asks ?? [],
    isFinal: envelope.fault?.remedy === 'ask',
  };
}

/** An open question turns a pass into needs_human; a denied permission turns a failure too. */
function leftOpen({ asks = [] }: Envelope, judged: Judged): Judged {
  const permissions = asks.filter((one) => one.permission !== null);
  const mayAsk = judged.kind === 'pass' || judged.kind === 'needs_human' || judged.kind === 'failing';
  const open = permissions.length > 0 ? permissions : judged.kind === 'failing' ? [] : asks;
  if (!mayAsk || open.length === 0) return judged;
  const own = judged.kind === 'needs_human' ? judged.summary : null;
  const summary = own ?? open.map(({ text }) => text).join('\n');
  return {
    kind: 'needs_human',
    reason: permissions.length > 0 ? 'permission_denied' : 'open_question',
    summary,
    asks: open,
  };
}

/** Strays fail a pass, or add a warning. */
function withinScope(envelope: Envelope, scope: Scope, judged: Judged): Judged {
  const found = judged.kind === 'pass' ? outOfScope(envelope, scope) : null;
  if (found === null) return judged;
  if (!found.fails) return { ...judged, warnings: [found.text] };
  return { kind: 'failing', reason: 'scope_warning', summary: found.text };
}

/** Without a summary people see the values that routes carry, or other reported values after a failure. */
function handedOn(
  { output: { keys } }: Envelope,
  { onFail, onStatus, onDecision }: JobDef,
  kind: OutcomeKind,
): string | null {
  const routes = [onFail, onStatus, onDecision].flatMap((table) => Object.values(table));
  const carried = new Set(routes.flatMap((chosen) => ('carry' in chosen ? Object.values(chosen.carry) : [])));
  const isSaid = (text: string) => text !== '' && text.toLowerCase() !== 'none';
  const said = [...carried].map((key) => keys[key]?.trim() ?? '').filter(isSaid);
  if (said.length > 0 || kind !== 'failing') return said.join('\n') || null;
  const found = Object.entries(keys).filter(([key, value]) => !verdictKeys.includes(key) && isSaid(value.trim()));
  return (
    found
      .map(([key, value]) => `${key}: ${value.trim()}`)
      .join('\n')
      .slice(0, maxFindingsChars) || null
  );
}

const verdictKeys: readonly string[] = ['STATUS', 'REASON', 'DECISION'];
const maxFindingsChars = 4_000;

/** Without a status there is no claim to contradict. */
function isContradicted({ status }: Claim, kind: OutcomeKind): boolean {
  if (status === null || status === 'unknown') return false;
  return kind !== (status === 'retry' ? 'failing' : status);
}

function judge(envelope: Envelope, def: JobDef, workflow: Workflow, claim: Claim | null): Judged {
  const ended = judgeEnd(envelope, claim);
  if (ended) return ended;
  if (!runsAgent(def)) return judgeChecks(envelope.checks, def, null) ?? pass(checkSummary(envelope.checks, def));
  return claim === null ? judgeSilence(envelope, def, workflow) : judgeClaim(envelope, def, workflow, claim);
}

/** Some ends decide regardless of the report. */
function judgeEnd(envelope: Envelope, claim: Claim | null): Judged | null {
  if (envelope.killed === 'timeout') return { kind: 'timeout', reason: null, summary: null };
  if (envelope.killed === 'cancel') return { kind: 'cancelled', reason: null, summary: null };
  if (envelope.killed === 'interrupted') return crashed('interrupted', interruption(envelope));
  if (envelope.killed === 'budget') return crashed('budget', 'It spent more than it may, and was stopped.');
  if (envelope.fault) return crashed(envelope.fault.code, envelope.fault.message);
  const isBadExit = envelope.exit !== null && envelope.exit !== 0;
  if (!isBadExit || (claim !== null && claim.status !== 'pass')) return null;
  const said = envelope.output.tail.trim().slice(-500);
  return crashed('exit', `The agent exited with code ${envelope.exit}.${said ? `\n${said}` : ''}`);
}

/** The worker that lost the attempt may explain; other faults are side effects. */
function interruption({ fault }: Envelope): string {
  return fault?.code === 'interrupted' ? fault.message : 'It was interrupted.';
}

function judgeSilence(envelope: Envelope, def: JobDef, workflow: Workflow): Judged {
  // An agent that was denied a permission before it wrote anything did not crash.
  if ((envelope.asks ?? []).length > 0) return pass(null);
  if (def.expects.status) return bad(`There is no report; STATUS must be one of ${def.expects.status.join(', ')}.`);
  if (mustReport(envelope, workflow)) return crashed('no_report', 'The agent ended without a report.');
  if (envelope.output.isEmpty) return crashed('no_output', 'The agent exited without any output.');
  return judgeEvidence(envelope, def, null) ?? judgePass(envelope, def, workflow, null);
}

function mustReport({ reports }: Envelope, { policy }: Workflow): boolean {
  return policy.report === 'required' || (policy.report === null && reports === true);
}

function judgeClaim(envelope: Envelope, def: JobDef, workflow: Workflow, claim: Claim): Judged {
  // A question claims no success.
  if (claim.status === 'needs_human') return { kind: 'needs_human', reason: claim.reason, summary: claim.summary };
  if (claim.status === null) return judgeEvidence(envelope, def, claim) ?? bad(noStatus(envelope));
  if (def.expects.red && claim.status === 'failing') return judgeHonestRed(envelope, def, workflow, claim);
  const byEvidence = claim.reason !== null && def.expects.red ? failing(claim) : judgeEvidence(envelope, def, claim);
  if (byEvidence) return byEvidence;
  if (claim.contradicts) return bad(`The report contradicts itself: STATUS is ${claim.contradicts.join(', and ')}.`);
  if (claim.status === 'unknown') return bad(`"${claim.word}" is not a status that is known.`);
  if (claim.status !== 'pass') return failing(claim);
  const allowed = def.expects.status;
  if (allowed && !allowed.some((word) => isSameStatus(word, claim))) {
    return bad(`STATUS is "${claim.word}"; it must be one of ${allowed.join(', ')}.`);
  }
  return judgePass(envelope, def, workflow, claim);
}

/** With `expects.red`, "failing" is honest unless it has a reason or a bad exit. */
function judgeHonestRed(envelope: Envelope, def: JobDef, workflow: Workflow, claim: Claim): Judged {
  if (claim.reason !== null || (envelope.exit !== null && envelope.exit !== 0)) return failing(claim);
  return judgeEvidence(envelope, def, claim) ?? judgePass(envelope, def, workflow, claim);
}

/** A warning about a malformed hand-off may explain it. */
function noStatus({ warnings }: Envelope): string {
  const slip = warnings.find((one) => one.startsWith('the front matter of HANDOFF.md'));
  return `The report names no status${slip === undefined ? '' : `: ${slip}`}.`;
}

function judgePass(envelope: Envelope, def: JobDef, workflow: Workflow, claim: Claim | null): Judged {
  const { keys } = envelope.output;
  const missing = def.expects.keys.filter((key) => !keys[key]?.trim());
  const stories = judgeStories(envelope.output.stories, def, workflow);
  if (missing.length > 0) {
    // Reports all defects at once, for one retry.
    const lacks = `The report lacks ${missing.join(', ')}.`;
    return bad(stories.kind === 'pass' ? lacks : `${lacks} ${stories.summary}`);
  }
  if (def.decisionKey !== null) {
    const decision = readDecision(def, keys);
    if ('bad' in decision) return { kind: 'failing', reason: 'bad_decision', summary: decision.bad };
  }
  return stories.kind === 'pass' && changedNothing(envelope, def) ? judgeIdle(stories, claim) : stories;
}

/** Unmeasured counts as changed. */
function changedNothing(envelope: Envelope, { expects }: JobDef): boolean {
  const { reports, diffStat } = envelope;
  return expects.changes === true && reports === true && diffStat !== null && !changesFiles(envelope);
}

function judgeIdle(passed: Judged, claim: Claim | null): Judged {
  if (claim?.reason === nothingToDo) return { ...passed, reason: nothingToDo };
  return bad(`No file was changed. Where none has to change, report the reason ${nothingToDo}.`);
}

function judgeStories(text: string | null, def: JobDef, workflow: Workflow): Judged {
  if (text === null) return def.expects.items === 'required' ? bad('There is no STORIES_JSON.') : pass(null);
  if (def.expects.items === 'none') return bad('It must not report stories.');
  const parsed = parseStories(text, workflow.limits.items);
  if (!parsed.ok) return bad(parsed.error);
  if (parsed.stories.length === 0) return bad('STORIES_JSON names no story.');
  return { ...pass(null), stories: parsed.stories };
}

/** Failing checks refute a pass. With `expects.red` the tests, and only they, must fail. */
function judgeEvidence(envelope: Envelope, def: JobDef, claim: Claim | null): Judged | null {
  if (!def.expects.red) return judgeChecks(envelope.checks, def, claim);
  const tests = envelope.checks.find((check) => check.name === 'tests');
  const others = envelope.checks.filter((check) => check !== tests);
  if (tests?.timedOut) return judgeChecks([tests, ...others], def, claim);
  return judgeChecks(others, def, claim) ?? (tests?.ok ? green(tests) : null);
}

function judgeChecks(checks: readonly CheckResult[], def: JobDef, claim: Claim | null): Judged | null {
  const red = checks.filter((check) => !check.ok);
  if (red.length === 0) return null;
  const reason = red.some((check) => check.timedOut) ? 'test_timeout' : (claim?.reason ?? null);
  return { kind: 'failing', reason, summary: withClaim(checkSummary(checks, def), claim) };
}

/** Marks the agent's words, which follow the evidence. */
function withClaim(decided: string, claim: Claim | null): string {
  return claim?.summary ? `${decided}\nThe agent says: ${claim.summary}` : decided;
}

function checkSummary(checks: readonly CheckResult[], def: JobDef): string {
  if (checks.length === 0) return 'Not checked: no command is set.';
  return checks.map((check) => `${nameOf(check, def)}: ${check.ok ? 'ok' : describeRed(check)}`).join('; ');
}

function nameOf({ name }: CheckResult, { check }: JobDef): string {
  return name === 'check' && check !== null && /\{\{\s*project\.lint\s*\}\}/.test(check) ? 'lint' : name;
}

const maxNamesShown = 10;

function describeRed({ timedOut, tests, exit, tail }: CheckResult): string {
  if (timedOut) return 'timed out';
  if (exit === 0 && tests && tests.pass + tests.fail === 0) return 'no tests';
  if (!tests || tests.fail === 0) return complaint(tail, `exit ${exit ?? 'by a signal'}`);
  const names = tests.failing.slice(0, maxNamesShown).join(', ');
  return `${tests.fail} failing${names ? ` (${names})` : ''}`;
}

const maxComplaintChars = 300;

/** The first line with a position in a file, else the end and the likeliest line. */
function complaint(tail: string, ended: string): string {
  const lines = tail.split('\n').flatMap((line) => line.trim().slice(0, maxComplaintChars) || []);
  const placed = lines.find((line) => /[\w/-]\.\w{1,10}[:(]\d+/.test(line));
  if (placed !== undefined) return placed;
  const said = lines.find((line) => /\b(?:error|fail|missing|not found|cannot|no such)/i.test(line)) ?? lines.at(-1);
  return said === undefined ? ended : `${ended}: ${said}`;
}

function countsOf(envelope: Envelope): TestCounts | null {
  const [counted] = envelope.checks.flatMap((check) => check.tests ?? []);
  if (counted) return counted;
  const counts = envelope.handoff?.front?.tests;
  return counts ? { ...counts, failing: [] } : null;
}

function pass(summary: string | null): Judged {
  return { kind: 'pass', reason: null, summary };
}

function green({ tests }: CheckResult): Judged {
  const summary =
    tests !== null && tests.pass + tests.fail === 0
      ? 'No test ran; the new ones must fail before the code is written.'
      : 'The new tests pass already; they must fail before the code is written.';
  return { kind: 'failing', reason: null, summary };
}

function failing(claim: Claim): Judged {
  return { kind: 'failing', reason: claim.reason, summary: claim.summary };
}

function crashed(reason: string, summary: string): Judged {
  return { kind: 'crashed', reason, summary };
}

function bad(summary: string): Judged {
  return { kind: 'failing', reason: 'bad_output', summary };
}
