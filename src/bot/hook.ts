// What an agent's own completion hook reports. For an attempt that Bosun itself runs, its end is what counts; for a step
// that a person let an agent do by hand, the report is the attempt. Fired twice it counts once.

import { BosunError, isTokenOf, localPerson, type ProjectConfig, permit, projectNamed } from '../dispatch/index.js';
import { currentNode, type Node, type Report, type State } from '../engine/index.js';
import { planReport } from './desk/report.js';
import type { Answered, Desk, Request } from './request.js';

type Hook = Extract<Request, { do: 'hook' }>;

const nothing: Answered = { messages: [], project: null, exit: 0 };

export async function takeHook(desk: Desk, request: Hook): Promise<Answered> {
  const project = projectOf(desk, request);
  if (request.token !== null) return noteAttempt(desk, project, request.token);
  const allowed = permit(desk.config(), project.name, localPerson(desk.config(), request.as), 'continue');
  if (allowed.kind === 'refused') throw new BosunError('not_allowed', allowed.reason);
  const ready = readyStep(desk, project);
  // An agent under Bosun fires its hooks as well; its own end says the same, with evidence.
  if (ready.node.live !== null) return { ...nothing, project: project.name };
  const given: Report | null =
    request.status === null ? null : { status: request.status, reason: request.reason, summary: request.summary };
  const { envelope, fingerprint } = await desk.room.readHandReport(ready.state, ready.node.id, given);
  const { run, chain } = ready.state;
  const reported = { run: run.id, chain: chain.key, by: request.as ?? 'owner', envelope };
  const inbound = {
    source: 'hook',
    externalId: fingerprint,
    thread: request.thread,
    by: request.as,
    body: { type: 'command' as const, name: 'hook', args: reported },
    at: Date.now(),
  };
  const row = desk.room.store.receive(inbound);
  if (!row) return { ...nothing, project: project.name };
  const submitted = await desk.room.submit((now) => ({
    ...planReport(reported, request.thread, now.at),
    inboxDone: row.id,
  }));
  const [ignored] = submitted.ignored;
  // It began meanwhile: from now on its own end is what counts.
  if (ignored && readyStep(desk, project).node.live !== null) return { ...nothing, project: project.name };
  if (ignored)
    throw new BosunError('not_now', `The report does not fit: ${ignored}`, {
      hint: `See "bosun status ${project.name}".`,
    });
  return {
    messages: submitted.messages.filter((one) => one.thread === request.thread),
    project: project.name,
    exit: 0,
  };
}

function projectOf(desk: Desk, request: Hook): ProjectConfig {
  const project = projectNamed(desk.config(), request.project);
  if (project) return project;
  const known =
    desk
      .config()
      .projects.map((one) => one.name)
      .join(', ') || 'none yet';
  throw new BosunError('not_found', `No project "${request.project}"`, { hint: `There are: ${known}.` });
}

function noteAttempt(desk: Desk, project: ProjectConfig, token: string): Answered {
  const { room, home } = desk;
  const live = room.store.openAttempts().find((row) => isTokenOf(home.secret, row.attempt.id, token));
  const run = live && room.store.run(live.run);
  if (run?.project === project.name) return { ...nothing, project: project.name };
  throw new BosunError('not_allowed', `That token belongs to no attempt that runs in ${project.name}`, {
    hint: 'A token is good for one attempt, until it ends.',
  });
}

function readyStep(desk: Desk, project: ProjectConfig): { readonly state: State; readonly node: Node } {
  const { store } = desk.room;
  const [run] = store.liveRuns(project.name);
  const spine = run && store.spine(run.id);
  const item = spine?.items.find((one) => one.status === 'running');
  const chain = run && store.chain(run.id, item?.key ?? '');
  const node = chain && currentNode(chain);
  if (spine && chain && node?.kind === 'task') return { state: { ...spine, chain }, node };
  throw new BosunError('not_now', `${project.name} has no step that waits for a report`, {
    hint: `"bosun status ${project.name}" says where it stands.`,
  });
}
