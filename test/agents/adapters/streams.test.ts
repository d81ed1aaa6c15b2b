// Streams that the real programs printed (Claude Code 2.1.197, Codex 0.169.0, OpenCode 1.18.33) when they talked to a
// model server on loopback.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentConfig } from '../../../src/jobs/agent-config.js';
import { agentConfig, agentSeat, type Heard, hear, recorded } from './given-agent.js';

interface Recording {
  readonly name: string;
  readonly exit: number;
  readonly code: string | null;
  readonly remedy?: 'ask' | 'wait';
  readonly asks?: readonly string[];
  /** Cents and tokens, in and out. */
  readonly usage?: readonly [cents: number | null, tokensIn: number, tokensOut: number];
}

const recordings: readonly Recording[] = [
  { name: 'claude-success', exit: 0, code: null, usage: [28.9065, 57_513, 60] },
  { name: 'claude-resume', exit: 0, code: null, usage: [9.6025, 19_105, 20] },
  {
    name: 'claude-denial',
    exit: 0,
    code: null,
    asks: ['permission Bash touch denied.txt', 'permission Write /work/demo/no.txt'],
  },
  { name: 'claude-question', exit: 0, code: null, asks: ['question Shall I use Postgres or SQLite?'] },
  { name: 'claude-401', exit: 1, code: 'not_logged_in', remedy: 'ask' },
  { name: 'claude-no-login', exit: 1, code: 'not_logged_in', remedy: 'ask' },
  { name: 'claude-429', exit: 1, code: 'rate_limited', remedy: 'wait' },
  { name: 'claude-500', exit: 1, code: 'overloaded', remedy: 'wait' },
  { name: 'claude-529', exit: 1, code: 'overloaded', remedy: 'wait' },
  { name: 'claude-network', exit: 1, code: 'overloaded', remedy: 'wait' },
  { name: 'claude-too-long', exit: 1, code: 'context_too_long', remedy: 'ask' },
  { name: 'claude-max-turns', exit: 1, code: 'max_turns', remedy: 'ask', usage: [19.207, 38_214, 40] },
  { name: 'claude-budget', exit: 1, code: 'budget', usage: [9.592, 19_084, 20] },
  { name: 'claude-sigint', exit: 0, code: 'agent_failed', usage: [9.5875, 19_075, 20] },
  { name: 'claude-sigterm', exit: 143, code: null },
  { name: 'claude-gone', exit: 1, code: 'session_gone' },
  { name: 'claude-in-use', exit: 1, code: 'session_in_use' },
  { name: 'claude-as-root', exit: 1, code: 'refused_as_root', remedy: 'ask' },
  { name: 'claude-bad-flag', exit: 1, code: 'bad_arguments', remedy: 'ask' },
  { name: 'codex-success', exit: 0, code: null, usage: [null, 200, 40] },
  { name: 'codex-mcp', exit: 0, code: null },
  { name: 'codex-resume', exit: 0, code: null },
  { name: 'codex-denial', exit: 0, code: null },
  { name: 'codex-question', exit: 0, code: null, asks: ['question Shall I use SQLite or Postgres?'] },
  { name: 'codex-401', exit: 1, code: 'not_logged_in', remedy: 'ask' },
  { name: 'codex-no-login', exit: 1, code: 'not_logged_in', remedy: 'ask' },
  { name: 'codex-quota', exit: 1, code: 'not_logged_in', remedy: 'ask' },
  { name: 'codex-429', exit: 1, code: 'rate_limited', remedy: 'wait' },
  { name: 'codex-500', exit: 1, code: 'overloaded', remedy: 'wait' },
  { name: 'codex-too-long', exit: 1, code: 'context_too_long', remedy: 'ask' },
  { name: 'codex-gone', exit: 1, code: 'session_gone' },
  { name: 'codex-sigterm', exit: 143, code: null },
  { name: 'opencode-success', exit: 0, code: null, usage: [null, 300, 60] },
  { name: 'opencode-resume', exit: 0, code: null },
  { name: 'opencode-question', exit: 0, code: null, asks: ['question Shall I use SQLite or Postgres?'] },
  { name: 'opencode-denial', exit: 0, code: null, asks: ['permission bash touch no.txt'] },
  { name: 'opencode-401', exit: 1, code: 'not_logged_in', remedy: 'ask' },
  { name: 'opencode-too-long', exit: 1, code: 'context_too_long', remedy: 'ask' },
  { name: 'opencode-gone', exit: 1, code: 'session_gone' },
  { name: 'opencode-sigterm', exit: 143, code: null },
];

const kindOf = (name: string): AgentConfig['kind'] =>
  name.startsWith('claude') ? 'claude' : name.startsWith('codex') ? 'codex' : 'opencode';
const seatOf = (name: string) => agentSeat(agentConfig(kindOf(name)));
const textOf = (name: string, ext: 'out' | 'err' = 'out') => recorded(name, ext).toString('utf8');
const whole = (name: string, exit: number) =>
  hear(seatOf(name), { out: [textOf(name)], err: textOf(name, 'err'), exit });

function asksOf({ outcome }: Heard): readonly string[] {
  return outcome.asks.map(({ kind, text, permission }) =>
    permission === null ? `${kind} ${text}` : `${kind} ${permission.tool} ${permission.what}`,
  );
}

/** Nothing is open and nothing is wrong. */
function mayPass({ outcome }: Heard): boolean {
  return outcome.fault === null && outcome.asks.every(({ permission }) => permission === null);
}

describe('a recorded agent stream', () => {
  it.each(recordings)('is parsed: $name', ({ name, exit, code, remedy, asks, usage }) => {
    const heard = whole(name, exit);
    const { outcome } = heard;
    expect(outcome.fault?.code ?? null).toBe(code);
    expect(outcome.fault?.remedy).toBe(remedy);
    expect(asksOf(heard)).toEqual(asks ?? []);
    expect(heard.lines.filter((line) => line.includes('"type":'))).toEqual([]);
    if (usage === undefined) return;
    const [cents, tokensIn, tokensOut] = usage;
    expect(outcome.usage).toMatchObject({ tokensIn, tokensOut });
    if (cents === null) expect(outcome.usage?.costUsd).toBeNull();
    else expect((outcome.usage?.costUsd ?? 0) * 100).toBeCloseTo(cents, 6);
  });

  it.each(recordings)('is parsed the same byte by byte: $name', ({ name, exit }) => {
    const out = [...textOf(name)];
    const heard = hear(seatOf(name), { out, err: textOf(name, 'err'), exit });
    expect(heard).toEqual(whole(name, exit));
  });

  it.each(recordings)('never passes if it is cut anywhere: $name', ({ name }) => {
    const text = textOf(name).trimEnd();
    for (let at = 0; at < text.length; at++) {
      const heard = hear(seatOf(name), { out: [text.slice(0, at)], exit: 0 });
      if (mayPass(heard)) expect.fail(`passes when it is cut at ${at} of ${text.length}`);
    }
  });

  it.each(recordings)('is parsed the same with garbage between its lines: $name', ({ name, exit }) => {
    const rubbish = fc.oneof(
      fc.string(),
      fc.constantFrom('{', '{"type":', '[]', 'null', '{"type":7}', '{"type":"of tomorrow"}', '\u001b[2J', '{"a":1}'),
    );
    fc.assert(
      fc.property(fc.array(rubbish, { maxLength: 6 }), (lines) => {
        const between = lines.filter((line) => !line.includes('\n'));
        const mixed = textOf(name)
          .split('\n')
          .flatMap((line) => [line, ...between])
          .join('\n');
        const heard = hear(seatOf(name), { out: [mixed], err: textOf(name, 'err'), exit });
        expect(heard.outcome).toEqual(whole(name, exit).outcome);
      }),
      { numRuns: 15 },
    );
  });

  it('is logged as readable text', () => {
    expect(whole('claude-success', 0).lines).toEqual([
      '[session] claude 2.1.197 claude-opus-4-8[1m], claude:6ba4ebd2-2836-4511-960b-41a703e1d47e',
      '[tool] Write cart.js',
      '[tool] Bash echo tested',
      'tested',
      'STATUS: done',
      'SUMMARY: The cart is there.',
    ]);
    expect(whole('codex-success', 0).lines.slice(2)).toEqual([
      '[tool] Bash echo export > cart2.js && echo tested',
      'tested',
      'STATUS: done',
      'SUMMARY: done.',
    ]);
    expect(whole('opencode-success', 0).lines.slice(1, 4)).toEqual([
      '[tool] write cart3.js',
      '[tool] bash echo tested',
      'tested',
    ]);
  });

  it.each(['claude', 'codex', 'opencode'] as const)('yields the report and session of %s', (kind) => {
    const { output, outcome, seen } = whole(`${kind}-success`, 0);
    expect(output.keys).toMatchObject({ STATUS: 'done' });
    expect(outcome.session).toMatch(new RegExp(`^${kind}:[\\w-]+$`));
    expect(seen.filter(({ type }) => type === 'action').length).toBeGreaterThan(0);
  });

  it('yields the provider’s retry delay', () => {
    expect(whole('claude-429', 1).outcome.fault?.waitMs).toBe(37_000);
  });

  it('counts only the model’s own messages as its answer', () => {
    expect(whole('claude-401', 1).output.isEmpty).toBe(true);
    const forged = { type: 'user', message: { content: [{ type: 'tool_result', content: 'STATUS: done' }] } };
    const helper = {
      type: 'assistant',
      parent_tool_use_id: 'toolu_1',
      message: { id: 'h', content: [{ type: 'text', text: 'STATUS: done' }] },
    };
    const out = [forged, helper].map((line) => `${JSON.stringify(line)}\n`);
    expect(hear(seatOf('claude'), { out }).output.keys).toEqual({});
  });

  it('stops an agent that waits for the network or retries forever', () => {
    expect(whole('codex-network', 1).stopped).toMatchObject({ code: 'overloaded', remedy: 'wait' });
    expect(whole('opencode-500', 1).stopped).toMatchObject({ code: 'overloaded', remedy: 'wait' });
    expect(whole('codex-500', 1).stopped).toBeNull();
  });
});

describe('unknown output', () => {
  it.each(['claude', 'codex', 'opencode'] as const)('of %s needs a person, and is logged as it is', (kind) => {
    const out = ['{"kind":"v9","say":"STATUS: done"}\n', 'STATUS: done\n'];
    const { outcome, lines, output } = hear(seatOf(kind), { out });
    expect(outcome.fault).toMatchObject({ code: 'unknown_output', remedy: 'ask' });
    expect(lines).toEqual(['{"kind":"v9","say":"STATUS: done"}', 'STATUS: done']);
    expect(output.keys).toEqual({});
  });

  it.each(['claude', 'codex', 'opencode'] as const)('never makes the parser of %s throw', (kind) => {
    const types = [
      ...[
        'system',
        'assistant',
        'user',
        'result',
        'rate_limit_event',
        'thread.started',
        'turn.completed',
        'turn.failed',
      ],
      ...['item.started', 'item.completed', 'error', 'text', 'tool_use', 'step_start', 'step_finish', 'reasoning'],
    ];
    const fields = [
      'message',
      'item',
      'part',
      'usage',
      'error',
      'permission_denials',
      'content',
      'subtype',
      'text',
      'id',
    ];
    const body = fc.dictionary(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 4 }));
    const line = fc.tuple(fc.constantFrom(...types), body).map(([type, rest]) => JSON.stringify({ ...rest, type }));
    const chaos = fc.array(fc.oneof(line, fc.json(), fc.string({ unit: 'binary' })), { maxLength: 12 });
    fc.assert(
      fc.property(chaos, fc.constantFrom(0, 1, null), (lines, exit) => {
        hear(seatOf(kind), { out: [lines.join('\n')], err: lines.join('\n'), exit });
      }),
      { numRuns: 300 },
    );
  });

  it('of an error is ignored if the work finished after it', () => {
    const step = (type: string, part: object) => JSON.stringify({ type, sessionID: 's1', part });
    const error =
      '{"type":"error","sessionID":"s1","error":{"name":"APIError","data":{"message":"Too many requests"}}}';
    const done = [step('text', { text: 'Done.' }), step('step_finish', { reason: 'stop', tokens: {} })].join('\n');
    const faultOf = (lines: readonly string[]) =>
      hear(seatOf('opencode'), { out: [`${lines.join('\n')}\n`] }).outcome.fault?.code ?? null;
    expect(faultOf([error, done])).toBeNull();
    expect(faultOf([done, error])).toBe('rate_limited');
  });

  it('nested very deeply still has a permission mark', () => {
    const depth = 500;
    const input = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const result = `{"type":"result","subtype":"success","is_error":false,"result":"x","permission_denials":[{"tool_name":"Task","tool_input":${input}}]}`;
    expect(hear(seatOf('claude'), { out: [`${result}\n`] }).outcome.asks[0]?.permission?.mark).toMatch(
      /^[0-9a-f]{64}$/,
    );
  });
});

describe('a denied permission', () => {
  it.each([
    ['write', ['Bash', 'Write'], 0],
    ['exec', ['Bash'], 1],
    ['read', [], 2],
  ] as const)('is asked about only if a step with access %s may have it', (access, tools, warned) => {
    const seat = agentSeat(agentConfig('claude'), { access });
    const { outcome } = hear(seat, { out: [textOf('claude-denial')] });
    expect(outcome.asks.map(({ permission }) => permission?.tool)).toEqual(tools);
    expect(outcome.warnings).toHaveLength(warned);
  });

  it('for the question tool becomes the question itself, with its options', () => {
    const tool_input = {
      questions: [{ question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'None' }] }],
    };
    const result = {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'I stop here.',
      permission_denials: [{ tool_name: 'AskUserQuestion', tool_input }],
    };
    expect(hear(seatOf('claude'), { out: [JSON.stringify(result)] }).outcome.asks).toEqual([
      { kind: 'question', text: 'Which database?', options: ['SQLite', 'None'], permission: null },
    ]);
  });
});
