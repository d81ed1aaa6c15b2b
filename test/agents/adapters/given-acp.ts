// An attempt of a fake agent over ACP, with a Bosun that answers it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { trialKey, writeVerdict } from '../../../src/agents/adapters/acp/trial-notes.js';
import { attemptRunner, codingAgents } from '../../../src/agents/index.js';
import type { AgentConfig } from '../../../src/jobs/agent-config.js';
import type { AttemptSpec } from '../../../src/jobs/attempt-spec.js';
import { type GivenControl, givenControl, givenFolder, givenSpec } from '../attempts/given.js';
import { acpAgent, type FakeAgent } from './fake-acp-agent.js';
import { type AskedBosun, bosunThatAnswers } from './fake-app-server.js';
import { agentConfig } from './given-agent.js';

interface Given extends FakeAgent {
  readonly answer?: (asked: AskedBosun) => Readonly<Record<string, unknown>> | null;
  readonly config?: Partial<AgentConfig>;
  readonly spec?: Partial<AttemptSpec>;
  readonly control?: GivenControl;
  /** Whether the program was tried before; false: this attempt tries it. */
  readonly isTried?: boolean;
}

const message = z.looseObject({
  id: z.unknown().optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

/** What the turn left in the file `done`, and what the agent heard from Bosun. */
export async function attempt({
  answer = () => null,
  config,
  spec,
  control = givenControl(),
  isTried = true,
  ...agent
}: Given) {
  const { url, asked } = await bosunThatAnswers(answer);
  const executor = agentConfig('acp', { own: { run: [acpAgent(agent), 'acp'] }, ...config });
  const given = givenSpec({ executor, url, ...spec });
  const home = givenFolder();
  if (isTried) writeVerdict(home, trialKey({ ...given, executor }, process.env), 'asks', 0);
  const run = attemptRunner({ agents: codingAgents, entry: '/opt/bosun/main.js', home });
  const again = () => run(given, control);
  const envelope = await again();
  const lines = (name: string) => {
    const path = join(given.workdir, name);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };
  const heard = lines('heard').map((line) => message.parse(JSON.parse(line)));
  return { envelope, asked, done: lines('done'), heard, folder: given.workdir, trials: () => lines('trials'), again };
}
