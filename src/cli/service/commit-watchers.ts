import { type Log, usualExport } from '../../base/index.js';
import type { Runtime, Tracing } from '../../dispatch/index.js';
import { logCommitted } from '../../dispatch/index.js';
import { readVersion } from '../version.js';

export interface Watch {
  begin(runtime: Runtime): void;
  /** Gives spans a moment to arrive. */
  close(): Promise<void>;
}

const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

export async function watchFor(env: NodeJS.ProcessEnv, log: Log): Promise<Watch> {
  const trace = await tracer(env, log);
  let tracing: Tracing | null = null;
  return {
    begin(runtime) {
      runtime.onCommits((committed) => logCommitted(log, committed));
      tracing = trace?.(runtime) ?? null;
    },
    close: async () => tracing?.close(),
  };
}

/** Lazy: only with an OTLP endpoint. */
async function tracer(env: NodeJS.ProcessEnv, log: Log): Promise<((runtime: Runtime) => Tracing) | null> {
  if (endpoints.every((name) => (env[name] ?? '').trim() === '')) return null;
  const { startTracing, traceSettings } = await import('../../dispatch/tracing/start-tracing.js');
  const settings = traceSettings(env);
  return settings && ((runtime) => startTracing({ ...usualExport, ...settings, runtime, version: readVersion(), log }));
}
