import type { TeamReport } from '../../engine/index.js';
import type { AttemptSpec, TeamMember } from '../../jobs/index.js';
import type { AttemptLog } from '../processes/attempt-log.js';
import { type Seat, taskOf } from '../processes/environment.js';
import { complaintOf, type MemberEnd, teamReports, verdictOn } from './member-report.js';

const maxInstructionChars = 4000;

export function recordAssigned(seat: Seat, member: TeamMember, log: AttemptLog): void {
  log.record({
    event: 'task_assigned',
    task_id: taskOf(seat) ?? '',
    role: member.role,
    scoped_context: member.writes,
    instruction: member.prompt.slice(0, maxInstructionChars),
  });
}

export function recordDone(seat: Seat, ended: MemberEnd, log: AttemptLog): void {
  const { role } = ended.member;
  const task = { task_id: taskOf(seat) ?? '', role };
  const verdict = verdictOn(ended);
  const [report] = teamReports([ended], seat.workdir);
  if (verdict !== 'pass') {
    log.record({ event: 'blocker', ...task, reason: report?.reason ?? null, description: complaintOf(ended) });
  }
  log.record({
    event: 'task_done',
    ...task,
    status: verdict,
    files_changed: report?.filesChanged ?? [],
    summary: report?.summary ?? null,
  });
}

export function recordConflicts(spec: AttemptSpec, reports: readonly TeamReport[], log: AttemptLog): void {
  for (const { role, conflicts } of reports) {
    if (conflicts.length === 0) continue;
    log.record({
      event: 'conflict',
      task_id: taskOf({ ...spec, role }) ?? '',
      role,
      files: conflicts,
      description: `${role} changed files that belong to another role or that another role also changed`,
    });
  }
}
