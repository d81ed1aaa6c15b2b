import { z } from 'zod';
import { checkWorkflow, listWorkflows } from '../../config/index.js';
import { interactionJson } from '../../dispatch/index.js';
import type { Sum } from '../../store/index.js';
import { limit, projectName } from '../http/query.js';
import { missing } from './not-there.js';
import { firstPage, pageAfter, paged, projectWanted } from './page.js';
import { type ApiRequest, ofAll, reading } from './route.js';
import { cost, dayCost, event, listOf, waiting, workflow } from './shapes.js';

const day = z.iso.date();
const noSum = { usd: 0, tokens_in: 0, tokens_out: 0 };
const daysShown = 30;
const dayMs = 24 * 3_600_000;
const quarterMs = 15 * 60_000;

export const workRoutes = [
  reading({
    path: '/api/inbox',
    summary: 'Open interactions, oldest first',
    query: z.strictObject(paged('an interaction')),
    answer: listOf(waiting),
    example: {
      items: [
        {
          id: 'i12-1',
          kind: 'review',
          item: null,
          node: 'n3',
          text: 'Is this right?',
          options: [{ label: 'Approve', press: 'i12-1.approve' }],
          state: 'open',
          project: 'shop',
          run: 'r12',
          opened_at: '2026-03-02T09:41:10.000Z',
        },
      ],
      next: null,
    },
    fails: [404],
    revision: ofAll,
    read({ web, query: { after = null, limit: most } }) {
      const { reader } = web.services.runtime;
      if (after !== null && reader.interaction(after) === null) return missing('interaction', after);
      const found = reader.pages.openAfter(after, most + 1).map(({ run, project, interaction }) => ({
        project,
        run,
        opened_at: new Date(interaction.openedAt).toISOString(),
        ...interactionJson(interaction),
      }));
      return firstPage(found, most);
    },
  }),
  reading({
    path: '/api/audit',
    summary: 'What people did, newest first',
    query: z.strictObject({
      by: z.string().min(1).max(200).optional().describe('A person.'),
      limit,
      before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional().describe('The id of an event.'),
    }),
    answer: listOf(event),
    example: {
      items: [{ id: '41', type: 'pause', run: 'r12', chain: '', at: 1_772_444_000_000, by: 'ada' }],
      next: null,
    },
    revision: ofAll,
    read({ web, query: { by = null, before = null, limit: most } }) {
      const found = web.services.runtime.reader.browsing.byPeople(by, before, most);
      const items = found.events.map(({ seq, event: said }) => ({ id: String(seq), ...said }));
      return { items, next: found.next === null ? null : String(found.next) };
    },
  }),
  reading({
    path: '/api/cost',
    summary: 'Costs of each project: today, last seven days, all time',
    query: z.strictObject(paged('a project')),
    answer: listOf(cost),
    example: { items: [{ id: 'shop', project: 'shop', today: noSum, week: noSum, ever: noSum }], next: null },
    fails: [404],
    // "Today" changes at each zone's midnight, a multiple of quarter hours.
    revision: (request) => `${ofAll(request)}.${Math.floor(request.web.now() / quarterMs)}`,
    read({ web, query }) {
      const page = pageAfter(web.services.config().projects, ({ name }) => name, query);
      if (page === null) return missing('project', query.after ?? '');
      const items = page.items.map(({ name, budget }) => {
        const { today, week, ever } = web.services.runtime.reader.spending(name, web.now(), budget.zone);
        return { id: name, project: name, today: sumOf(today), week: sumOf(week), ever: sumOf(ever) };
      });
      return { ...page, items };
    },
  }),
  reading({
    path: '/api/cost/days',
    summary: 'Costs by day, oldest first; days without costs are left out',
    query: z.strictObject({
      project: projectName.optional(),
      from: day.optional().describe('The first day; default: thirty days ago.'),
      ...paged('a day', 300),
    }),
    answer: listOf(dayCost),
    example: {
      items: [{ id: '2026-03-02 shop', project: 'shop', day: '2026-03-02', ...noSum, usd: 0.41 }],
      next: null,
    },
    fails: [404],
    read: readDays,
  }),
  reading({
    path: '/api/workflows',
    summary: "The workflows that can be started: a project's own ones, then the shipped ones",
    query: z.strictObject({ project: projectName.optional(), ...paged('a workflow', 300) }),
    answer: listOf(workflow),
    example: { items: [{ id: 'quick', origin: 'shipped', steps: ['implement', 'test', 'review'] }], next: null },
    fails: [404],
    read({ web, query }) {
      const found = projectWanted(web, query.project);
      if (found instanceof Response) return found;
      const shipped = new Set(listWorkflows({ root: null, home: null }).map(({ file }) => file));
      const all = listWorkflows({ root: found?.root ?? null, home: web.services.home.dir });
      const page = pageAfter(all, ({ name }) => name, query);
      if (page === null) return missing('workflow', query.after ?? '');
      const items = page.items.map(({ name, file }) => ({
        id: name,
        origin: shipped.has(file) ? 'shipped' : 'project',
        steps: stepsOf(name, found?.root ?? null, web.services.home.dir),
      }));
      return { ...page, items };
    },
  }),
];

const maxSteps = 6;

function stepsOf(name: string, root: string | null, home: string): readonly string[] {
  const loaded = checkWorkflow(name, { root, cwd: root ?? '/', home, opens: 'listed' });
  return loaded.ok ? loaded.workflow.chain.slice(0, maxSteps).map(({ id }) => id) : [];
}

interface DaysQuery {
  readonly project?: string | undefined;
  readonly from?: string | undefined;
  readonly limit: number;
  readonly after?: string | undefined;
}

function readDays({ web, query: { project: named, from, limit: most, after = '' } }: ApiRequest<DaysQuery>) {
  const found = projectWanted(web, named);
  if (found instanceof Response) return found;
  const first = from ?? new Date(web.now() - daysShown * dayMs).toISOString().slice(0, 10);
  const [, day = '', last = ''] = /^(\S+) (.*)$/s.exec(after) ?? [];
  const rows = web.services.runtime.reader.browsing.spentByDay({
    project: found?.name ?? null,
    from: first,
    after: { day, project: last },
    limit: most + 1,
  });
  const days = rows.map((row) => ({
    id: `${row.day} ${row.project}`,
    project: row.project,
    day: row.day,
    ...sumOf(row),
  }));
  return firstPage(days, most);
}

function sumOf({ usd, tokensIn, tokensOut }: Sum) {
  return { usd, tokens_in: tokensIn, tokens_out: tokensOut };
}
