// Observers of commits: the log, and traces where the environment asks for them.

import { type Log, usualExport } from '../../base/index.js';
import type { Runtime, Tracing } from '../../dispatch/index.js';
import { logCommitted } from '../../dispatch/index.js';
import { readVersion } from '../version.js';

export interface Watch {
  /** Call it before the first commit. */
  begin(runtime: Runtime): void;
  /** Gives pending spans a moment to arrive. */
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

/** Loads the tracing code only if an OTLP endpoint is set. */
async function tracer(env: NodeJS.ProcessEnv, log: Log): Promise<((runtime: Runtime) => Tracing) | null> {
  if (endpoints.every((name) => (env[name] ?? '').trim() === '')) return null;
  const { startTracing, traceSettings } = await import('../../dispatch/tracing/start-tracing.js');
  const settings = traceSettings(env);
  return settings && ((runtime) => startTracing({ ...usualExport, ...settings, runtime, version: readVersion(), log }));
}
