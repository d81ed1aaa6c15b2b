// Metrics of the process: HTTP requests, memory, event loop delay.
import type { LoopDelay } from './event-loop.js';
import type { Scraped } from './metrics-sources.js';
import { gauge, type Metric } from './text.js';

export function processMetrics(web: Scraped, delay: LoopDelay): readonly Metric[] {
  const memory = process.memoryUsage();
  const answers = [...web.answered].map(([code, value]) => ({ labels: { code }, value }));
  return [
    {
      name: 'bosun_http_requests_total',
      type: 'counter',
      help: 'HTTP requests by the class of their answer.',
      samples: answers,
    },
    gauge('bosun_http_open_streams', 'Answers that are still being written.', web.open.size),
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
      samples: [{ labels: { version: web.version }, value: 1 }],
    },
  ];
}
