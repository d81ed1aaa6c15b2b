// Security: jobs carry no executor environment, which may hold keys; it comes from the present config.

import type { Config } from '../../config/index.js';
import { emptyEnvelope } from '../../engine/index.js';
import type { AttemptSpec, ExecutorConfig, RunAttempt } from '../../jobs/index.js';

export function withoutEnv(executor: ExecutorConfig): ExecutorConfig {
  if (!('roles' in executor)) return { ...executor, env: {} };
  const roles = Object.entries(executor.roles).map(([role, { env: _, ...settings }]) => [role, settings] as const);
  return { ...executor, env: {}, roles: Object.fromEntries(roles) };
}

export function inPresentEnv(run: RunAttempt, config: () => Config): RunAttempt {
  return async (spec, control) => {
    const { executor, executorName: name } = spec;
    if (executor === null || name === undefined) return run(spec, control);
    const { executors } = config();
    const present = Object.hasOwn(executors, name) ? executors[name] : undefined;
    if (present === undefined) return { ...emptyEnvelope, fault: gone(spec, name) };
    return run({ ...spec, executor: withEnvOf(executor, present) }, control);
  };
}

function withEnvOf(executor: ExecutorConfig, present: ExecutorConfig): ExecutorConfig {
  const { env } = present;
  if (!('roles' in executor) || !('roles' in present)) return { ...executor, env };
  const roles = Object.entries(present.roles).map(
    ([role, own]) => [role, { ...ownOf(executor.roles, role), env: own.env }] as const,
  );
  return { ...executor, env, roles: { ...executor.roles, ...Object.fromEntries(roles) } };
}

function ownOf<T>(roles: Readonly<Record<string, T>>, role: string): T | undefined {
  return Object.hasOwn(roles, role) ? roles[role] : undefined;
}

function gone({ step }: AttemptSpec, name: string) {
  const message = `The executor ${name} of ${step} is no longer in config.yaml. Add it back under executors, then retry.`;
  return { code: 'no_executor', message };
}
