import { posix, relative } from 'node:path';
import {
  grepBody,
  type Handoff,
  normaliseStatus,
  type Output,
  ownerOf,
  type Report,
  type TeamReport,
} from '../../engine/index.js';
import type { TeamMember } from '../../jobs/index.js';
import type { AgentOutcome } from '../adapters/port.js';
import type { ProcessEnd } from '../processes/run-process.js';
import type { Reports } from '../reports/report-files.js';

const maxFiles = 500;

export interface MemberEnd {
  readonly member: TeamMember;
  readonly end: ProcessEnd | null;
  readonly output: Output;
  readonly reports: Reports;
  readonly agent: AgentOutcome | null;
}

export type MemberVerdict = 'pass' | 'failing' | 'needs_human' | 'not_started';

export function claimOf({ reports, output }: MemberEnd): Report | null {
  const { result, handoff } = reports;
  const status = output.keys['STATUS'];
  const printed =
    status === undefined ? null : { status, reason: output.keys['REASON'] ?? null, summary: output.summary };
  const found = [result, handoff?.front ?? null, printed].filter((report) => report !== null);
  const first = found.find((report) => report.status !== null) ?? found[0];
  if (first === undefined) return handoff === null ? null : claimOfBody(handoff);
  const summary = [first, ...found].find((report) => report.summary)?.summary ?? output.summary;
  return { status: first.status, reason: first.reason, summary };
}

/** Notes alone pass, unless they say otherwise. */
function claimOfBody(handoff: Handoff): Report {
  const marked = grepBody(handoff.body);
  return { status: marked?.status ?? 'pass', reason: marked?.reason ?? null, summary: null };
}

export function verdictOn(member: MemberEnd): MemberVerdict {
  const { end } = member;
  if (end === null) return 'not_started';
  if (end.killed !== null || end.fault !== null) return 'failing';
  const word = normaliseStatus(claimOf(member)?.status ?? null);
  if (word === 'needs_human') return word;
  return word === 'pass' && end.exit === 0 ? 'pass' : 'failing';
}

export function complaintOf(member: MemberEnd): string {
  const claim = claimOf(member);
  const { end } = member;
  if (end === null) return 'it did not get its turn';
  if (end.killed !== null) return end.killed === 'timeout' ? 'it ran out of time' : 'it was stopped';
  if (end.fault !== null) return end.fault.message;
  if (claim === null) {
    return end.exit === 0 ? 'it wrote no report' : `it exited with ${end.exit ?? 'no code'} and wrote no report`;
  }
  const said = claim.summary ?? claim.reason ?? `its status is "${claim.status ?? 'missing'}"`;
  const isRefuted = end.exit !== 0 && normaliseStatus(claim.status) === 'pass';
  return isRefuted ? `it exited with ${end.exit ?? 'no code'}, but says: ${said}` : said;
}

export function teamReports(members: readonly MemberEnd[], workdir: string): readonly TeamReport[] {
  const reported = members.map((one) => filesOf(one, workdir));
  const globs = Object.fromEntries(members.map(({ member }) => [member.role, member.writes]));
  return members.map((one, index) => {
    const files = reported[index] ?? [];
    const others = new Set(reported.filter((_, other) => other !== index).flat());
    const claim = claimOf(one);
    return {
      role: one.member.role,
      exit: one.end?.exit ?? null,
      status: claim?.status ?? null,
      reason: claim?.reason ?? null,
      summary: claim?.summary ?? (verdictOn(one) === 'pass' ? null : complaintOf(one)),
      filesChanged: files,
      conflicts: files.filter((file) => others.has(file) || isOthers(ownerOf(file, globs), one.member.role)),
    };
  });
}

function isOthers(owner: string | null, role: string): boolean {
  return owner !== null && owner !== role;
}

function filesOf({ reports }: MemberEnd, workdir: string): readonly string[] {
  const files = (reports.handoff?.front?.filesChanged ?? []).map((file) =>
    posix.normalize(file.startsWith('/') ? relative(workdir, file) : file),
  );
  return [...new Set(files)].slice(0, maxFiles);
}
