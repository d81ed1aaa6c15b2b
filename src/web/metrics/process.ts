import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Scraped } from './index.js';
import { counters, gauge, gauges, type Metric } from './text.js';

export function processMetrics(web: Scraped, delay: LoopDelay): readonly Metric[] {
  const memory = process.memoryUsage();
  const answers = [...web.answered].map(([code, value]) => ({ labels: { code }, value }));
  return [
    counters('bosun_http_requests_total', 'HTTP requests by response class.', answers),
    gauge('bosun_http_open_streams', 'Responses that are still open.', web.open.size),
    gauges('bosun_event_loop_delay_seconds', 'Event loop delay since the last scrape.', [
      { labels: { quantile: '0.5' }, value: delay.p50Seconds },
      { labels: { quantile: '0.99' }, value: delay.p99Seconds },
      { labels: { quantile: '1' }, value: delay.maxSeconds },
    ]),
    gauge('bosun_process_resident_memory_bytes', 'Resident memory of the process.', memory.rss),
    gauge('bosun_process_heap_used_bytes', 'JavaScript heap in use.', memory.heapUsed),
    gauge('bosun_process_uptime_seconds', 'Since the process started.', process.uptime()),
    gauges('bosun_info', 'Always 1.', [{ labels: { version: web.version }, value: 1 }]),
  ];
}

const resolutionMs = 20;

export interface LoopDelay {
  readonly p50Seconds: number;
  readonly p99Seconds: number;
  readonly maxSeconds: number;
}

/** The delay since the last read. */
export function watchEventLoop() {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  // Node measures between samples, so an idle loop shows the resolution: subtract it.
  const seconds = (ns: number) => (Number.isFinite(ns) ? Math.max(0, ns / 1e6 - resolutionMs) / 1000 : 0);
  return {
    read(): LoopDelay {
      const isEmpty = histogram.max === 0;
      const read = {
        p50Seconds: isEmpty ? 0 : seconds(histogram.percentile(50)),
        p99Seconds: isEmpty ? 0 : seconds(histogram.percentile(99)),
        maxSeconds: isEmpty ? 0 : seconds(histogram.max),
      };
      histogram.reset();
      return read;
    },
    close: () => void histogram.disable(),
  };
}
