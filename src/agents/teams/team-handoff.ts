import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { isInside, writeOwnFile } from '../../base/index.js';
import { emptyOutput, type Handoff, type Output, type Report, type TeamReport } from '../../engine/index.js';
import type { AttemptSpec } from '../../jobs/index.js';
import { attemptPaths, baseOf } from '../processes/environment.js';
import { complaintOf, type MemberEnd, type MemberVerdict, verdictOn } from './member-report.js';

const maxBodyChars = 64 * 1024;
const maxComplaintChars = 1000;
const maxQuestions = 50;
const tailChars = 2048;

/** These never speak for the whole team. */
const ownKeys: readonly string[] = ['STATUS', 'REASON'];

/** The team passes if all members do; "needs_human" outranks "failing". */
export function teamHandoff(members: readonly MemberEnd[], reports: readonly TeamReport[]): Handoff {
  const fronts = members.map((one) => one.reports.handoff?.front ?? null);
  const digests = fronts.flatMap((front, index) => named(reports[index], front?.reviewDigest ?? null));
  return {
    front: {
      ...teamReport(members, reports),
      filesChanged: [...new Set(reports.flatMap((report) => report.filesChanged))],
      // Same tree, so the last count covers the most.
      tests: fronts.findLast((front) => front?.tests)?.tests ?? null,
      reviewDigest: digests.join('\n') || null,
      questions: fronts
        .flatMap((front, index) => (front?.questions ?? []).flatMap((question) => named(reports[index], question)))
        .slice(0, maxQuestions),
    },
    body: bodyOf(members, reports),
  };
}

function teamReport(members: readonly MemberEnd[], reports: readonly TeamReport[]): Report {
  const verdicts = members.map(verdictOn);
  if (verdicts.every((verdict) => verdict === 'pass')) {
    const said = reports.flatMap((report) => named(report, report.summary));
    return { status: 'pass', reason: null, summary: said.join('\n') || null };
  }
  const status = verdicts.includes('needs_human') ? 'needs_human' : 'failing';
  const complaints = (wanted: MemberVerdict): readonly string[] =>
    members.flatMap((one, index) =>
      verdicts[index] === wanted ? named(reports[index], complaintOf(one).slice(0, maxComplaintChars)) : [],
    );
  return {
    status,
    reason: reports.find((report, index) => verdicts[index] === status && report.reason !== null)?.reason ?? null,
    summary: [...complaints('needs_human'), ...complaints('failing')].join('\n'),
  };
}

function bodyOf(members: readonly MemberEnd[], reports: readonly TeamReport[]): string {
  const progress = members.map((one, index) => {
    const verdict = verdictOn(one);
    const summary = reports[index]?.summary ?? '';
    return `### ${one.member.role}: ${verdict.replace('_', ' ')}${summary === '' ? '' : `\n\n${summary}`}`;
  });
  const conflicts = reports.flatMap(({ role, conflicts }) => conflicts.map((file) => `- ${role}: ${file}`));
  const room = Math.floor(maxBodyChars / 2 / members.length);
  const notes = members.flatMap(({ member, reports: { handoff } }) => {
    const body = handoff?.body.trim().slice(0, room) ?? '';
    return body === '' ? [] : [`### ${member.role}\n\n${body}`];
  });
  const parts = [
    '# Team hand-off',
    `## Progress\n\n${progress.join('\n\n')}`,
    `## Conflicts\n\n${conflicts.join('\n') || 'None.'}`,
    `## Notes for the next session\n\n${notes.join('\n\n') || 'None.'}`,
  ];
  return parts.join('\n\n').slice(0, maxBodyChars);
}

export function writeTeamHandoff(spec: AttemptSpec, handoff: Handoff): string | null {
  const { handoffFile } = attemptPaths(spec);
  try {
    if (!isInside(realpathSync(spec.workdir), realpathSync(dirname(handoffFile)))) {
      return "the folder .ai leads outside the working directory: Bosun did not write the team's hand-off";
    }
    const text = `---\n${stringify(frontOf(spec, handoff))}---\n\n${handoff.body}\n`;
    writeOwnFile(baseOf(spec, handoffFile), handoffFile, text);
    return null;
  } catch (error) {
    return `cannot write the team's hand-off: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function frontOf(spec: AttemptSpec, { front }: Handoff): object {
  const { pass, fail, skip } = front?.tests ?? { pass: 0, fail: 0, skip: 0 };
  return {
    story: spec.item === '' ? null : spec.item,
    step: spec.step,
    attempt: spec.attemptNumber,
    status: front?.status ?? null,
    reason: front?.reason ?? null,
    summary: front?.summary ?? null,
    files_changed: front?.filesChanged ?? [],
    ...(front?.tests ? { tests_pass: pass, tests_fail: fail, tests_skip: skip } : {}),
    review_digest: front?.reviewDigest ?? null,
    questions: front?.questions ?? [],
  };
}

export function teamOutput(members: readonly MemberEnd[]): Output {
  const values = new Map<string, Set<string>>();
  for (const { output } of members) {
    for (const [key, value] of Object.entries(output.keys)) {
      if (!ownKeys.includes(key)) values.set(key, (values.get(key) ?? new Set()).add(value));
    }
  }
  const each = members.flatMap(({ member, output }) => named(member, output.summary));
  const tails = members.map(({ member, output }) => ({ role: member.role, tail: output.tail }));
  const room = Math.floor(tailChars / Math.max(members.length, 1));
  return {
    ...emptyOutput,
    isEmpty: members.every(({ output }) => output.isEmpty),
    keys: Object.fromEntries([...values].map(([key, all]) => [key, [...all].join('\n')])),
    stories: members.find(({ output }) => output.stories !== null)?.output.stories ?? null,
    summary: each.join('\n') || null,
    tail: tails
      .filter(({ tail }) => tail !== '')
      .map(({ role, tail }) => `[${role}]\n${tail.slice(-room)}`)
      .join('\n'),
  };
}

function named(who: { readonly role: string } | undefined, text: string | null): readonly string[] {
  return who === undefined || text === null || text === '' ? [] : [`${who.role}: ${text}`];
}
