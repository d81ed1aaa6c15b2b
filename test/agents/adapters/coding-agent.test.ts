// Small programs that speak as the real ones do, run as attempts.
import { describe, expect, it } from 'vitest';
import { attemptRunner, codingAgents } from '../../../src/agents/index.js';
import type { AgentConfig } from '../../../src/jobs/agent-config.js';
import type { JobControl } from '../../../src/jobs/attempt-control.js';
import type { AttemptSpec, TeamMember } from '../../../src/jobs/attempt-spec.js';
import { givenControl, givenSpec, readLog } from '../attempts/given.js';
import { agentConfig, program } from './given-agent.js';

const run = attemptRunner({ agents: codingAgents, entry: '/opt/bosun/main.js' });

function spec(source: string, changes: Partial<AttemptSpec> = {}, config: Partial<AgentConfig> = {}): AttemptSpec {
  return givenSpec({
    // Members are found by attempt and role: another file's team must not end with this one.
    attempt: 'shop-r1-coding-1',
    item: '',
    executor: agentConfig('claude', { program: program(source), ...config }),
    ...changes,
  });
}

const work = `say(init); tell('STATUS: done\\nSUMMARY: It is there.'); result();`;

describe('a coding agent', () => {
  it('returns its report, its session and its cost', async () => {
    const control = givenControl();
    const envelope = await run(spec(work), control);
    expect(envelope).toMatchObject({
      exit: 0,
      killed: null,
      fault: null,
      session: 'claude:abc-1',
      program: 'claude 9.9 small',
      costUsd: 0.5,
      tokensIn: 140,
      tokensOut: 7,
      asks: [],
      reports: true,
      output: { keys: { STATUS: 'done', SUMMARY: 'It is there.' } },
    });
    expect(control.seen).toContainEqual({ type: 'text', text: 'STATUS: done SUMMARY: It is there.' });
    expect(envelope.isUnpriced).toBeUndefined();
    expect(control.seen).toContainEqual({ type: 'usage', costUsd: 0.5, tokensIn: 140, tokensOut: 7 });
  });

  it('gets its prompt on standard input, and its token only in the environment', async () => {
    const given = spec(`say(init); tell('PROMPT: ' + prompt + '\\nTOKEN: ' + process.env.BOSUN_TOKEN.length
      + '\\nSHOWN: ' + args.some((one) => one.includes(process.env.BOSUN_TOKEN))); result();`);
    expect((await run(given, givenControl())).output.keys).toMatchObject({
      PROMPT: expect.stringMatching(/^Do it\.\n\n[\s\S]*`ask_human`/),
      TOKEN: '32',
      SHOWN: 'false',
    });
  });

  it('is logged in readable lines, with unknown lines and standard error as they are', async () => {
    const given = spec(`console.error('careful'); say(init); say('odd line');
      say({ type: 'assistant', message: { id: 'm', content: [{ type: 'tool_use', name: 'Edit', input: { file_path: process.cwd() + '/src/a.js' } }] } });
      result();`);
    await run(given, givenControl());
    const lines = readLog(given).map(({ s, line }) => `${s} ${line}`);
    expect(lines).toEqual(expect.arrayContaining(['err careful', 'out odd line', 'out [tool] Edit src/a.js']));
    expect(lines.join('\n')).not.toContain('"type"');
  });

  it('reports neither its start nor its tool calls to watchers as output lines', async () => {
    const control = givenControl();
    const given = spec(`say(init); say('odd line');
      say({ type: 'assistant', message: { id: 'm', content: [{ type: 'tool_use', name: 'Edit', input: { file_path: process.cwd() + '/src/a.js' } }] } });
      result();`);
    await run(given, control);
    const printed = control.seen.flatMap((one) => (one.type === 'output' ? [one.line] : []));
    expect(printed).toContain('odd line');
    expect(printed.join('\n')).not.toMatch(/^\[/m);
    expect(readLog(given).map(({ line }) => line)).toContainEqual(expect.stringMatching(/^\[session\] claude/));
  });

  it('that exits with 0 in the middle of its work counts as crashed', async () => {
    const { fault } = await run(spec(`say(init); tell('STATUS: done');`), givenControl());
    expect(fault).toMatchObject({ code: 'cut_short' });
  });

  it('that ends with a question cannot pass, even if it reports pass', async () => {
    const { asks } = await run(
      spec(`say(init); tell('STATUS: done\\n\\nShall I also delete it?'); result();`),
      givenControl(),
    );
    expect(asks).toEqual([{ kind: 'question', text: 'Shall I also delete it?', options: [], permission: null }]);
  });

  it.each(['claude', 'codex', 'opencode'] as const)(
    '%s that is not installed is named, with the install command',
    async (kind) => {
      const config = agentConfig(kind, { program: '/no/such/program' });
      const { fault } = await run(givenSpec({ executor: config }), givenControl());
      expect(fault).toMatchObject({ code: 'not_installed', remedy: 'ask' });
      expect(fault?.message).toMatch(/cannot find the program "\/no\/such\/program"; install it \(npm install -g/);
    },
  );

  it('is started through its wrapper, with placeholders filled in', async () => {
    const wrap = ['env', 'PLACE={workdir}', 'SHARED={shared}', 'HOUSE={home}', 'KEEP={other}'];
    const shown = ['PLACE', 'SHARED', 'HOUSE', 'KEEP']
      .map((name) => `${name}: ' + process.env.${name} + '`)
      .join('\\n');
    const given = spec(`say(init); tell('${shown}'); result();`, {}, { wrap, env: { HOME: '/home/ada' } });
    expect((await run(given, givenControl())).output.keys).toEqual({
      PLACE: given.workdir,
      SHARED: given.sharedDir,
      HOUSE: '/home/ada',
      KEEP: '{other}',
    });
  });

  it('uses the settings of its role', async () => {
    const given = spec(
      `say(init); tell('ARGS: ' + args.at(-1) + ' ' + process.env.MODE); result();`,
      { agentRole: 'verifier' },
      {
        args: ['--one'],
        roles: { verifier: { args: ['--two'], env: { MODE: 'strict' } } },
      },
    );
    expect((await run(given, givenControl())).output.keys).toEqual({ ARGS: '--two strict' });
  });
});

describe('an arbitrary command', () => {
  it('is started through its wrapper too', async () => {
    const wrap = ['env', 'PLACE={root}'];
    const executor = { kind: 'command', run: ['sh', '-c', 'echo "AT: $PLACE"'], env: {}, passEnv: [], wrap } as const;
    const given = givenSpec({ executor });
    expect((await run(given, givenControl())).output.keys).toEqual({ AT: given.root });
  });
});

describe('a session to resume', () => {
  const resume = { session: 'claude:old-1', prompt: 'Go on.' };
  const gone = `if (args.some((one) => one.startsWith('--resume='))) {
      console.error('No conversation found with session ID: old-1');
      result({ is_error: true, subtype: 'error_during_execution', errors: ['No conversation found with session ID: old-1'], total_cost_usd: 0 });
      process.exit(1);
    }
    say(init); tell('PROMPT: ' + prompt); result();`;

  it('gets the shorter prompt', async () => {
    const given = spec(`say({ ...init, session_id: 'old-1' }); tell('PROMPT: ' + prompt); result();`, { resume });
    expect(await run(given, givenControl())).toMatchObject({
      session: 'claude:old-1',
      output: { keys: { PROMPT: 'Go on.' } },
    });
  });

  it('that is gone is replaced by a fresh one with the whole prompt, within the same attempt', async () => {
    const given = spec(gone, { resume });
    const envelope = await run(given, givenControl());
    expect(envelope).toMatchObject({
      exit: 0,
      fault: null,
      session: 'claude:abc-1',
      output: { keys: { PROMPT: expect.stringMatching(/^Do it\.\n\n[\s\S]*`ask_human`/) } },
    });
    expect(
      readLog(given)
        .map(({ line }) => line)
        .join('\n'),
    ).toContain('the session to resume no longer exists');
  });

  it('of another program is not resumed', async () => {
    const given = spec(gone, { resume: { session: 'codex:old-1', prompt: 'Go on.' } });
    expect((await run(given, givenControl())).output.keys).toMatchObject({
      PROMPT: expect.stringMatching(/^Do it\.\n\n[\s\S]*`ask_human`/),
    });
  });

  it('whose id is already in use is a fault, and cannot be resumed', async () => {
    const source = `console.error('Error: Session ID ' + args.join() + ' is already in use.'); process.exit(1);`;
    expect(await run(spec(source), givenControl())).toMatchObject({ fault: { code: 'session_in_use' }, session: null });
  });
});

describe('the cost limit of an attempt', () => {
  const usage = `{ input_tokens: 1000000, output_tokens: 0 }`;
  const prices = { input: 3, cached: 0.3, output: 15 };
  const spender = `say(init); tell('one', ${usage}); setTimeout(() => tell('two', ${usage}), 50); setTimeout(() => {}, 60000);`;

  it('stops an agent that exceeds it, and the cost is reported', async () => {
    const envelope = await run(spec(spender, { spendUsd: 5 }, { prices }), givenControl());
    expect(envelope).toMatchObject({ exit: null, killed: 'budget', fault: null, costUsd: 6, tokensIn: 2_000_000 });
    expect(envelope.session).toBe('claude:abc-1');
  });

  it('does not void an attempt whose last message exceeds it', async () => {
    expect(await run(spec(work, { spendUsd: 0.1 }), givenControl())).toMatchObject({
      exit: 0,
      killed: null,
      costUsd: 0.5,
    });
  });

  it('is measured for a stopped agent by the result that it prints while stopping', async () => {
    const source = `process.on('SIGINT', () => {
        result({ is_error: true, subtype: 'error_during_execution' });
        process.exit(0);
      });
      say(init); tell('one'); setTimeout(() => {}, 60000);`;
    const control = givenControl((progress, self) => progress.type === 'text' && self.abort('cancel'));
    expect(await run(spec(source), control)).toMatchObject({ killed: 'cancel', fault: null, costUsd: 0.5 });
  });

  it('applies to the sum of a team', async () => {
    const team: readonly TeamMember[] = ['one', 'two'].map((role) => ({ role, prompt: role, writes: [], turn: 1 }));
    const control = givenControl();
    const passing = await run(spec(work, { team }), control);
    expect(passing).toMatchObject({
      costUsd: 1,
      tokensIn: 280,
      tokensOut: 14,
      session: null,
      program: 'claude 9.9 small',
    });
    expect(control.seen.filter(({ type }) => type === 'usage').at(-1)).toMatchObject({ costUsd: 1 });
    const dear = `say(init); tell('one', ${usage}); setTimeout(() => {}, 60000);`;
    const stopped = await run(spec(dear, { team, spendUsd: 5 }, { prices }), givenControl());
    expect(stopped).toMatchObject({ killed: 'budget', costUsd: 6 });
  });
});

describe('time spent waiting for a person', () => {
  it('does not count against the time limit', async () => {
    const listeners: ((isWaiting: boolean) => void)[] = [];
    const own = givenControl((progress) => {
      // For longer than the whole limit.
      if (progress.type === 'text' && progress.text === 'asks') for (const listen of listeners) listen(true);
      if (progress.type === 'text' && progress.text === 'goes on') for (const listen of listeners) listen(false);
    });
    const control: JobControl = { ...own, onWait: (listen) => listeners.push(listen) };
    const source = `say(init); tell('asks'); setTimeout(() => { tell('goes on'); result(); }, 1500);`;
    expect(await run(spec(source, { timeoutMs: 1000 }), control)).toMatchObject({ exit: 0, killed: null });
    expect(await run(spec(source, { timeoutMs: 1000 }), givenControl())).toMatchObject({ killed: 'timeout' });
  });
});

describe('a resumed thread', () => {
  it('counts only its new tokens', async () => {
    const source = `say({ type: 'thread.started', thread_id: 't-1' }); say({ type: 'turn.started' });
      say({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'Done.' } });
      const all = args.includes('resume') ? 300 : 100;
      say({ type: 'turn.completed', usage: { input_tokens: all, cached_input_tokens: 0, output_tokens: all / 10 } });`;
    const first = givenSpec({ executor: agentConfig('codex', { program: program(source), own: { mode: 'exec' } }) });
    expect(await run(first, givenControl())).toMatchObject({ session: 'codex:t-1', tokensIn: 100, tokensOut: 10 });
    const again = { ...first, attempt: 'b', resume: { session: 'codex:t-1', prompt: 'Go on.' } };
    expect(await run(again, givenControl())).toMatchObject({ tokensIn: 200, tokensOut: 20 });
  });
});
