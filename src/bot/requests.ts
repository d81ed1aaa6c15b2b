// What a shell or a web client may ask of Bosun, and how each is done: the same in the process that asks and in the one
// that runs.
import {
  BosunError,
  leastRoleFor,
  localPerson,
  type Plan,
  type ProjectConfig,
  permit,
  projectNamed,
} from '../dispatch/index.js';
import type { NewItem } from '../engine/index.js';
import { nothingAside } from './desk/aside.js';
import { type Heard as Hearer, homeOwner, liveBeside } from './desk/heard.js';
import { createRun } from './desk/new-run.js';
import { threadAt } from './desk/thread-at.js';
import { localSource, type Surface } from './home-owner.js';
import { takeHook } from './hook.js';
import { readPrd, unusedKeys } from './prd.js';
import type { Answered, Desk, Request } from './request.js';
import { takeStep } from './step.js';
import { view } from './views/view.js';

export async function perform(desk: Desk, request: Request, surface: Surface = localSource): Promise<Answered> {
  const { thread, as, cwd } = request;
  localPerson(desk.config(), as);
  switch (request.do) {
    case 'say':
      return desk.door.hear({
        thread,
        by: as,
        cwd,
        source: surface,
        body: { type: 'text', text: request.text, replyTo: request.replyTo },
      });
    case 'press':
      return desk.door.hear({
        thread,
        by: as,
        cwd,
        source: surface,
        body: { type: 'press', press: request.press, text: request.text },
      });
    case 'run':
      return startRun(desk, request, surface);
    case 'import':
      return importStories(desk, request, surface);
    case 'hook':
      return takeHook(desk, request);
    case 'step':
      return takeStep(desk, request);
  }
}

function startRun(desk: Desk, request: Extract<Request, { do: 'run' }>, surface: Surface): Promise<Answered> {
  return plan(desk, request, surface, (heard, project) => {
    const created = createRun(heard, {
      project,
      workflow: request.workflow ?? project.workflow,
      task: request.task,
      context: request.set,
      items: [],
      propose: false,
      oneShot: request.oneShot,
      isUnattended: true,
    });
    if ('refused' in created) throw new BosunError(created.code, created.refused);
    const behind = liveBeside(heard, project.name, created.run);
    const start = { type: 'start' as const, run: created.run, chain: '', at: heard.now.at, by: heard.by, behind };
    return { ...created.plan, events: [...created.plan.events, start] };
  });
}

function importStories(desk: Desk, request: Extract<Request, { do: 'import' }>, surface: Surface): Promise<Answered> {
  const items = readPrd(request.stories);
  return plan(desk, request, surface, (heard, project) => {
    const [first] = items;
    const task =
      items.length === 1 && first ? `${first.key} ${first.title}` : `${items.length} stories of ${request.file}`;
    const created = createRun(heard, {
      project,
      workflow: request.workflow ?? project.workflow,
      task,
      context: {},
      items,
      prdFile: request.file,
      propose: false,
    });
    if ('refused' in created) throw new BosunError(created.code, created.refused);
    const said = `${project.name}: ${items.length} stories imported as ${created.run}. Say "continue ${project.name}" to start.`;
    const shown = view({
      kind: 'answer',
      text: [said, ...items.map(itemLine), ...unusedKeys(request.stories)].join('\n'),
      offers: [{ label: 'Continue', says: `continue ${project.name}` }],
    });
    const message = {
      thread: heard.thread.id,
      run: created.run,
      interaction: null,
      card: null,
      view: shown,
      at: heard.now.at,
    };
    return { ...created.plan, messages: [...(created.plan.messages ?? []), message] };
  });
}

function itemLine({ key, title, dependsOn }: NewItem): string {
  return `${key} ${title}${dependsOn.length > 0 ? ` (after ${dependsOn.join(', ')})` : ''}`;
}

async function plan(
  desk: Desk,
  request: Extract<Request, { do: 'run' | 'import' }>,
  surface: Surface,
  make: (heard: Hearer, project: ProjectConfig) => Plan,
): Promise<Answered> {
  const config = desk.config();
  const project = projectNamed(config, request.project);
  if (!project) {
    const known = config.projects.map((one) => one.name).join(', ') || 'none yet';
    throw new BosunError('not_found', `No project "${request.project}"`, { hint: `There are: ${known}.` });
  }
  const allowed = permit(config, project.name, localPerson(config, request.as), 'start');
  if (allowed.kind === 'refused')
    throw new BosunError('not_allowed', allowed.reason, { hint: `It takes the role ${leastRoleFor('start')}.` });
  const submitted = await desk.room.submit((now) => {
    const stored = now.store.thread(request.thread);
    const thread = stored ?? threadAt(request.thread);
    const heard: Hearer = {
      now,
      config,
      thread,
      by: request.as ?? homeOwner,
      isHomeOwner: request.as === null,
      mayNameFiles: request.as === null && surface === localSource,
      repliesTo: null,
      cwd: request.cwd,
      aside: nothingAside,
    };
    const made = make(heard, project);
    return stored ? made : { ...made, threads: [thread] };
  });
  const messages = submitted.messages.filter((message) => message.thread === request.thread);
  return { messages, project: project.name, exit: submitted.exit };
}
