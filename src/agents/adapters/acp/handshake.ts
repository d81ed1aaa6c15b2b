import type { AgentConfig } from '../../../jobs/index.js';
import { attemptVariables } from '../../processes/environment.js';
import type { AdapterContext, AgentSeat } from '../port.js';
import { type Json, objectAt, objectsAt, textAt, valueAt } from '../shared/foreign-json.js';
import { mcpServer, resumedSession } from '../shared/seat.js';

export function runOf({ own }: Pick<AgentConfig, 'own'>): readonly [string, ...string[]] {
  const run: unknown = own?.['run'];
  const [first, ...rest] = Array.isArray(run) ? run.filter((word) => typeof word === 'string') : [];
  return [first ?? 'acp', ...rest];
}

export function greeting({ executor }: AgentSeat): object {
  // A `wrap` confines the agent, not Bosun.
  const hasHands = executor.wrap.length === 0;
  return {
    protocolVersion: 1,
    clientInfo: { name: 'bosun', title: 'Bosun', version: '1' },
    clientCapabilities: {
      fs: { readTextFile: hasHands, writeTextFile: hasHands },
      terminal: hasHands,
      elicitation: { form: {} },
    },
  };
}

/** Falls back to a new session if the agent cannot resume. */
export function newSession(
  seat: AgentSeat,
  context: AdapterContext,
  capabilities: Json | null,
): { readonly method: string; readonly params: object } {
  const params = { cwd: seat.workdir, mcpServers: servers(seat, context) };
  const sessionId = resumedSession(seat);
  const canResume = objectAt(objectAt(capabilities, 'sessionCapabilities'), 'resume') !== null;
  if (sessionId === null) return { method: 'session/new', params };
  // `resume` does not replay the past.
  if (canResume) return { method: 'session/resume', params: { ...params, sessionId } };
  if (valueAt(capabilities, 'loadSession') === true)
    return { method: 'session/load', params: { ...params, sessionId } };
  return { method: 'session/new', params };
}

/** Variables by name, because agents need not pass on their environment. */
function servers(seat: AgentSeat, { entry }: AdapterContext): readonly object[] {
  const server = mcpServer(seat, entry);
  if (server === null) return [];
  const env = Object.entries(attemptVariables(seat)).map(([name, value]) => ({ name, value }));
  return [{ name: 'bosun', command: server.command, args: server.args, env }];
}

export type ModelChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'set'; readonly params: object }
  | { readonly kind: 'unknown'; readonly why: string };

const maxNamed = 10;

export function modelChoice({ model }: Pick<AgentConfig, 'model'>, result: Json | null): ModelChoice {
  if (model === null) return { kind: 'none' };
  const isModel = (one: Json) => textAt(one, 'category') === 'model' || textAt(one, 'id') === 'model';
  const option = objectsAt(result, 'configOptions').find(isModel) ?? null;
  const listed = objectsAt(option, 'options').flatMap((one) => [one, ...objectsAt(one, 'options')]);
  const values = listed.flatMap((one) => textAt(one, 'value') ?? []);
  const configId = textAt(option, 'id');
  if (configId === null) {
    return {
      kind: 'unknown',
      why: 'it offers no choice of models (remove `model`, and set it in its own configuration)',
    };
  }
  if (values.includes(model)) return { kind: 'set', params: { configId, value: model } };
  const named = values.slice(0, maxNamed).join(', ');
  return { kind: 'unknown', why: `it has no model ${JSON.stringify(model)}; it offers ${named || 'none'}` };
}
