import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 20;

export interface LoopDelay {
  readonly p50Seconds: number;
  readonly p99Seconds: number;
  readonly maxSeconds: number;
}

/** Measures the event loop's delay since the last read. */
export function watchEventLoop() {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  // Node measures the interval between two samples, so an idle loop shows the resolution: subtract it.
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
