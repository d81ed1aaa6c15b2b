// Prometheus text. Only what a few cheap queries tell.
import type { LoopDelay } from './event-loop.js';
import type { Site } from './site.js';

interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
}

export function metricsText(site: Site, delay: LoopDelay): string {
  return [...workMetrics(site), ...processMetrics(site, delay)].map(text).join('');
}

function workMetrics({ desk }: Site): readonly Metric[] {
  const { store, isWorking } = desk.room;
  const runs = countBy(store.unfinishedRuns().map((run) => run.status));
  const jobs = countBy(store.openAttempts().map((row) => row.attempt.state));
  const open = countBy(store.openInteractions(null).map(({ interaction }) => interaction.kind));
  return [
    gauge('bosun_projects', 'Projects in config.yaml.', desk.config().projects.length),
    {
      name: 'bosun_runs_unfinished',
      type: 'gauge',
      help: 'Runs that have not ended, by status.',
      samples: by('status', ['draft', 'running', 'paused'], runs),
    },
    {
      name: 'bosun_jobs',
      type: 'gauge',
      help: 'Attempts under way.',
      samples: by('state', ['queued', 'running'], jobs),
    },
    {
      name: 'bosun_interactions_open',
      type: 'gauge',
      help: 'What waits for a person, by kind.',
      samples: by('kind', ['review', 'question', 'escalation', 'confirm', 'choice', 'permission', 'budget'], open),
    },
    gauge('bosun_worker_working', '1 when this process runs agents.', isWorking ? 1 : 0),
  ];
}

function processMetrics(site: Site, delay: LoopDelay): readonly Metric[] {
  const memory = process.memoryUsage();
  const answers = [...site.answered].map(([code, value]) => ({ labels: { code }, value }));
  return [
    {
      name: 'bosun_http_requests_total',
      type: 'counter',
      help: 'HTTP requests by the class of their answer.',
      samples: answers,
    },
    gauge('bosun_http_open_streams', 'Answers that are still being written.', site.open.size),
    {
      name: 'bosun_event_loop_delay_seconds',
      type: 'gauge',
      help: 'How late the event loop was since the last scrape.',
      samples: [
        { labels: { quantile: '0.5' }, value: delay.p50Seconds },
        { labels: { quantile: '0.99' }, value: delay.p99Seconds },
        { labels: { quantile: '1' }, value: delay.maxSeconds },
      ],
    },
    gauge('bosun_process_resident_memory_bytes', 'Memory that the process holds.', memory.rss),
    gauge('bosun_process_heap_used_bytes', 'JavaScript heap in use.', memory.heapUsed),
    gauge('bosun_process_uptime_seconds', 'Since the process started.', process.uptime()),
    {
      name: 'bosun_info',
      type: 'gauge',
      help: 'Always 1.',
      samples: [{ labels: { version: site.version }, value: 1 }],
    },
  ];
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, type: 'gauge', help, samples: [{ value }] };
}

function countBy(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The usual ones show as 0 too, so that a graph has no holes. */
function by(label: string, usual: readonly string[], counts: ReadonlyMap<string, number>): Metric['samples'] {
  const words = new Set([...usual, ...counts.keys()]);
  return [...words].map((word) => ({ labels: { [label]: word }, value: counts.get(word) ?? 0 }));
}

function text({ name, type, help, samples }: Metric): string {
  const rows = samples.map(({ labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, word]) => `${label}="${escaped(word)}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${rows.join('')}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
