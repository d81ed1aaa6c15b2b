// What a shell or a web client may ask of Bosun, and how each is done: the same in the process that asks and in the one
// that runs.
import { z } from 'zod';
import { BosunError, type Config, type Home, leastRoleFor, localPerson, type Message, type Plan, permit, type ProjectConfig, projectNamed, type Room } from '../dispatch/index.js';
import { createRun, liveBeside } from './desk/drive.js';
import { type Heard as Hearer, homeOwner } from './desk/heard.js';
import type { FrontDoor } from './front-door.js';
import { takeHook } from './hook.js';
import { readPrd } from './prd.js';
import { view } from './views/view.js';

const text = z.string().max(100_000);
const name = z.string().min(1).max(200);
const base = { thread: name.default('local'), as: name.nullable().default(null), cwd: z.string().max(4_096).default('/') };

export const requestSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('say'), text, replyTo: name.nullable().default(null), ...base }),
  z.strictObject({ do: z.literal('press'), press: name, text: text.nullable().default(null), ...base }),
  z.strictObject({
    do: z.literal('run'),
    project: name,
    task: text.min(1),
    workflow: z.string().max(4_096).nullable().default(null),
    set: z.record(z.string().max(200), text).default({}),
    ...base,
  }),
  z.strictObject({
    do: z.literal('import'),
    project: name,
    stories: z.unknown(),
    file: z.string().max(4_096),
    workflow: z.string().max(4_096).nullable().default(null),
    ...base,
  }),
  z.strictObject({
    do: z.literal('hook'),
    project: name,
    token: name.nullable().default(null),
    status: name.nullable().default(null),
    reason: name.nullable().default(null),
    summary: text.nullable().default(null),
    ...base,
  }),
]);

export type Request = z.infer<typeof requestSchema>;

export interface Answered {
  readonly messages: readonly Message[];
  /** The project that it moved, to wait for. */
  readonly project: string | null;
  readonly exit: 0 | 2 | 3;
}

export interface Desk {
  readonly home: Home;
  readonly room: Room;
  readonly door: FrontDoor;
  readonly config: () => Config;
}

export async function perform(desk: Desk, request: Request): Promise<Answered> {
  const { thread, as, cwd } = request;
  localPerson(desk.config(), as);
  switch (request.do) {
    case 'say':
      return desk.door.hear({ thread, by: as, cwd, body: { type: 'text', text: request.text, replyTo: request.replyTo } });
    case 'press':
      return desk.door.hear({ thread, by: as, cwd, body: { type: 'press', press: request.press, text: request.text } });
    case 'run':
      return startRun(desk, request);
    case 'import':
      return importStories(desk, request);
    case 'hook':
      return takeHook(desk, request);
  }
}

function startRun(desk: Desk, request: Extract<Request, { do: 'run' }>): Promise<Answered> {
  return plan(desk, request, (heard, project) => {
    const created = createRun(heard, {
      project,
      workflow: request.workflow ?? project.workflow,
      task: request.task,
      context: request.set,
      items: [],
      propose: false,
    });
    if ('refused' in created) throw new BosunError('bad_workflow', created.refused);
    const behind = liveBeside(heard, project.name, created.run);
    const start = { type: 'start' as const, run: created.run, chain: '', at: heard.now.at, by: heard.by, behind };
    return { ...created.plan, events: [...created.plan.events, start] };
  });
}

function importStories(desk: Desk, request: Extract<Request, { do: 'import' }>): Promise<Answered> {
  const items = readPrd(request.stories);
  return plan(desk, request, (heard, project) => {
    const [first] = items;
    const task = items.length === 1 && first ? `${first.key} ${first.title}` : `${items.length} stories of ${request.file}`;
    const created = createRun(heard, {
      project,
      workflow: request.workflow ?? project.workflow,
      task,
      context: {},
      items,
      propose: false,
    });
    if ('refused' in created) throw new BosunError('bad_workflow', created.refused);
    const said = `${project.name}: ${items.length} stories imported as ${created.run}. Say "continue ${project.name}" to start.`;
    const shown = view({
      kind: 'answer',
      text: `${said}\n${items.map((item) => `${item.key} ${item.title}`).join('\n')}`,
      offers: [{ label: 'Continue', says: `continue ${project.name}` }],
    });
    const message = { thread: heard.thread.id, run: created.run, interaction: null, card: null, view: shown, at: heard.now.at };
    return { ...created.plan, messages: [...(created.plan.messages ?? []), message] };
  });
}

async function plan(
  desk: Desk,
  request: Extract<Request, { do: 'run' | 'import' }>,
  make: (heard: Hearer, project: ProjectConfig) => Plan,
): Promise<Answered> {
  const config = desk.config();
  const project = projectNamed(config, request.project);
  if (!project) {
    const known = config.projects.map((one) => one.name).join(', ') || 'none yet';
    throw new BosunError('not_found', `No project "${request.project}"`, { hint: `There are: ${known}.` });
  }
  const allowed = permit(config, project.name, localPerson(config, request.as), 'start');
  if (allowed.kind === 'refused') throw new BosunError('not_allowed', allowed.reason, { hint: `It takes the role ${leastRoleFor('start')}.` });
  const submitted = await desk.room.submit((now) => {
    const stored = now.store.thread(request.thread);
    const thread = stored ?? { id: request.thread, channel: 'local', address: {}, project: null, quiet: false };
    const heard: Hearer = {
      now,
      config,
      thread,
      by: request.as ?? homeOwner,
      isHomeOwner: request.as === null,
      repliesTo: null,
      cwd: request.cwd,
    };
    const made = make(heard, project);
    return stored ? made : { ...made, threads: [thread] };
  });
  const messages = submitted.messages.filter((message) => message.thread === request.thread);
  return { messages, project: project.name, exit: submitted.exit };
}
