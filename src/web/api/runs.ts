import { z } from 'zod';
import { projectNamed } from '../../config/index.js';
import { diffOfRun, interactionJson, itemMeant, type PipelineStory, runJson, storiesOf } from '../../dispatch/index.js';
import { type Chain, type Item, isRunOver, type Run } from '../../engine/index.js';
import type { HomeReader, Spine } from '../../store/index.js';
import { inSlot } from '../context/web-context.js';
import { limit, projectName, runId } from '../http/query.js';
import { attemptJson, exampleAttempt, linesOf } from './attempt-json.js';
import { missing } from './not-there.js';
import { firstPage, pageAfter, paged, projectWanted } from './page.js';
import { type ApiRequest, ofAll, ofRun, ofRunAtRest, reading } from './route.js';
import { nodePage } from './run-nodes.js';
import { attempt, diff, event, listOf, node, run, runWhole, storyWhole } from './shapes.js';

function storyOf(item: Item) {
  return { id: item.key, key: item.key, title: item.title, status: item.status, depends_on: item.dependsOn };
}

function storiesInDetail(reader: Pick<HomeReader, 'chain' | 'pages'>, spine: Spine, items: readonly Item[]) {
  const read = chainsFor(reader, spine.run.id, items);
  const details = new Map(storiesOf({ ...spine, items }, read).map((story) => [story.story_id, story]));
  return items.map((item) => ({ ...storyOf(item), ...detailsOf(details.get(item.key)) }));
}

/** The first step's output and the last change. A finished story's end time gives the latter: one node suffices. */
function chainsFor({ chain, pages }: Pick<HomeReader, 'chain' | 'pages'>, run: string, items: readonly Item[]) {
  const read = new Map<string, Chain | null>();
  for (const { key, endedAt } of items)
    read.set(key, endedAt === null ? chain(run, key) : pages.chainBegin(run, key, 1));
  const parents = new Map<string, Chain | null>();
  for (const { parent, loop } of items) {
    const known = parents.get(parent);
    // Each loop of a chain needs the nodes before it.
    if (known === undefined) parents.set(parent, pages.chainBefore(run, parent, loop));
    else if (known !== null && !known.nodes.some(({ id }) => id === loop)) parents.set(parent, chain(run, parent));
  }
  return (key: string): Chain | null => read.get(key) ?? parents.get(key) ?? null;
}

/** The status stays in Bosun's terms. */
function detailsOf(story: PipelineStory | undefined) {
  if (!story) return {};
  const { description, acceptance_criteria, output, retry_count, max_retries, created_at, updated_at } = story;
  return { description, acceptance_criteria, output, retry_count, max_retries, created_at, updated_at };
}

const exampleRun = {
  id: 'r12',
  workflow: 'quick',
  status: 'completed',
  pause_reason: null,
  task: 'Say hello',
  cost_usd: 0.12,
  cost_known: true,
  started_at: '2026-03-02T09:30:00.000Z',
  ended_at: '2026-03-02T09:41:10.000Z',
  project: 'shop',
  over: true,
  beside: false,
};
const exampleStory = { id: 'US-001', key: 'US-001', title: 'Order history', status: 'done', depends_on: [] };
const exampleNode = {
  ...{ id: 'n1', label: 'step-001', template: 'implement', title: 'Implement', item: null, kind: 'task' },
  ...{ state: 'passed', generation: 1, attempt: 1, max_attempts: 3, outcome: 'pass', reason: null, skip_reason: null },
  ...{
    tests: { pass: 42, fail: 0, skip: 1 },
    summary: 'Says hello.',
    not_before: null,
    activity: null,
    waits_for: null,
    executor: null,
  },
};
const patchMaxBytes = 1024 * 1024;
/** /nodes has the rest. */
const maxNodesWhole = 1_000;

export const runRoutes = [
  reading({
    path: '/api/runs',
    summary: 'Runs, newest first',
    query: z.strictObject({
      project: projectName.optional(),
      limit,
      before: runId.optional().describe('The id of a run.'),
    }),
    answer: listOf(run),
    example: { items: [exampleRun], next: 'r12' },
    fails: [404],
    revision: ofAll,
    read({ web, query: { project: named, before, limit: most } }) {
      const found = projectWanted(web, named);
      if (found instanceof Response) return found;
      const beforeNumber = before === undefined ? null : Number(before.replace('r', ''));
      const runs = web.services.runtime.reader.runs(found?.name ?? null, most + 1, beforeNumber);
      return firstPage(runs.map(runOf), most);
    },
  }),
  reading({
    path: '/api/runs/:run',
    summary: 'A run with its stories, nodes and open interactions',
    query: z.strictObject({
      nodes: z.coerce
        .number()
        .int()
        .min(0)
        .max(maxNodesWhole)
        .default(maxNodesWhole)
        .describe('The maximum number of nodes; 0 leaves them out.'),
    }),
    answer: runWhole,
    example: {
      ...exampleRun,
      ...{ items: [exampleStory], nodes: [exampleNode], node_count: 1, nodes_next: null, interactions: [] },
    },
    fails: [404],
    revision: ofRunAtRest,
    read({ web, param, query }) {
      const { runtime } = web.services;
      const spine = runtime.reader.spine(param('run'));
      const shown = spine && nodePage(runtime, spine, { limit: query.nodes });
      if (!shown) return missing('run', param('run'));
      const interactions = spine.interactions.map(interactionJson);
      const nodes = { nodes: shown.nodes, node_count: shown.count, nodes_next: shown.next };
      return { ...runOf(spine.run), items: spine.items.map(storyOf), ...nodes, interactions };
    },
  }),
  reading({
    path: '/api/runs/:run/nodes',
    summary: "The run's nodes in chain order, grouped by item",
    query: z.strictObject({
      item: z.string().min(1).max(200).optional().describe('Only nodes of this story, such as US-001.'),
      ...paged('a node'),
    }),
    answer: listOf(node),
    example: { items: [exampleNode], next: null },
    fails: [404],
    revision: ofRunAtRest,
    read({ web, param, query }) {
      const { runtime } = web.services;
      const spine = runtime.reader.spine(param('run'));
      if (spine === null) return missing('run', param('run'));
      const { item } = query;
      if (item !== undefined && !spine.items.some(({ key }) => key === item)) return missing('story', item);
      const shown = nodePage(runtime, spine, query);
      return shown === null ? missing('node', query.after ?? '') : { items: shown.nodes, next: shown.next };
    },
  }),
  reading({
    path: '/api/runs/:run/stories',
    summary: "The run's stories in order, with criteria, output and retries",
    query: z.strictObject(paged('a story')),
    answer: listOf(storyWhole),
    example: { items: [{ ...exampleStory, acceptance_criteria: ['orders are listed'] }], next: null },
    fails: [404],
    revision: ofRun,
    read({ web, param, query }) {
      const { reader } = web.services.runtime;
      const spine = reader.spine(param('run'));
      if (spine === null) return missing('run', param('run'));
      const page = pageAfter(spine.items, ({ key }) => key, query);
      if (page === null) return missing('story', query.after ?? '');
      return { ...page, items: storiesInDetail(reader, spine, page.items) };
    },
  }),
  reading({
    path: '/api/runs/:run/events',
    summary: "The run's events, oldest first",
    query: z.strictObject({
      limit,
      after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0).describe('The id of an event.'),
    }),
    answer: listOf(event),
    example: {
      items: [{ id: '41', type: 'pause', run: 'r12', chain: '', at: 1_772_444_000_000, by: 'ada' }],
      next: null,
    },
    fails: [404],
    revision: ofRun,
    read({ web, param, query }) {
      const { reader } = web.services.runtime;
      if (!reader.run(param('run'))) return missing('run', param('run'));
      const found = reader.events(param('run'), query.after, query.limit + 1);
      return firstPage(
        found.map(({ seq, event: said }) => ({ id: String(seq), ...said })),
        query.limit,
      );
    },
  }),
  reading({
    path: '/api/runs/:run/attempts',
    summary: "The run's attempts, in the order of dispatch",
    query: z.strictObject(paged('an attempt', 300)),
    answer: listOf(attempt),
    example: { items: [exampleAttempt], next: null },
    fails: [404],
    revision: ofRun,
    read({ web, param, query }) {
      const { reader } = web.services.runtime;
      if (!reader.run(param('run'))) return missing('run', param('run'));
      const { after = null } = query;
      if (after !== null && reader.attempt(after)?.run !== param('run')) return missing('attempt', after);
      const found = reader.pages.attemptsAfter(param('run'), after, query.limit + 1);
      return firstPage(found.map(attemptJson), query.limit);
    },
  }),
  reading({
    path: '/api/runs/:run/diff',
    summary:
      'What has changed since it started, or since one of its items did: committed or not; its commits once it is over',
    query: z.strictObject({ item: z.string().max(200).optional().describe('A story, such as US-001.') }),
    answer: diff,
    example: { stat: { files: 1, insertions: 1, deletions: 0 }, files: ['hello.txt'], patch: 'diff --git …' },
    fails: [404, 503],
    read: readDiff,
  }),
];

/** Spawns git and scans the checkout, so it needs a slot. */
async function readDiff({ web, param, query }: ApiRequest<{ readonly item?: string | undefined }>) {
  const { reader } = web.services.runtime;
  const found = reader.run(param('run'));
  if (!found) return missing('run', param('run'));
  const owner = projectNamed(web.services.config(), found.project);
  if (!owner) return missing('project', found.project);
  return inSlot(web, async () => {
    const key = query.item === undefined ? null : itemMeant(reader, found, query.item);
    const changes = await diffOfRun(reader, found, key, owner.root);
    return { stat: linesOf(changes.stat), files: changes.files, patch: await changes.patch(patchMaxBytes) };
  });
}

function runOf(found: Run) {
  return {
    ...runJson(found),
    project: found.project,
    over: isRunOver(found.status),
    beside: found.beside === true,
  };
}
