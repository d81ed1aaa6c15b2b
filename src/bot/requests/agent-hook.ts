// A manual step's report is its attempt. For Bosun's own attempts only the process's end counts; else people are told.
// Idempotent.

import { createHash, randomUUID } from 'node:crypto';
import { BosunError } from '../../base/index.js';
import { localPerson, type ProjectConfig, permit, projectNamed } from '../../config/index.js';
import { boundThreads, followersOf, withEffects } from '../../dispatch/index.js';
import { currentNode, type Node, type Report, runsAgent, type State } from '../../engine/index.js';
import { isTokenOf } from '../../jobs/index.js';
import { newThread } from '../commands/message-context.js';
import { type News, planReport, type Reported } from '../commands/plan-report.js';
import type { BotServices } from '../services.js';
import { stepName } from '../views/view.js';
import { newsOf } from './hook-notices.js';
import type { Request, RequestResult } from './request.js';

type Hook = Extract<Request, { do: 'hook' }>;

const nothing: RequestResult = { messages: [], project: null, exit: 0 };
export const hookSource = 'hook';

export async function takeHook(services: BotServices, request: Hook): Promise<RequestResult> {
  const project = projectOf(services, request);
  requireAgent(services, request);
  if (request.token !== null) return noteAttempt(services, project, request.token);
  const allowed = permit(services.config(), project.name, localPerson(services.config(), request.as), 'continue');
  if (allowed.kind === 'refused') throw new BosunError('not_allowed', allowed.reason);
  const posted: HookPost = { services, project, request, ids: idsOf(project, request) };
  const isKnown = posted.ids.some((id) => services.runtime.inbox.isKnown(hookSource, id));
  if (isKnown) return { ...nothing, project: project.name };
  return isFromOutside(request) ? reportOrTell(posted) : report(posted, readyStep(services, project, request));
}

function requireAgent({ home }: BotServices, { session }: Hook): void {
  const kinds = home.agents.map(({ kind }) => kind);
  if (session === undefined || kinds.includes(session.agent)) return;
  throw new BosunError('bad_input', `There is no agent "${session.agent}"`, {
    hint: `There are: ${kinds.join(', ')}.`,
  });
}

interface HookPost {
  readonly services: BotServices;
  readonly project: ProjectConfig;
  readonly request: Hook;
  /** A redelivery may have any of these. */
  readonly ids: readonly string[];
}

interface Ready {
  readonly state: State;
  readonly node: Node;
}

/** Sent unasked, whether or not a step waits. */
function isFromOutside({ session, delivery }: Hook): boolean {
  return session !== undefined || delivery !== undefined;
}

function idsOf(project: ProjectConfig, { session, delivery, opened }: Hook): readonly string[] {
  if (opened !== undefined) return [`opened ${opened.run} ${opened.key}`];
  if (delivery !== undefined) return delivery.ids;
  if (session === undefined) return [];
  const said = createHash('sha256').update(session.text).digest('hex').slice(0, 32);
  return [`session ${project.name} ${session.agent} ${session.id} ${session.turn ?? ''} ${said}`];
}

async function reportOrTell(posted: HookPost): Promise<RequestResult> {
  const { services, project, request } = posted;
  const ready =
    request.opened === undefined ? waitingStep(services, project, request) : openedStep(services, request.opened);
  if (ready !== null) {
    try {
      return await report(posted, ready);
    } catch (error) {
      if (!(error instanceof BosunError) || error.code !== 'not_now') throw error;
    }
  }
  return tell(posted);
}

async function report(posted: HookPost, { state, node }: Ready): Promise<RequestResult> {
  const { services, project, request, ids } = posted;
  // Bosun's own agents fire hooks too; the process's end says the same, with evidence.
  if (node.live !== null) return { ...nothing, project: project.name };
  const { envelope, fingerprint } = await services.runtime.readHandReport(state, node.id, givenBy(request));
  const { run, chain } = state;
  const about = { node: node.id, dispatches: node.dispatches };
  const opened = request.opened?.key;
  const ends = opened === undefined ? {} : { opened };
  const reported = { run: run.id, chain: chain.key, by: request.as ?? 'owner', envelope, about, ...ends };
  // The session's end counts even after the same report.
  const keys = opened === undefined ? [fingerprint, ...ids] : ids;
  const submitted = await submit(services, request, reported, keys);
  if (submitted === null) return { ...nothing, project: project.name };
  const [ignored] = submitted.ignored;
  // Stored under its ids: without them the news is no duplicate.
  if (ignored && isFromOutside(request)) return tell({ ...posted, ids: [] });
  // Race: Bosun started the step, so its process counts.
  if (ignored && readyStep(services, project, { run: run.id }).node.live !== null)
    return { ...nothing, project: project.name };
  if (ignored)
    throw new BosunError('not_now', `The report does not fit: ${ignored}`, {
      hint: `See "bosun status ${project.name}".`,
    });
  return answered(project, request, submitted.messages);
}

function givenBy({ status, reason, summary, session }: Hook): Report | { readonly said: string } | null {
  if (session !== undefined) return { said: session.text };
  return status === null ? null : { status, reason, summary };
}

/** The newest run's followers and the project's chats, else the request's thread. */
async function tell({ services, project, request, ids }: HookPost): Promise<RequestResult> {
  const news = newsOf(project, withoutSecrets(services, request), services.home.agents);
  if (news === null) {
    // The end of the running step will report itself.
    if (stepsOf(services, project, request).some(({ node: { live } }) => live !== null))
      return { ...nothing, project: project.name };
    throw noStep(project);
  }
  const { reader } = services.runtime;
  const [newest] = reader.runs(project.name, 1, null);
  const config = services.config();
  const all =
    newest === undefined
      ? boundThreads(config, project.name)
      : followersOf(config, newest, reader.followers(newest.id));
  const threads = all.length > 0 ? all : [request.thread];
  const { text, card, rings } = news;
  const closes = request.opened && openedStep(services, request.opened);
  const { run, chain } = closes?.state ?? {};
  const ends =
    run && chain && request.opened ? { closes: { run: run.id, chain: chain.key, key: request.opened.key } } : {};
  const isSilent = request.opened !== undefined && request.session?.text.trim() === '';
  const told = { news: text, threads: isSilent ? [] : threads, card, rings, ...ends };
  const submitted = await submit(services, request, told, ids);
  return submitted === null ? { ...nothing, project: project.name } : answered(project, request, submitted.messages);
}

/** Before truncation, because half a secret would not match. */
function withoutSecrets({ runtime }: BotServices, request: Hook): Hook {
  const bare = (text: string | null) => text && runtime.redact(text);
  const { session, status, reason, summary } = request;
  const said = session && { ...session, text: runtime.redact(session.text) };
  return { ...request, session: said, status: bare(status), reason: bare(reason), summary: bare(summary) };
}

async function submit(services: BotServices, request: Hook, args: Reported | News, ids: readonly string[]) {
  const [externalId = randomUUID(), ...aliases] = ids;
  const row = services.runtime.inbox.receive({
    source: hookSource,
    externalId,
    aliases,
    thread: request.thread,
    by: request.as,
    body: { type: 'command', name: 'hook', args },
    at: Date.now(),
  });
  if (row === null) return null;
  return services.runtime.submit((now) =>
    withEffects(planReport(args, request.thread, now.at), ...newThread(now.reader, request.thread), {
      type: 'inbox_done',
      row: row.id,
    }),
  );
}
function answered(project: ProjectConfig, { thread }: Hook, messages: RequestResult['messages']): RequestResult {
  return { messages: messages.filter((one) => one.thread === thread), project: project.name, exit: 0 };
}

function projectOf(services: BotServices, request: Hook): ProjectConfig {
  const project = projectNamed(services.config(), request.project);
  if (project) return project;
  const known =
    services
      .config()
      .projects.map((one) => one.name)
      .join(', ') || 'none yet';
  throw new BosunError('not_found', `No project "${request.project}"`, { hint: `There are: ${known}.` });
}

function noteAttempt(services: BotServices, project: ProjectConfig, token: string): RequestResult {
  const { runtime, home } = services;
  const live = runtime.reader.openAttempts().find((row) => isTokenOf(home.secret, row.attempt.id, token));
  const run = live && runtime.reader.run(live.run);
  if (run?.project === project.name) return { ...nothing, project: project.name };
  throw new BosunError('not_allowed', `That token belongs to no attempt that runs in ${project.name}`, {
    hint: 'A token is good for one attempt, until it ends.',
  });
}

/**
 * Below level auto, without a running attempt. Null also if several wait: a session does not say which it worked on. A
 * delivery can name the run, so that is an error.
 */
function waitingStep(services: BotServices, project: ProjectConfig, request: Hook): Ready | null {
  const [only = null, ...others] = stepsOf(services, project, request).filter(isWaiting);
  if (only === null || others.length === 0) return only;
  if (request.delivery === undefined || request.status === null) return null;
  throw severalWait(project, [only, ...others], `Name the run in the body, as in "run": "${only.state.run.id}".`);
}

function isWaiting({ node, state }: Ready): boolean {
  return node.live === null && (node.state === 'ready' || node.state === 'waiting') && state.run.level !== 'auto';
}

/** In any state; null: no longer open. */
function openedStep({ runtime: { reader } }: BotServices, { run: id, key }: NonNullable<Hook['opened']>): Ready | null {
  const spine = reader.spine(id);
  const opened = spine?.run.opened;
  const chain = opened && reader.chain(id, opened.chain);
  const node = chain?.nodes.find((one) => one.id === opened?.node);
  return spine && chain && node && opened?.key === key ? { state: { ...spine, chain }, node } : null;
}

type Named = Pick<Hook, 'run'>;

/** Of runs beside each other the one whose step a person does by hand. */
function readyStep(services: BotServices, project: ProjectConfig, named: Named): Ready {
  const all = stepsOf(services, project, named);
  const idle = all.filter(({ node }) => node.live === null);
  const waiting = idle.filter(isWaiting);
  const meant = waiting.length > 0 ? waiting : idle.length > 0 ? idle : all.slice(0, 1);
  const [ready] = meant;
  if (ready === undefined) throw noStep(project);
  if (meant.length === 1) return ready;
  throw severalWait(project, meant, `Name the run, as in "bosun hook ${project.name} --run ${ready.state.run.id}".`);
}

function severalWait({ name }: ProjectConfig, meant: readonly Ready[], hint: string): BosunError {
  const names = meant.map(({ state: { run }, node }) => `${run.id} (${stepName(node)})`);
  return new BosunError('not_now', `Steps of several runs in ${name} wait for a report: ${names.join(', ')}`, { hint });
}

/** The present step of each run, the first run first. */
function stepsOf({ runtime }: BotServices, { name }: ProjectConfig, { run: named }: Named): readonly Ready[] {
  const { reader } = runtime;
  const runs = reader.liveRuns(name).filter(({ id }) => named === undefined || id === named);
  return runs.flatMap(({ id }): readonly Ready[] => {
    const spine = reader.spine(id);
    const item = spine?.items.find((one) => one.status === 'running');
    const chain = reader.chain(id, item?.key ?? '');
    const node = chain && currentNode(chain);
    return spine && chain && node && runsAgent(node) ? [{ state: { ...spine, chain }, node }] : [];
  });
}

function noStep(project: ProjectConfig): BosunError {
  return new BosunError('not_now', `${project.name} has no step that waits for a report`, {
    hint: `"bosun status ${project.name}" says where it stands.`,
  });
}
