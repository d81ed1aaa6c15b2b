// The program of `intent:` in config.yaml, asked which of Bosun's proposals a sentence means. Its answer is data: ids of
// the list that it was given, and anything else counts as no answer.
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

/** The ids that it chose, best first; none where it failed, in time or in form. */
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
    log(`intent: ${ended.why}; the sentence is answered without it`);
    return [];
  }
  const answer = answerSchema.safeParse(jsonOf(ended.out));
  if (!answer.success) log('intent: the answer is not {"proposals": ["p1", …]}; the sentence is answered without it');
  return answer.success ? [...new Set(answer.data.proposals)].slice(0, maxChosen) : [];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
