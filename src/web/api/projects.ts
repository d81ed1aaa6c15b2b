import { z } from 'zod';
import { type ProjectConfig, projectNamed } from '../../config/index.js';
import { healthOf, type ProjectStatus, projectStatus, runJson, shownRun } from '../../dispatch/index.js';
import { isRunOver } from '../../engine/index.js';
import { outlookOf, outlookText } from '../context/outlook.js';
import type { WebContext } from '../context/web-context.js';
import { missing } from './not-there.js';
import { pageAfter, paged } from './page.js';
import { ofAllAtRest, reading } from './route.js';
import { listOf, project, projectStatus as projectStatusShape } from './shapes.js';

const outlook = z.strictObject({
  project: z.string(),
  workflow: z.string().describe('The workflow that it follows.'),
  place: z.int().min(1).describe('Its place in the queue.'),
  behind: z.string().nullable().describe("The task that has the project's folder now."),
  usual: z.string().nullable().describe('The time and cost of such work; null without finished runs.'),
  text: z.string().describe('All of it as one line.'),
});

function statusNow({ services, now }: Pick<WebContext, 'services' | 'now'>, project: ProjectConfig): ProjectStatus {
  return projectStatus(services.runtime.reader, project, now(), services.runtime);
}

const exampleRun = {
  id: 'r12',
  workflow: 'micro-waterfall',
  status: 'running',
  pause_reason: null,
  task: 'US-007 order history',
  cost_usd: 0.41,
  cost_known: true,
  started_at: '2026-03-02T09:30:00.000Z',
  ended_at: null,
};
const exampleOutlook = { place: 3, behind: 'Gift cards at checkout', usual: 'Usually 6 to 9 min, about $0.40.' };
const exampleProject = { project: 'shop', aliases: ['A'], level: 'auto', health: 'running', run: exampleRun };

export const projectRoutes = [
  reading({
    path: '/api/projects',
    summary: 'All projects in brief, in the order of config.yaml',
    query: z.strictObject(paged('a project')),
    answer: listOf(project),
    example: { items: [{ id: 'shop', ...exampleProject, open: 1 }], next: null },
    fails: [404],
    revision: ofAllAtRest,
    read({ web, query }) {
      const page = pageAfter(web.services.config().projects, ({ name }) => name, query);
      if (page === null) return missing('project', query.after ?? '');
      return { ...page, items: page.items.map((one) => inShort(web, one)) };
    },
  }),
  reading({
    path: '/api/projects/:project',
    summary: 'A project with its run, by name or alias; the same as "bosun status --json" prints',
    answer: projectStatusShape,
    example: { ...exampleProject, items: [], nodes: [], interactions: [], drafts: [], opened: null },
    fails: [404],
    revision: ofAllAtRest,
    read({ web, param }) {
      const found = projectNamed(web.services.config(), param('project'));
      return found ? statusNow(web, found) : missing('project', param('project'));
    },
  }),
  reading({
    path: '/api/projects/:project/outlook',
    summary: 'The place in the queue of a task that would start now, and what such work usually takes',
    query: z.strictObject({
      workflow: z.string().min(1).max(200).optional().describe("The task's workflow; default: the project's."),
    }),
    answer: outlook,
    example: { project: 'shop', workflow: 'quick', ...exampleOutlook, text: outlookText(exampleOutlook) },
    fails: [404],
    revision: ofAllAtRest,
    read({ web, query, param }) {
      const found = projectNamed(web.services.config(), param('project'));
      return found ? outlookOf(web, found, query.workflow) : missing('project', param('project'));
    },
  }),
];

function inShort(web: WebContext, { name, aliases, level, stallAfterMs }: ProjectConfig) {
  const { reader } = web.services.runtime;
  const shown = shownRun(reader, name);
  const spine = shown && reader.spine(shown.id);
  const lastSign = (attempt: string) => web.services.runtime.lastSign(attempt);
  return {
    id: name,
    project: name,
    aliases: [...aliases],
    level: spine && !isRunOver(spine.run.status) ? spine.run.level : level,
    health: healthOf(spine, { at: web.now(), lastSign, stallAfterMs }),
    run: spine ? runJson(spine.run) : null,
    open: reader.browsing.countOpen(name),
  };
}
