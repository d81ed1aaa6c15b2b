import { z } from 'zod';
import type { AgentIdentity } from '../port.js';

const word = z.string('must be text').max(4096, 'must be text of at most 4096 characters');

export const identity: AgentIdentity = {
  kind: 'acp',
  title: 'ACP agent',
  keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
  schema: {
    run: z
      .array(word, 'must be a list of arguments, such as ["opencode", "acp"]')
      .min(1, 'must name a program')
      .max(200, 'has more than 200 arguments')
      .refine((run) => run[0] !== '', 'must name a program'),
    program: z.null('must be left out: run names the program').default(null),
  },
  permissions: ['ask', 'deny', 'bypass'],
  login: 'log in with its own program as the user that Bosun runs as, or pass_env the key of its provider',
  install: 'as its makers say, or correct `run`',
};
