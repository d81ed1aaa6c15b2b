import type { Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Child } from 'hono/jsx';
import { z } from 'zod';
import { BosunError } from '../../base/index.js';
import { type ProjectConfig, projectNamed } from '../../config/index.js';
import type { Spine } from '../../store/index.js';
import { keepVisit, visitOf } from '../context/visits.js';
import type { Env, WebContext } from '../context/web-context.js';
import { AttemptPage } from './attempt/attempt.js';
import { attemptShown, freshnessOf, sendLog } from './attempt/attempt-shown.js';
import { Audit, sealOf } from './audit.js';
import { Inbox } from './cards/inbox.js';
import { sendPicture } from './cards/pictures.js';
import { Costs } from './costs.js';
import { failureOf, failurePage } from './failure.js';
import { foundElsewhere } from './history/found-elsewhere.js';
import { History } from './history/history-page.js';
import { historyQuery } from './history/history-query.js';
import { Home } from './home-page.js';
import { Insights } from './insights/insights.js';
import { rangeNames } from './insights/periods.js';
import { ProjectPage } from './project.js';
import { RunChangesPage, runChangesOf } from './review/changes-page.js';
import { ReplayPage, replayAt } from './run/replay-page.js';
import { maxAttempts, RunPage } from './run/run.js';
import { bannersOf } from './shared/banners.js';
import { type Freshness, pageResponse, waysOf } from './shared/layout.js';
import { getLive, versionOf } from './shared/live.js';
import type { NavigationPlace } from './shared/navigation.js';
import { lineOf, zoneNamed } from './shared/text.js';
import { Chat } from './talk/chat.js';
import { Queue } from './workers/queue.js';
import { Workers } from './workers/workers.js';
import { WorkflowPage, Workflows, workflowNamed } from './workflow/workflow.js';

const ownersPages: Readonly<Record<string, Make>> = {
  '/workers': (_c, web) => ({ title: 'Workers', place: 'workers', body: <Workers web={web} /> }),
  '/queue': (_c, web) => ({ title: 'Queue', place: 'workers', body: <Queue web={web} /> }),
};

interface Made {
  readonly title: string;
  readonly place: NavigationPlace | null;
  readonly body: Child;
  readonly project?: string;
  readonly freshness?: Freshness;
}

type Make = (c: Context<Env>, web: WebContext) => Made | Promise<Made>;

const place = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable().catch(null);
const word = z.string().max(200);

const messageId = z
  .string()
  .regex(/^m\d{1,15}$/)
  .nullable()
  .catch(null)
  .default(null);

const homeQuery = z.object({ projects: place.default(null) });
const projectQuery = z.object({
  talk: z.enum(['', 'people', 'decisions']).catch('').default(''),
  about: word.catch('').default(''),
  before: messageId,
  back: messageId,
});
const runQuery = z.object({
  steps: place.default(null),
  items: place.default(null),
  attempts: z.coerce.number().int().min(1).max(maxAttempts).catch(12).default(12),
});
const insightsQuery = z.object({
  range: z.enum(rangeNames).catch('month').default('month'),
  project: word.catch('').default(''),
});
const replayQuery = z.object({ at: place.default(null) });
const attemptQuery = z.object({
  show: z.enum(['log', 'prompt', 'diff', 'report', 'compare']).catch('log').default('log'),
  more: z.enum(['', '1']).catch('').default(''),
  find: z.string().max(100).catch('').default(''),
  only: z.enum(['', 'commands', 'edits', 'messages', 'errors']).catch('').default(''),
  lines: z.enum(['', 'hits']).catch('').default(''),
  line: z.coerce.number().int().min(1).max(10_000_000).nullable().catch(null).default(null),
});
const auditQuery = z.object({
  by: word.catch('').default(''),
  before: place.default(null),
  check: z.enum(['', '1']).catch('').default(''),
});
const chatQuery = z.object({ before: messageId, back: messageId });
const changesQuery = z.object({
  item: word.min(1).nullable().catch(null).default(null),
  ws: z.enum(['', 'ignore']).catch('').default(''),
  view: z.enum(['', 'unified']).catch('').default(''),
  show: z.enum(['', 'since', 'all']).catch('').default(''),
  open: z.array(z.string().max(1_000)).catch([]).default([]),
  read: z.array(z.string().max(1_000)).catch([]).default([]),
  gap: z
    .array(
      z
        .string()
        .max(1_010)
        .regex(/^\d{1,8}:/),
    )
    .max(20)
    .catch([])
    .default([]),
});
const inboxQuery = z.object({
  all: z
    .enum(['', '1'])
    .catch('')
    .default('')
    .transform((all) => all === '1'),
  show: z.enum(['you', 'others', 'snoozed', 'answered']).catch('you').default('you'),
});

const pages: Readonly<Record<string, Make>> = {
  '/': (c, web) => ({
    title: 'Bosun',
    place: 'home',
    body: <Home web={web} query={homeQuery.parse(c.req.query())} since={visitOf(c, web).since} />,
  }),
  '/chat': (c, web) => ({
    title: 'Chat',
    place: 'chat',
    body: <Chat web={web} query={chatQuery.parse(c.req.query())} />,
  }),
  '/inbox': (c, web) => ({
    title: 'Inbox',
    place: 'inbox',
    body: <Inbox web={web} query={inboxQuery.parse(c.req.query())} />,
  }),
  '/history': async (c, web) => {
    const { query, problems } = historyQuery.parse(c.req.query());
    const elsewhere = await foundElsewhere(web, query);
    return {
      title: 'History',
      place: 'history',
      body: <History web={web} query={query} problems={problems} elsewhere={elsewhere} />,
      ...(elsewhere === null ? {} : { freshness: 'still' as const }),
    };
  },
  '/insights': (c, web) => ({
    title: 'Insights',
    place: 'insights',
    body: <Insights web={web} query={insightsQuery.parse(c.req.query())} />,
    freshness: 'slow',
  }),
  '/costs': (_c, web) => ({ title: 'Costs', place: 'costs', body: <Costs web={web} /> }),
  '/audit': async (c, web) => {
    const query = auditQuery.parse(c.req.query());
    const seal = query.check === '1' ? await sealOf(web) : null;
    return { title: 'Audit', place: 'audit', body: <Audit web={web} query={query} seal={seal} /> };
  },
  '/workflows': (_c, web) => ({ title: 'Workflows', place: 'workflows', body: <Workflows web={web} /> }),
  '/workflows/:name': (c, web) => {
    const name = param(c, 'name');
    const workflow = workflowNamed(web, name);
    return {
      title: lineOf(name, 60),
      place: 'workflows',
      body: <WorkflowPage web={web} workflow={workflow} run={null} />,
    };
  },
  '/projects/:project': (c, web) => {
    const project = projectOf(web, param(c, 'project'));
    return {
      title: project.name,
      place: null,
      project: project.name,
      body: <ProjectPage web={web} project={project} query={projectQuery.parse(c.req.query())} />,
    };
  },
  '/runs/:run': (c, web) => {
    const spine = spineOf(web, param(c, 'run'));
    return {
      title: titleOf(spine),
      place: null,
      body: <RunPage web={web} spine={spine} query={runQuery.parse(c.req.query())} />,
    };
  },
  '/runs/:run/workflow': (c, web) => {
    const { workflow, run } = spineOf(web, param(c, 'run'));
    return {
      title: `Workflow of ${run.id}`,
      place: null,
      body: <WorkflowPage web={web} workflow={workflow} run={run} />,
    };
  },
  '/runs/:run/changes': async (c, web) => {
    const spine = spineOf(web, param(c, 'run'));
    const changes = await runChangesOf(
      web,
      spine,
      changesQuery.parse({
        ...c.req.query(),
        open: c.req.queries('open'),
        gap: c.req.queries('gap'),
        read: c.req.queries('read'),
      }),
    );
    return {
      title: `Changes of ${spine.run.id}`,
      place: null,
      body: <RunChangesPage web={web} spine={spine} changes={changes} />,
      freshness: 'slow',
    };
  },
  '/runs/:run/history': async (c, web) => {
    const spine = spineOf(web, param(c, 'run'));
    const replay = await replayAt(web, spine, replayQuery.parse(c.req.query()).at);
    return {
      title: `History of ${spine.run.id}`,
      place: null,
      body: <ReplayPage web={web} spine={spine} replay={replay} />,
    };
  },
  '/runs/:run/attempts/:attempt': async (c, web) => {
    const { show, more, find, only, lines, line } = attemptQuery.parse(c.req.query());
    const shown = await attemptShown(web, {
      run: param(c, 'run'),
      attempt: param(c, 'attempt'),
      show,
      isMore: more === '1',
      find,
      only,
      isOnlyHits: lines === 'hits',
      line,
    });
    if (shown === null) throw missing('attempt', param(c, 'attempt'));
    return {
      title: `${shown.step}, attempt ${shown.row.attempt.number}`,
      place: null,
      body: <AttemptPage web={web} shown={shown} />,
      freshness: freshnessOf(shown),
    };
  },
};

export function addPages(app: Hono<Env>): void {
  for (const [path, make] of Object.entries(pages)) app.get(path, (c) => answered(c, inReadersZone(c), make));
  for (const [path, make] of Object.entries(ownersPages))
    app.get(path, (c) => answered(c, inReadersZone(c), ownersOnly(make)));
  app.get('/live', (c) => getLive(c, c.var.web));
  app.get('/runs/:run/attempts/:attempt/log', (c) => sendLog(c, c.var.web));
  app.get('/runs/:run/pictures/:picture', (c) => sendPicture(c, c.var.web));
}

/** The page's script says the browser's zone. */
function inReadersZone(c: Context<Env>): WebContext {
  return { ...c.var.web, zone: zoneNamed(getCookie(c, 'bosun_zone') ?? '') };
}

function ownersOnly(make: Make): Make {
  return (c, web) => {
    if (web.who.kind === 'home-owner') return make(c, web);
    throw new BosunError('not_allowed', 'Only the owner of this Bosun may see this page');
  };
}

async function answered(c: Context<Env>, web: WebContext, make: Make): Promise<Response> {
  try {
    // First, so that a change in between is not missed.
    const version = versionOf(web);
    const { title, place: where, body, project = null, freshness = 'quick' } = await make(c, web);
    const live = { ways: waysOf(web, project), problems: bannersOf(web), version, freshness, zone: web.zone };
    const page = await pageResponse({ title, place: where, live, children: body });
    keepVisit(c, web, page.headers);
    return page;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.status >= 500) {
      const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
      web.log(`page ${c.req.path.slice(0, 200)}: ${cause}`, { level: failure.status === 500 ? 'error' : 'warn' });
    }
    return failurePage(web, failure);
  }
}

function param(c: Context<Env>, name: string): string {
  return (c.req.param(name) ?? '').slice(0, 200);
}

function spineOf({ services }: WebContext, id: string): Spine {
  const spine = services.runtime.reader.spine(id);
  if (spine === null) throw missing('run', id);
  return spine;
}

function projectOf({ services }: WebContext, name: string): ProjectConfig {
  const project = projectNamed(services.config(), name);
  if (project === null) throw missing('project', name);
  return project;
}

function missing(what: string, which: string): BosunError {
  return new BosunError('not_found', `No ${what} "${lineOf(which, 80)}"`, {
    hint: 'Check its name. It may belong to another Bosun.',
  });
}

function titleOf({ run }: Spine): string {
  return `${run.id} ${lineOf(run.task, 60)}`;
}
