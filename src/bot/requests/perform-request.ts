import { BosunError } from '../../base/index.js';
import {
  homeOwner,
  leastRoleFor,
  localPerson,
  localSource,
  type ProjectConfig,
  permit,
  projectNamed,
  type Surface,
} from '../../config/index.js';
import {
  isWorkflowState,
  keysBesideStories,
  type Plan,
  prdBeside,
  readPrd,
  readWorkflowState,
  unusedKeys,
  withEffects,
  workflowOfFormat,
} from '../../dispatch/index.js';
import type { NewItem, Resume } from '../../engine/index.js';
import { startStory } from '../commands/drive.js';
import {
  liveBeside,
  type MessageContext,
  newThread,
  nothingAside,
  say,
  threadAt,
} from '../commands/message-context.js';
import { createRun, resumeForeign, snapshotOf } from '../commands/new-run.js';
import type { BotServices } from '../services.js';
import { view } from '../views/view.js';
import { takeHook } from './agent-hook.js';
import { openSession } from './open-session.js';
import type { Request, RequestResult } from './request.js';

export async function perform(
  services: BotServices,
  request: Request,
  surface: Surface = localSource,
): Promise<RequestResult> {
  const { thread, as, cwd } = request;
  localPerson(services.config(), as);
  switch (request.do) {
    case 'say':
      return services.door.hear({
        thread,
        by: as,
        cwd,
        source: surface,
        body: { type: 'text', text: request.text, replyTo: request.replyTo },
      });
    case 'press':
      return services.door.hear({
        thread,
        by: as,
        cwd,
        source: surface,
        body: { type: 'press', press: request.press, text: request.text },
      });
    case 'run':
      return startRun(services, request, surface);
    case 'import':
      return importStories(services, request, surface);
    case 'takeover':
      return takeOver(services, request, surface);
    case 'hook':
      return takeHook(services, request);
    case 'open':
      return openSession(services, request, surface);
    case 'step':
      return takeStep(services, request);
  }
}

function startRun(
  services: BotServices,
  request: Extract<Request, { do: 'run' }>,
  surface: Surface,
): Promise<RequestResult> {
  const { story, task, agents } = request;
  if ((story === undefined) === (task === '')) {
    throw new BosunError('usage', story === undefined ? 'the task is empty' : 'a story is named and a task too', {
      hint: 'bosun run PROJECT "what to do", or bosun run PROJECT --story US-003',
    });
  }
  return plan(services, request, surface, (ctx, project) => {
    if (story !== undefined) return startStory(ctx, project, story);
    const created = createRun(ctx, {
      project,
      workflow: request.workflow ?? project.workflow,
      task,
      ...(agents === undefined ? {} : { agents }),
      context: request.set,
      items: [],
      propose: false,
      oneShot: request.oneShot,
      isUnattended: true,
    });
    if ('refused' in created) throw new BosunError(created.code, created.refused);
    const behind = liveBeside(ctx, project.name, created.run);
    const start = { type: 'start' as const, run: created.run, chain: '', at: ctx.now.at, by: ctx.by, behind };
    return { ...created.plan, events: [...created.plan.events, start] };
  });
}

type Importing = Extract<Request, { do: 'import' }>;

interface Imported {
  readonly items: readonly NewItem[];
  readonly workflow: string;
  readonly resume?: Resume;
  readonly prd?: Readonly<Record<string, unknown>> | null;
  readonly lines: readonly string[];
}

function importStories(services: BotServices, request: Importing, surface: Surface): Promise<RequestResult> {
  return plan(services, request, surface, (ctx, project) => {
    const imported = isWorkflowState(request.stories)
      ? importedState(ctx, project, request)
      : importedList(project, request);
    const { items, lines, ...rest } = imported;
    const open = items.filter(({ isDone }) => !isDone);
    const { agents } = request;
    const story = storyOf(open, request.story);
    const [first] = open;
    const task =
      open.length === 1 && first ? `${first.key} ${first.title}` : `${open.length} stories of ${request.file}`;
    const created = createRun(ctx, {
      ...rest,
      project,
      task,
      context: {},
      items,
      prdFile: request.file,
      propose: false,
      foreign: request.resume ? 'resume' : 'ask',
      ...(agents === undefined ? {} : { agents }),
      ...(story === null ? {} : { story }),
    });
    if ('refused' in created) throw new BosunError(created.code, created.refused);
    const count = items.length - open.length;
    const done = count > 0 ? `, ${count} of them done already` : '';
    const begins = [story === null ? '' : ` with ${story}`, agents === undefined ? '' : `, ${agents} at once`].join('');
    const said = `${project.name}: ${items.length} stories imported as ${created.run}${done}. Say "continue ${project.name}" to start${begins}.`;
    const shown = view('answer', [said, ...open.map(itemLine), ...lines].join('\n'), [
      { label: 'Continue', says: `continue ${project.name}` },
    ]);
    const message = {
      thread: ctx.thread.id,
      run: created.run,
      interaction: null,
      card: null,
      view: shown,
      at: ctx.now.at,
    };
    return { ...created.plan, messages: [...created.plan.messages, message] };
  });
}

function importedList(project: ProjectConfig, { stories, workflow }: Importing): Imported {
  const items = readPrd(stories);
  return { items, workflow: workflow ?? project.workflow, prd: keysBesideStories(stories), lines: unusedKeys(stories) };
}

/** `workflow_state.json`, named by a person. */
function importedState(
  ctx: MessageContext,
  project: ProjectConfig,
  { stories, file, workflow: said }: Importing,
): Imported {
  const text = Buffer.from(JSON.stringify(stories));
  const workflow = said ?? project.workflow;
  const snapshot = snapshotOf(ctx, { project, workflow });
  if ('refused' in snapshot) throw new BosunError(snapshot.code, snapshot.refused);
  const beside = {
    workflow: snapshot.workflow,
    ...prdBeside(project.root, { path: file, text }),
    handoff: null,
  };
  const { resume, words, fits } = readWorkflowState({ path: file, text }, beside);
  if (resume === null) throw new BosunError('bad_input', words.join(' '), { hint: 'Name a file with stories to do.' });
  const items = resume.stories.map(({ item }) => item);
  return {
    items,
    workflow: fits || said !== null ? workflow : workflowOfFormat['workflow-state'],
    resume,
    lines: words,
  };
}

/** Does not ask: the person who registered the project agreed. */
function takeOver(
  services: BotServices,
  request: Extract<Request, { do: 'takeover' }>,
  surface: Surface,
): Promise<RequestResult> {
  return plan(services, request, surface, (ctx, project) => {
    const made = resumeForeign(ctx, project, 'resume');
    const text = made
      ? `${project.name}: say "continue ${project.name}" to continue there.`
      : `${project.name}: there is nothing to take over.`;
    const told = say(ctx, view('answer', text));
    return made ? { ...made, messages: [...made.messages, ...told.messages] } : told;
  });
}

function storyOf(items: readonly NewItem[], wanted: string | undefined): string | null {
  if (wanted === undefined) return null;
  const story = items.find(({ key }) => key.toLowerCase() === wanted.toLowerCase());
  if (story?.dependsOn.length === 0) return story.key;
  const why = story ? `it waits for ${story.dependsOn.join(', ')}` : `no story of that name is to be done`;
  throw new BosunError('bad_input', `--story ${wanted}: ${why}`, {
    hint: `There are: ${items.map(({ key }) => key).join(', ')}.`,
  });
}

function itemLine({ key, title, dependsOn }: NewItem): string {
  return `${key} ${title}${dependsOn.length > 0 ? ` (after ${dependsOn.join(', ')})` : ''}`;
}

async function plan(
  services: BotServices,
  request: Extract<Request, { do: 'run' | 'import' | 'takeover' }>,
  surface: Surface,
  make: (ctx: MessageContext, project: ProjectConfig) => Plan,
): Promise<RequestResult> {
  // The cached config may lack a new project.
  const config = projectNamed(services.config(), request.project)
    ? services.config()
    : (services.freshConfig ?? services.config)();
  const project = projectNamed(config, request.project);
  if (!project) {
    const known = config.projects.map((one) => one.name).join(', ') || 'none yet';
    throw new BosunError('not_found', `No project "${request.project}"`, { hint: `There are: ${known}.` });
  }
  const allowed = permit(config, project.name, localPerson(config, request.as), 'start');
  if (allowed.kind === 'refused')
    throw new BosunError('not_allowed', allowed.reason, { hint: `It takes the role ${leastRoleFor('start')}.` });
  const submitted = await services.runtime.submit((now) => {
    const stored = now.reader.thread(request.thread);
    const thread = stored ?? threadAt(now.reader, request.thread);
    const ctx: MessageContext = {
      now,
      config,
      thread,
      by: request.as ?? homeOwner,
      isHomeOwner: request.as === null,
      mayNameFiles: request.as === null && surface === localSource,
      repliesTo: null,
      run: null,
      cwd: request.cwd,
      aside: nothingAside,
      verbs: services.door.verbs,
      parsed: null,
    };
    const made = make(ctx, project);
    return withEffects(made, ...newThread(now.reader, request.thread));
  });
  const messages = submitted.messages.filter((message) => message.thread === request.thread);
  return { messages, project: project.name, exit: submitted.exit };
}

type Step = Extract<Request, { do: 'step' }>;

export async function takeStep(services: BotServices, request: Step): Promise<RequestResult> {
  const { act, token, text } = request;
  const project = act === 'claim' ? await claim(services, request) : null;
  if (act === 'complete') await services.runtime.settleOutside(token ?? '', { report: text });
  if (act === 'fail') await services.runtime.settleOutside(token ?? '', { error: text });
  return { messages: [], project, exit: 0 };
}

async function claim(services: BotServices, { project: named, role, claim: mark, as }: Step): Promise<string> {
  const config = services.config();
  const project = projectNamed(config, named ?? '');
  if (!project || mark === null) throw new BosunError('not_found', `No project "${named ?? ''}" to claim a step of`);
  const allowed = permit(config, project.name, localPerson(config, as), 'continue');
  if (allowed.kind === 'refused') throw new BosunError('not_allowed', allowed.reason);
  await services.runtime.claimOutside({ project: project.name, role, claim: mark });
  return project.name;
}
