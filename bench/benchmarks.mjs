// Every benchmark: what it measures, the limit that nothing on this machine can beat, and who else does the same work.
// `repeats`: how often it is measured, unless --repeat says otherwise. `load` gives a function that measures once.

export const benchmarks = [
  {
    name: 'transitions',
    measures:
      'steps and transitions a second of a ten-step workflow whose steps do nothing, every transition on disk; how late the event loop is meanwhile',
    limit: 'better-sqlite3 with one small commit each; fdatasync',
    rivals: 'BullMQ chain and FlowProducer, graphile-worker, DBOS, pg-boss, openworkflow',
    repeats: 3,
    load: async () => (await import('./transitions.mjs')).transitions,
  },
  {
    name: 'growth',
    measures:
      'what a transition, a flush, the status, the start and a page cost as history, projects, items and questions grow',
    limit: 'the cost at the smallest size: a flat line',
    rivals: 'none',
    repeats: 1,
    load: async () => (await import('./growth.mjs')).growth,
  },
  {
    name: 'start',
    measures: 'milliseconds from "continue" to the first instruction of the agent',
    limit: 'one commit and one bare spawn',
    rivals: 'none',
    repeats: 3,
    load: async () => tables((await import('./start.mjs')).measureStart),
  },
  {
    name: 'git',
    measures: 'operations on a checkout of 20,000 files (--full: and of 100,000), with the number of git processes',
    limit: 'the git commands that a person would type',
    rivals: 'git by hand',
    repeats: 1,
    load: async () => ({ measure: (await import('./git.mjs')).measureGit, report: null }),
  },
  {
    name: 'grammar',
    measures: 'messages a second that the grammar reads, by processor time',
    limit: 'none',
    rivals: 'none',
    repeats: 1,
    load: async () => tables((await import('./grammar.mjs')).measureGrammar),
  },
  {
    name: 'delivery',
    measures: 'from an event to the edited card',
    limit: 'the pace that the platform allows',
    rivals: 'none',
    repeats: 1,
    load: async () => tables((await import('./delivery.mjs')).measureDelivery),
  },
  {
    name: 'telegram',
    measures: 'from an update of the Bot API to the first answer',
    limit: 'one message a second and chat, thirty in all',
    rivals: 'none',
    repeats: 1,
    load: async () => tables((await import('./telegram.mjs')).measureTelegram),
  },
  {
    name: 'queues',
    measures: 'empty jobs a second through Redis',
    limit: 'BullMQ alone on the same server',
    rivals: 'BullMQ',
    repeats: 1,
    load: async () => tables((await import('./queues.mjs')).measureQueues),
  },
  {
    name: 'slack',
    measures: 'from an event of Slack to the first answer',
    limit: 'the pace that the platform allows',
    rivals: 'none',
    repeats: 1,
    load: async () => tables((await import('./slack.mjs')).measureSlack),
  },
  {
    name: 'web',
    measures: 'pages, answers of the API and news to open pages beside a long history',
    limit: 'none',
    rivals: 'none',
    repeats: 1,
    load: async () => tables((await import('./web.mjs')).measureWeb),
  },
  {
    name: 'database',
    measures:
      'what a run takes of the disk before and after it is archived, and how long the upkeep holds up the event loop',
    limit: 'none',
    rivals: 'none',
    repeats: 1,
    load: async () => tables((await import('./database.mjs')).measureDatabase),
  },
  {
    name: 'process',
    measures: 'start and memory of a Bosun that idles',
    limit: 'bare Node; in memory, with the packages that Bosun loads',
    rivals: 'none',
    repeats: 1,
    load: async () => tables((await import('./process.mjs')).measureProcess),
  },
];

/** A benchmark that only gives tables. */
function tables(measure) {
  return { measure: () => measure(), report: null };
}
