// One state per run or project, as this viewer sees it.
import { awaitedPeople, isHandedToOther, personName } from '../../../bot/index.js';
import {
  homeOwner,
  nameInConfig,
  type ProjectConfig,
  permit,
  projectNamed,
  requiredAction,
} from '../../../config/index.js';
import { type AskedPerson, type Health, healthOf } from '../../../dispatch/index.js';
import { type Interaction, isSnoozedBy, type Run } from '../../../engine/index.js';
import { holderOf } from '../../context/outlook.js';
import type { WebContext } from '../../context/web-context.js';
import { type Said, workSaid } from './status.js';
import { clockOf, lineOf } from './text.js';

export function mayAnswer(
  { services, who }: WebContext,
  project: string,
  { kind }: Pick<Interaction, 'kind'>,
): boolean {
  return who.kind === 'home-owner' || permit(services.config(), project, who, requiredAction[kind]).kind === 'allowed';
}

export type Attention = 'theirs' | 'snoozed' | 'elsewhere';

export function attentionOf(web: WebContext, run: Run | null, interaction: Interaction): Attention {
  if (run === null || !mayAnswer(web, run.project, interaction)) return 'elsewhere';
  const by = viewerOf(web);
  if (isHandedToOther(interaction, run, { by, members: membersOf(web, run) })) return 'elsewhere';
  return isSnoozedBy(interaction, by) ? 'snoozed' : 'theirs';
}

/** The viewer's name in events. */
export function viewerOf({ who }: WebContext): string {
  return who.kind === 'home-owner' ? homeOwner : who.name;
}

export function membersOf({ services }: WebContext, { project }: Pick<Run, 'project'>) {
  const members = projectNamed(services.config(), project)?.members ?? {};
  return Object.entries(members).map(([name, role]) => ({ name, role }));
}

/** People nearest to a question; '': only the owner can answer. */
export function awaitedNames(
  web: WebContext,
  run: Pick<Run, 'project' | 'createdBy'>,
  asked: Interaction,
): readonly string[] {
  return awaitedPeople(asked, run, { members: membersOf(web, run) }).map((name) =>
    lineOf(personName(nameInConfig(name)), 40),
  );
}

export function askedOf(web: WebContext, run: Run, asked: Interaction): AskedPerson {
  const [first = 'the owner', ...rest] = awaitedNames(web, run, asked);
  const who = rest.length === 0 ? first : `${first} +${rest.length}`;
  return { kind: asked.kind, isMine: attentionOf(web, run, asked) !== 'elsewhere', who };
}

export function stateOfRun(web: WebContext, run: Run, health?: Health): Said {
  if (run.status === 'completed' || run.status === 'cancelled') return workSaid({ run });
  const { reader } = web.services.runtime;
  const open = reader.browsing.oldestOpen(run.id);
  const asked = open && askedOf(web, run, open);
  const said = workSaid({ run, asked, ...(health === undefined ? {} : { health }) });
  if (said.mark !== 'queue') return said;
  if (run.status === 'draft') return queuedBehind(web, run, said);
  const [first] = run.live;
  const notBefore = first === undefined ? 0 : (reader.attempt(first.attempt)?.attempt.notBefore ?? 0);
  if (notBefore <= web.now()) return { ...said, note: 'no free worker' };
  return { ...said, mark: 'clock', note: `next try at ${clockOf(notBefore, web.zone)}` };
}

/** A queued task is behind present work and earlier tasks. */
function queuedBehind(web: WebContext, run: Run, said: Said): Said {
  const { reader } = web.services.runtime;
  const ahead = reader.drafts(run.project);
  const before = ahead[ahead.findIndex(({ id }) => id === run.id) - 1] ?? holderOf(web, run.project);
  return before === null ? said : { ...said, word: `queued behind ${lineOf(before.task, 40) || before.id}` };
}

export function stateOfProject(web: WebContext, { name, stallAfterMs }: ProjectConfig) {
  const { runtime } = web.services;
  const { browsing } = runtime.reader;
  const run =
    holderOf(web, name) ??
    browsing.liveRuns(name, 1)[0] ??
    browsing.runs({ project: name, status: null, before: null, limit: 1 })[0] ??
    null;
  const spine = run && runtime.reader.spine(run.id);
  const lastSign = (attempt: string) => runtime.lastSign(attempt);
  const health = healthOf(spine, { at: web.now(), lastSign, stallAfterMs });
  const isOver = run === null || run.status === 'completed' || run.status === 'cancelled';
  return { run, spine, state: isOver ? workSaid({ run: null }) : stateOfRun(web, run, health) };
}
