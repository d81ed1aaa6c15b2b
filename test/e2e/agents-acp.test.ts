// Real programs over ACP, with a model of our own: what they ask reaches a person, and what is refused does not happen.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { attemptRunner, codingAgents } from '../../src/agents/index.js';
import { bosunThatAnswers } from '../agents/adapters/fake-app-server.js';
import { agentConfig } from '../agents/adapters/given-agent.js';
import { givenControl, givenFolder, givenSpec, put } from '../agents/attempts/given.js';
import { describeAgent } from '../agents/describe-agent.js';
import { executorOf } from '../agents/executors.js';
import { startModel } from '../agents/model/server.js';
import { type Brain, run, say } from '../agents/model/talk.js';
import { type AgentKind, programOf } from '../agents/programs.js';

/** Does two commands, and what a trial asks for; then it reports. */
const think: Brain = ({ prompt, results, tools }) => {
  if (tools.length === 0) return say('A title');
  const marker = /touch (\S+?)`/.exec(prompt)?.[1];
  const moves = marker === undefined ? [run('touch made'), run('touch again')] : [run(`touch ${marker}`)];
  return (prompt.includes('not allowed') ? undefined : moves[results.length]) ?? say('STATUS: done\nSUMMARY: tried');
};

const onceOnly = () => {
  let count = 0;
  return () => (count++ === 0 ? { state: 'allowed' } : { state: 'denied', by: 'ada', why: 'once is enough' });
};

async function attempt(
  like: AgentKind,
  command: readonly string[],
  {
    files = {},
    answer,
  }: { readonly files?: Readonly<Record<string, string>>; readonly answer: () => Readonly<Record<string, unknown>> },
) {
  const model = await startModel(think);
  onTestFinished(() => model.close());
  const { url, asked } = await bosunThatAnswers(answer);
  const { env } = executorOf(like, givenFolder(), model.url);
  const executor = agentConfig('acp', { own: { run: command }, env });
  const spec = givenSpec({ executor, url, timeoutMs: 90_000 });
  for (const [path, text] of Object.entries(files)) put(spec.workdir, path, text);
  const control = givenControl();
  const envelope = await attemptRunner({ agents: codingAgents, entry: null, home: givenFolder() })(spec, control);
  const isMade = (name: string) => existsSync(join(spec.workdir, name));
  return {
    envelope,
    control,
    commands: asked.map(({ body }) => body['input']),
    made: ['made', 'again'].filter(isMade),
    model,
  };
}

const opencode = [programOf('opencode'), 'acp'];

describeAgent('opencode', 'over ACP', () => {
  it('does not begin with settings under which it runs commands unasked', async () => {
    const files = { 'opencode.json': '{"permission":{"bash":"allow"}}' };
    const { envelope, commands, made } = await attempt('opencode', opencode, { files, answer: onceOnly() });
    expect(envelope.fault).toMatchObject({ code: 'permission_unproven' });
    expect([commands, made]).toEqual([[], []]);
  });
});

describeAgent('claude-agent-acp', 'over ACP', () => {
  it('asks a person about each command, does not run the one that is refused, and tells its cost', async () => {
    const claude = [programOf('claude-agent-acp')];
    const { envelope, commands, made } = await attempt('claude', claude, { answer: onceOnly() });
    expect(envelope).toMatchObject({ fault: null, exit: 0, output: { keys: { STATUS: 'done' } } });
    expect(commands).toMatchObject([{ command: 'touch made' }, { command: 'touch again' }]);
    expect(made).toEqual(['made']);
    // The trial's and the turn's.
    expect(envelope.costUsd).toBeGreaterThan(0.02);
  });
});
