// Members run in parallel within a turn. They share token, timeout and stops; each has its own process, log and
// reports.

import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownFolder } from '../../base/index.js';
import { emptyOutput, type TeamReport } from '../../engine/index.js';
import type { AttemptSpec, JobControl, TeamMember } from '../../jobs/index.js';
import type { CodingSettings } from '../adapters/run-coding-agent.js';
import { AgentOutput } from '../processes/agent-output.js';
import { type AttemptLog, type LogSettings, openLog } from '../processes/attempt-log.js';
import { endProcessesOf } from '../processes/end-processes.js';
import { attemptPaths, baseOf, fileName, type Seat } from '../processes/environment.js';
import { type ProcessEnd, unstarted } from '../processes/run-process.js';
import {
  type AgentReport,
  markReports,
  type ReportMarks,
  readReports,
  type SeatResult,
} from '../reports/report-files.js';
import { runAgent } from '../run-seat.js';
import { claimOf, type MemberEnd, teamReports, verdictOn } from './member-report.js';
import { teamHandoff, teamOutput, writeTeamHandoff } from './team-handoff.js';
import { recordAssigned, recordConflicts, recordDone } from './team-records.js';

export interface TeamSettings extends CodingSettings, LogSettings {
  readonly log: AttemptLog;
  readonly before: ReportMarks;
}

export async function workAsTeam(
  spec: AttemptSpec,
  members: readonly TeamMember[],
  control: JobControl,
  settings: TeamSettings,
): Promise<SeatResult> {
  const team = join(spec.sharedDir, 'team');
  rmSync(join(ownFolder(baseOf(spec, team), team), spec.attempt), { recursive: true, force: true });
  const ended = await takeTurns(spec, members, teamControl(control), settings);
  // A child may have dropped the member's mark, so the shared token's processes are killed too.
  await endProcessesOf([spec.token]);
  const all = members.map((member) => ended.find((one) => one.member === member) ?? notStarted(member));
  const reports = teamReports(all, spec.workdir);
  recordConflicts(spec, reports, settings.log);
  const end = teamEnd(all);
  const whole = readReports(spec, settings.before);
  const handoff = teamHandoff(all, reports);
  const own = whole.handoff;
  const problem = own === null ? writeTeamHandoff(spec, handoff) : null;
  return {
    end,
    output: teamOutput(all),
    result: null,
    // A member wrote a hand-off for the team: keep its body, take the verdict from all.
    handoff: own === null ? handoff : { front: handoff.front, body: own.body },
    team: reports,
    agent: { ...teamAgent(all), usage: settings.tally.sum() },
    warnings: [
      ...warningsOf(all, reports),
      ...(problem === null ? [] : [problem]),
      ...(whole.result === null ? [] : ['ignored a result that one member wrote for the whole team']),
      ...whole.warnings,
    ],
  };
}

/** A failing member stops no one in its turn, but no further turn starts. */
async function takeTurns(
  spec: AttemptSpec,
  members: readonly TeamMember[],
  control: TeamControl,
  settings: TeamSettings,
): Promise<readonly MemberEnd[]> {
  const ended: MemberEnd[] = [];
  let spentMs = 0;
  for (const turn of [...new Set(members.map((member) => member.turn))].sort((one, other) => one - other)) {
    const timeoutMs = spec.timeoutMs + control.extendedMs() - spentMs;
    const seated = members.filter((member) => member.turn === turn);
    const all = await Promise.allSettled(
      seated.map((member) => runMember(seatOf(spec, member, timeoutMs), member, control, settings)),
    );
    for (const one of all) {
      if (one.status === 'rejected') throw one.reason;
      ended.push(one.value);
    }
    spentMs += Math.max(...ended.slice(-seated.length).map((one) => one.end?.spentMs ?? 0));
    if (ended.some((one) => verdictOn(one) !== 'pass')) break;
  }
  return ended;
}

export function memberLogPath(logPath: string, role: string): string {
  return `${logPath.replace(/\.jsonl$/, '')}.${fileName(role)}.jsonl`;
}

function seatOf(spec: AttemptSpec, member: TeamMember, timeoutMs: number): Seat {
  const logPath = memberLogPath(spec.logPath, member.role);
  return { ...spec, role: member.role, prompt: member.prompt, logPath, timeoutMs };
}

async function runMember(
  seat: Seat,
  member: TeamMember,
  control: TeamControl,
  settings: TeamSettings,
): Promise<MemberEnd> {
  const { handoffFile } = attemptPaths(seat);
  ownFolder(baseOf(seat, handoffFile), dirname(handoffFile));
  recordAssigned(seat, member, settings.log);
  const before = markReports(seat);
  const log = openLog(seat, settings);
  try {
    const own = control.forMember(member.role);
    const output = new AgentOutput(log, settings.now, (line) => own.report({ type: 'output', line }));
    const { end, agent } = await runAgent(seat, own, settings, output);
    const reports = readReports(seat, before);
    const ended = { member, end, output: output.parse(seat.outputs), reports, agent };
    recordDone(seat, ended, settings.log);
    return ended;
  } finally {
    log.close();
  }
}

function notStarted(member: TeamMember): MemberEnd {
  return {
    member,
    end: null,
    output: emptyOutput,
    reports: { result: null, handoff: null, warnings: [] },
    agent: null,
  };
}

/** Prefers a failed member without a report; reports judge the others. */
function teamEnd(members: readonly MemberEnd[]): ProcessEnd {
  const killed = members.find((one) => one.end?.killed)?.end?.killed ?? null;
  const faulty = members.find((one) => one.end?.fault);
  const fault = faulty?.end?.fault ?? null;
  const bad = members.filter((one) => (one.end?.exit ?? 0) !== 0);
  const exit = (bad.find((one) => claimOf(one) === null) ?? bad[0])?.end?.exit ?? 0;
  return unstarted({
    exit: killed !== null || fault !== null ? null : exit,
    killed,
    fault: fault && { ...fault, message: `${faulty?.member.role ?? ''}: ${fault.message}` },
  });
}

/** Several sessions cannot be resumed as one. A member's question becomes the team's. */
function teamAgent(members: readonly MemberEnd[]): Omit<AgentReport, 'usage'> {
  const programs = new Set(members.flatMap(({ agent }) => agent?.program ?? []));
  const asks = members.flatMap(({ member, agent }) =>
    (agent?.asks ?? []).map((ask) => ({ ...ask, text: `${member.role}: ${ask.text}` })),
  );
  return { session: null, program: [...programs].join(', ') || null, asks };
}

function warningsOf(members: readonly MemberEnd[], reports: readonly TeamReport[]): readonly string[] {
  const said = members.flatMap(({ member, reports, agent }) =>
    [...reports.warnings, ...(agent?.warnings ?? [])].map((line) => `${member.role}: ${line}`),
  );
  const conflicts = reports.flatMap(({ role, conflicts }) =>
    conflicts.length === 0
      ? []
      : [
          `${role} changed files that belong to another role or that another role also changed: ${conflicts.slice(0, 10).join(', ')}`,
        ],
  );
  return [...said, ...conflicts];
}

// An extension applies to all members; shared events are reported once.
export interface TeamControl {
  extendedMs(): number;
  forMember(role: string): JobControl;
}

export function teamControl(control: JobControl): TeamControl {
  const listeners: ((byMs: number) => void)[] = [];
  const said = new Set<string>();
  let extendedMs = 0;
  control.onExtend((byMs) => {
    if (!(byMs > 0)) return;
    extendedMs += byMs;
    said.delete('expiring');
    for (const listen of listeners) listen(byMs);
  });
  return {
    extendedMs: () => extendedMs,
    forMember: (role) => ({
      signal: control.signal,
      onExtend: (listen) => listeners.push(listen),
      onWait: (listen) => control.onWait?.(listen),
      report: (progress) => {
        if (progress.type === 'output') {
          control.report({ ...progress, line: `[${role}] ${progress.line}` });
        } else if (progress.type === 'action' || progress.type === 'text') {
          control.report({ ...progress, text: `[${role}] ${progress.text}` });
        } else if (!said.has(progress.type)) {
          said.add(progress.type);
          control.report(progress);
        }
      },
    }),
  };
}
