import { z } from 'zod';
import { protocolVersion } from '../protocol/messages.js';

export const maxPayloadChars = 4 * 1024 * 1024;

const payloadSchema = z.object({ version: z.number().int(), body: z.string().max(maxPayloadChars) });

export type JobPayload = z.infer<typeof payloadSchema>;

export type UnpackedJob =
  | { readonly ok: true; readonly body: string }
  | { readonly ok: false; readonly code: string; readonly message: string };

export function pack(body: string): JobPayload {
  return { version: protocolVersion, body };
}

export function unpack(id: string, data: unknown, agentKinds: readonly string[]): UnpackedJob {
  const payload = payloadSchema.safeParse(data);
  if (!payload.success) return refused('worker_job', `This worker cannot read the job ${id}.`);
  const { version, body } = payload.data;
  if (version !== protocolVersion) {
    const message = `${id} uses version ${version} of the job protocol, but this worker speaks ${protocolVersion}. Run the same Bosun on both machines.`;
    return refused('worker_version', message);
  }
  const spec = specOf(body, agentKinds);
  if (spec?.attempt !== id) return refused('worker_job', `The job in Redis under ${id} belongs to another attempt.`);
  return { ok: true, body };
}

function refused(code: string, message: string): UnpackedJob {
  return { ok: false, code, message };
}

function specOf(body: string, agentKinds: readonly string[]): { readonly attempt: string } | null {
  try {
    const spec = specSchema.safeParse(JSON.parse(body)).data;
    if (spec === undefined) return null;
    const { executor } = spec;
    const isKnown = executor === null || 'run' in executor || 'file' in executor || agentKinds.includes(executor.kind);
    return isKnown ? spec : null;
  } catch {
    return null;
  }
}

const words = z.array(z.string());
const env = z.record(z.string(), z.string());

const command = z.looseObject({ kind: z.literal('command'), run: words, env, passEnv: words });
const script = z.looseObject({ kind: z.literal('script'), file: z.string(), env, passEnv: words });
const agent = z.looseObject({
  kind: z.string(),
  program: z.string().nullable(),
  model: z.string().nullable(),
  args: words,
  permission: z.enum(['ask', 'strict', 'deny', 'bypass']),
  tools: words,
  env,
  passEnv: words,
  wrap: words,
  answerWithinMs: z.number(),
  roles: z.record(z.string(), z.looseObject({})),
});

/** Only what the queue needs; the executor checks the rest. */
const specSchema = z.looseObject({
  attempt: z.string(),
  token: z.string(),
  project: z.string(),
  run: z.string(),
  node: z.string(),
  step: z.string(),
  label: z.string(),
  attemptNumber: z.number().int(),
  kind: z.enum(['agent', 'check']),
  executor: z.union([command, script, agent]).nullable(),
  prompt: z.string(),
  root: z.string(),
  workdir: z.string(),
  sharedDir: z.string(),
  logPath: z.string(),
  timeoutMs: z.number(),
  checkTimeoutMs: z.number(),
  access: z.enum(['read', 'exec', 'write']),
  check: z.string().nullable(),
  outputs: words.nullable(),
  spendUsd: z.number().nullable(),
});
