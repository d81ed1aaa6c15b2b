// Asks a program for the proposals that a sentence means. Untrusted: only listed ids count.
import { dirname } from 'node:path';
import { z } from 'zod';
import { runOnce } from '../agents/index.js';
import { plainEnvironment } from '../base/index.js';
import type { Config } from '../config/index.js';

export interface IntentQuestion {
  readonly text: string;
  readonly proposals: readonly { readonly id: string; readonly label: string }[];
}

const maxAnswerBytes = 16 * 1024;
const maxChosen = 4;

const answerSchema = z.strictObject({ proposals: z.array(z.string().max(10)).max(100) });

/** Best first. Empty on a failure, a timeout or an invalid answer. */
export async function askIntent(
  { intent, path }: Pick<Config, 'intent' | 'path'>,
  question: IntentQuestion,
  log: (message: string) => void,
): Promise<readonly string[]> {
  if (intent === null) return [];
  const { run, timeoutMs, env, passEnv } = intent;
  const passed = Object.fromEntries(passEnv.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const ended = await runOnce({
    argv: run,
    cwd: dirname(path),
    env: { ...plainEnvironment(process.env), ...passed, ...env },
    input: JSON.stringify(question),
    timeoutMs,
    maxBytes: maxAnswerBytes,
  });
  if (ended.kind === 'failed') {
    log(`intent: ${ended.why}; Bosun answers the sentence without it`);
    return [];
  }
  const answer = answerSchema.safeParse(jsonOf(ended.out));
  if (!answer.success) log('intent: the answer is not {"proposals": ["p1", …]}; Bosun answers the sentence without it');
  return answer.success ? [...new Set(answer.data.proposals)].slice(0, maxChosen) : [];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
