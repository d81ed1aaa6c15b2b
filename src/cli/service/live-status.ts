// Adds activity that only the running Bosun knows. Without a timely answer the stored status stands.

import { z } from 'zod';
import { type Home, readLock } from '../../config/index.js';
import type { ProjectStatus } from '../../dispatch/index.js';
import { hasBody } from '../../engine/index.js';
import { hostOf } from './remote-client.js';

const answerWithinMs = 2_000;
const maxAnswerBytes = 4_000_000;
const maxWordChars = 300;

const words = z
  .string()
  .transform((text) => text.slice(0, maxWordChars))
  .nullable();
const amount = z.number().nonnegative();

const activity = z.object({
  action: words,
  last: words,
  silent_s: amount,
  cost_usd: amount.nullable(),
  tokens_in: amount,
  tokens_out: amount,
});
const answered = z.object({
  health: z.enum(['running', 'quiet', 'waiting', 'stalled', 'idle']),
  run: z.object({ id: z.string() }).nullable(),
  nodes: z.array(z.object({ id: z.string(), activity: activity.nullable(), waits_for: words.default(null) })),
});

const atWork: ReadonlySet<string> = new Set(['queued', 'running']);

export async function withActivity(home: Home, stored: ProjectStatus): Promise<ProjectStatus> {
  const isAtWork = stored.nodes.some((node) => atWork.has(node.state) && !hasBody(node));
  const live = isAtWork ? await ask(home, stored.project) : null;
  // Another run may have started.
  if (live === null || live.run?.id !== stored.run?.id) return stored;
  const told = new Map(live.nodes.map(({ id, activity, waits_for }) => [id, { activity, waits_for }]));
  const nodes = stored.nodes.map((node) => ({ ...node, ...told.get(node.id) }));
  return { ...stored, health: live.health, nodes };
}

async function ask(home: Home, project: string): Promise<z.infer<typeof answered> | null> {
  const holder = readLock(home);
  if (holder?.role !== 'up' || holder.port === null) return null;
  try {
    const response = await fetch(`http://${hostOf(home)}:${holder.port}/api/projects/${encodeURIComponent(project)}`, {
      headers: { authorization: `Bearer ${home.apiToken}` },
      signal: AbortSignal.timeout(answerWithinMs),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return null;
    }
    return answered.safeParse(JSON.parse(await textOf(response))).data ?? null;
  } catch {
    // Starting, stopping, or another program's port.
    return null;
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
