import type { ExporterParts, TraceSettings } from '../../base/index.js';
import { Exporter } from '../../base/index.js';
import type { Runtime } from '../runtime.js';
import { spansOf } from './run-spans.js';

export { traceSettings } from '../../base/index.js';

export interface Tracing {
  close(): Promise<void>;
}

export interface TracingParts extends TraceSettings, Omit<ExporterParts, 'sender'> {
  readonly runtime: Pick<Runtime, 'onCommits' | 'reader'>;
  readonly version: string;
}

const closeWithinMs = 2_000;

export function startTracing({ runtime, service, version, ...parts }: TracingParts): Tracing {
  const exporter = new Exporter({ ...parts, sender: { service, version } });
  const home = runtime.reader.homeId;
  const stop = runtime.onCommits(({ batch }) => exporter.add(spansOf(home, batch)));
  return {
    async close() {
      stop();
      await exporter.close(closeWithinMs);
    },
  };
}
