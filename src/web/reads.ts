// What may be read, as JSON. Lists are `{items, next}`; `next` is what to give as `before` or `after` for the rest.
import type { Context } from 'hono';
import { z } from 'zod';
import {
  interactionJson,
  nodesOf,
  type PipelineStory,
  type ProjectConfig,
  type ProjectStatus,
  projectNamed,
  projectStatus,
  runJson,
  storiesOf,
} from '../dispatch/index.js';
import { type Item, isRunOver, type Run } from '../engine/index.js';
import { fitting } from './body.js';
import { problem } from './problem.js';
import type { Env, Site } from './site.js';

const limit = z.coerce.number().int().min(1).max(200).default(50);
const runsQuery = z.object({
  project: z.string().max(200).optional(),
  limit,
  before: z
    .string()
    .regex(/^r?\d{1,15}$/, 'must be the id of a run, such as r12')
    .optional(),
});
const eventsQuery = z.object({ limit, after: z.coerce.number().int().min(0).default(0) });
const inboxQuery = z.object({ limit, after: z.string().max(200).optional() });

export function getProjects(_c: Context<Env>, { desk, now }: Site): Response {
  const items = desk.config().projects.map((project) => {
    const { aliases, level, health, run, interactions } = statusNow({ desk, now }, project);
    return { id: project.name, project: project.name, aliases, level, health, run, open: interactions.length };
  });
  return list(items);
}

export function getProject(c: Context<Env>, { desk, now }: Site): Response {
  const named = c.req.param('project') ?? '';
  const project = projectNamed(desk.config(), named);
  return project ? Response.json(statusNow({ desk, now }, project)) : missing('project', named);
}

/** With what attempts at work have just told. */
export function statusNow({ desk, now }: Pick<Site, 'desk' | 'now'>, project: ProjectConfig): ProjectStatus {
  return projectStatus(desk.room.store, project, now(), (attempt) => desk.room.lastSign(attempt));
}

export function getRuns(c: Context<Env>, { desk }: Site): Response {
  const asked = fitting(c.req.query(), runsQuery);
  if (asked instanceof Response) return asked;
  const { project: named, before } = asked.data;
  const project = named === undefined ? null : projectNamed(desk.config(), named);
  if (named !== undefined && !project) return missing('project', named);
  const beforeNumber = before === undefined ? null : Number(before.replace('r', ''));
  const found = desk.room.store.runs(project?.name ?? null, asked.data.limit + 1, beforeNumber);
  const page = found.slice(0, asked.data.limit);
  return list(page.map(runOf), found.length > page.length ? (page.at(-1)?.id ?? null) : null);
}

export function getRun(c: Context<Env>, { desk }: Site): Response {
  const spine = spineOf(c, desk.room.store);
  if (spine instanceof Response) return spine;
  const nodes = nodesOf(desk.room.store, spine);
  const interactions = spine.interactions.map(interactionJson);
  return Response.json({ ...runOf(spine.run), items: spine.items.map(storyOf), nodes, interactions });
}

export function getStories(c: Context<Env>, { desk }: Site): Response {
  const spine = spineOf(c, desk.room.store);
  if (spine instanceof Response) return spine;
  const told = storiesOf(spine, (key) => desk.room.store.chain(spine.run.id, key));
  return list(
    spine.items.map((item) => ({ ...storyOf(item), ...detailsOf(told.find((one) => one.story_id === item.key)) })),
  );
}

/** Its state stays in Bosun's own words. */
function detailsOf(story: PipelineStory | undefined) {
  if (!story) return {};
  const { description, acceptance_criteria, output, retry_count, max_retries, created_at, updated_at } = story;
  return { description, acceptance_criteria, output, retry_count, max_retries, created_at, updated_at };
}

export function getEvents(c: Context<Env>, { desk }: Site): Response {
  const asked = fitting(c.req.query(), eventsQuery);
  if (asked instanceof Response) return asked;
  const id = c.req.param('run') ?? '';
  if (!desk.room.store.run(id)) return missing('run', id);
  const found = desk.room.store.events(id, asked.data.after, asked.data.limit + 1);
  const page = found.slice(0, asked.data.limit);
  const items = page.map(({ seq, event }) => ({ id: String(seq), ...event }));
  return list(items, found.length > page.length ? (items.at(-1)?.id ?? null) : null);
}

export function getInbox(c: Context<Env>, { desk }: Site): Response {
  const asked = fitting(c.req.query(), inboxQuery);
  if (asked instanceof Response) return asked;
  const { store } = desk.room;
  const all = store.openInteractions(null);
  const from =
    asked.data.after === undefined ? 0 : all.findIndex(({ interaction }) => interaction.id === asked.data.after) + 1;
  const page = all.slice(from, from + asked.data.limit);
  const items = page.map(({ run, interaction }) => ({
    project: store.run(run)?.project ?? null,
    run,
    opened_at: new Date(interaction.openedAt).toISOString(),
    ...interactionJson(interaction),
  }));
  return list(items, from + page.length < all.length ? (items.at(-1)?.id ?? null) : null);
}

function spineOf(c: Context<Env>, store: Site['desk']['room']['store']) {
  const id = c.req.param('run') ?? '';
  return store.spine(id) ?? missing('run', id);
}

function runOf(run: Run) {
  return { ...runJson(run), project: run.project, over: isRunOver(run.status) };
}

function storyOf(item: Item) {
  return { id: item.key, key: item.key, title: item.title, status: item.status, depends_on: item.dependsOn };
}

function list(items: readonly { readonly id: string }[], next: string | null = null): Response {
  return Response.json({ items, next });
}

function missing(what: string, which: string): Response {
  return problem(404, 'not_found', `No ${what} "${which.slice(0, 200)}"`, `GET /api/${what}s lists them.`);
}
