// "set up todo-app: Go backend" starts once an owner agrees.
import { type Config, memberRole, projectNamed } from '../../../config/index.js';
import { type Plan, placeOfNewProject, shownRun } from '../../../dispatch/index.js';
import type { Instruction } from '../../grammar/index.js';
import { oneLine, view } from '../../views/view.js';
import { type MessageContext, say, sayError } from '../message-context.js';
import { startRun } from '../new-run.js';
import { refusal } from '../which-project.js';

const workflow = 'bootstrap';
const action = 'new-project';

export interface WantedProject {
  readonly name: string;
  readonly owner: string | null;
}

export function proposeNewProject(
  ctx: MessageContext,
  { name, brief }: Extract<Instruction, { kind: 'new_project' }>,
): Plan {
  if (!mayMakeProjects(ctx.config, ownerOf(ctx))) return sayError(ctx, `I did nothing. ${takesAnOwner}`);
  if (!/^[a-z][a-z0-9_-]{0,40}$/.test(name)) {
    return sayError(ctx, `I did nothing. "${oneLine(name, 60)}" can't be a project's name: ${goodName}`);
  }
  const place = placeOfNewProject(ctx.config, name);
  if ('why' in place) return sayError(ctx, `I did nothing. ${place.why}`);
  const text = [
    `I did nothing yet. Create the project ${name} in ${place.root}, as a git repository with an entry in config.yaml?`,
    brief === ''
      ? `You can say what to build, too: "new project ${name}: Go backend, React frontend".`
      : `Task: ${brief}`,
    `Then ${workflow} writes its context, SDD skeleton, constitution, folders and memory, and you review them.`,
  ];
  const offers = [{ label: `Make ${name}`, says: `@${action} ${name} ${brief}` }];
  return say(ctx, view('answer', text.join('\n'), offers));
}

const goodName = 'a name is a lowercase letter, then up to 40 lowercase letters, digits, - or _, for example todo-app.';
const takesAnOwner = 'Only the owner of this Bosun or of one of its projects can create a project.';

/** Null: no project, or not allowed. */
export function projectOfOffer(says: string, config: Config, by: string | null): WantedProject | null {
  const [, name] = new RegExp(`^@${action} ([a-z][a-z0-9_-]*)(?: |$)`).exec(says) ?? [];
  return name === undefined || !mayMakeProjects(config, by) ? null : { name, owner: by };
}

/** Folder and config entry exist by now. */
export function startNewProject(ctx: MessageContext, [name = '', ...brief]: readonly string[]): Plan {
  const { aside } = ctx;
  if (!mayMakeProjects(ctx.config, ownerOf(ctx))) return sayError(ctx, `Nothing was created. ${takesAnOwner}`);
  if (aside.kind === 'not_made') return sayError(ctx, `Nothing was created. ${aside.why}`);
  const project = projectNamed(ctx.config, name);
  if (aside.kind !== 'made' || project === null || project.name !== aside.project) {
    return sayError(ctx, `Nothing was started: ${name} is not in config.yaml.`);
  }
  const refused = refusal(ctx, project, 'configure');
  if (refused !== null) return refused;
  const { reader } = ctx.now;
  if (shownRun(reader, name) !== null || ctx.now.drafts(name).length > 0) {
    return sayError(ctx, `${name} is already set up.`);
  }
  const plan = startRun(ctx, project, { workflow, task: `Set up ${name}: ${brief.join(' ')}` });
  const text = `Created ${name} in ${project.root} and added it to config.yaml.`;
  return { ...plan, messages: [...say(ctx, view('ack', text)).messages, ...plan.messages] };
}

function ownerOf({ isHomeOwner, by }: MessageContext): string | null {
  return isHomeOwner ? null : by;
}

function mayMakeProjects({ projects }: Config, by: string | null): boolean {
  return by === null || projects.some((project) => memberRole(project, by) === 'owner');
}
