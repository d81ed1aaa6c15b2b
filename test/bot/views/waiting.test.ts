// Words for what waits: for a limit to lift, for money, for a person.
import { describe, expect, it } from 'vitest';
import { costText, statusText, storyLines } from '../../../src/bot/index.js';
import { eventLine } from '../../../src/bot/views/history.js';
import { noticeView } from '../../../src/bot/views/notices.js';
import { replyViews } from '../../../src/bot/views/replies.js';
import { clock, oneLine, span } from '../../../src/bot/views/view.js';
import type { NodeJson, ProjectStatus } from '../../../src/dispatch/index.js';
import { def, envelope, item, loop, Player, pass, workflow } from '../../engine/builders.js';

const flow = workflow([def('impl', { abandons: 3 })]);
const fault = {
  code: 'rate_limited',
  message: 'The provider says: try later.',
  remedy: 'wait',
  waitMs: 600_000,
} as const;

/** What the thread was told by the last event. */
function toldBy(player: Player): readonly string[] {
  return player.notices.flatMap((notice) => noticeView(notice, player.state, player.now)?.view.text ?? []);
}

describe('a delayed attempt', () => {
  const limited = () => Player.start(flow).settle(envelope({ fault }));

  it('is announced with its reason and its time', () => {
    const player = limited();
    const until = clock(player.now + 600_000);
    const [settled, queued] = toldBy(player);
    expect(settled).toContain(`shop: impl rate limited (attempt 1), trying again at ${until}`);
    expect(settled).toContain('The provider says: try later.');
    expect(queued).toContain(`shop: executing impl (attempt 1), queued until ${until} (rate limited)`);
  });

  it('is announced as queued once that time has come', () => {
    const player = limited();
    player.now += 600_000;
    const view = noticeView({ type: 'progress' }, player.state, player.now)?.view.text;
    expect(view?.split('\n')[0]).toBe('shop: executing impl (attempt 1), queued');
  });

  it('is named on the card that asks after too many tries', () => {
    const player = limited();
    for (let time = 0; time < 3; time++) player.settle(envelope({ fault }));
    expect(player.open[0]?.text).toBe('shop stuck at impl (4 crashes: rate limited)\nThe provider says: try later.');
  });

  it('shows its time in the status', () => {
    const text = statusText(
      statusWith({ state: 'queued', reason: 'rate_limited', not_before: '2026-03-28T12:41:00.000Z' }),
    );
    expect(text).toContain(`not before ${clock(Date.parse('2026-03-28T12:41:00.000Z'))} (rate limited)`);
  });
});

describe('a status', () => {
  it('names the executor that stands in, and for whom', () => {
    const until = '2026-03-28T12:41:00.000Z';
    const claude = { name: 'claude', reason: 'rate_limited', until };
    const gemini = { name: 'gemini', reason: 'not_logged_in', until };
    const text = statusText(statusWith({ executor: { name: 'codex', instead_of: [claude, gemini] } }));
    const limit = `claude is at its usage limit until ${clock(Date.parse(until))}`;
    expect(text).toContain(`by codex (${limit}; gemini is not logged in)`);
  });

  it('shows the current action and how long the agent has been silent', () => {
    const activity = {
      action: 'editing\n\u202ecart.ts',
      last: 'x',
      silent_s: 250,
      cost_usd: 1,
      tokens_in: 1,
      tokens_out: 1,
    };
    expect(statusText(statusWith({ activity }))).toContain(
      'impl: working, attempt 1 of 3, editing cart.ts, quiet for 4 min',
    );
    const silent = { ...activity, action: null, last: 'compiling', silent_s: 3 };
    expect(statusText(statusWith({ activity: silent }))).toMatch(/attempt 1 of 3, compiling$/m);
    const begun = { ...silent, last: null };
    expect(statusText(statusWith({ activity: begun }))).toMatch(/attempt 1 of 3, said nothing yet$/m);
  });
});

describe('a story done without a change', () => {
  it('is marked in the status and in the list of stories', () => {
    const flow = workflow([loop('stories', [def('impl')])]);
    const unchanged = { ...pass, diffStat: { files: 0, insertions: 0, deletions: 0 } };
    const player = Player.start(flow, { items: [item('US-1'), item('US-2')], afterStory: 'start' }).walk(unchanged);
    const items = player.state.items.map(({ key, title, status }) => {
      return { key, title, status, depends_on: [], retry_count: 0 };
    });
    const text = statusText({ ...statusWith({}), items }, player.state);
    expect(text).toMatch(/^\[done\] US-1 Title of US-1 \(no change\)$/m);
    expect(text).toMatch(/^\[working\] US-2 Title of US-2$/m);
    const store = { spine: () => player.state } as unknown as Parameters<typeof storyLines>[0];
    expect(storyLines(store, 'r12')).toEqual([
      'US-1  [done]  Title of US-1  (no change)',
      'US-2  [working]  Title of US-2',
    ]);
  });
});

describe('budget and cost', () => {
  it.each([
    [{ type: 'budget', usd: 7 }, 'shop: the budget of this task is $7.00 now.'],
    [{ type: 'budget', usd: 7, scope: 'day' }, 'shop: the budget of today is $7.00 now.'],
    [{ type: 'budget', usd: 7, scope: 'project' }, 'shop: the budget of the project is $7.00 now.'],
  ] as const)('adding money reports the limit that it raised: %o', (reply, text) => {
    expect(replyViews(reply, Player.start(flow).state)[0]?.text).toBe(text);
  });

  it('the cost report lists items, steps and days', () => {
    const { run } = Player.start(flow, { budgetUsd: 5 }).settle({
      ...pass,
      costUsd: 0.41,
      tokensIn: 12_345,
      tokensOut: 9,
    });
    const node = { chain: 'US-1', node: 'n1', label: 'step-001', template: 'impl', attempts: 2, durationMs: 90_000 };
    const told = { ...node, costUsd: 0.41, tokensIn: 12_345, tokensOut: 9 };
    const sum = { usd: 3, tokensIn: 4_100_000, tokensOut: 12_000 };
    const text = costText({
      run: { run, items: [{ ...told, key: 'US-1', nodes: [told] }] },
      project: { today: { ...sum, usd: 1 }, week: sum, ever: sum },
    });
    expect(text.split('\n')).toEqual([
      'r12: $0.41, 12.3k tokens in, 9 out, budget $5.00',
      'US-1: 2 tries, 1 min, 12.3k tokens in, 9 out, $0.41',
      '  impl: 2 tries, 1 min, 12.3k tokens in, 9 out, $0.41',
      'The project:',
      'today $1.00 (4.1M tokens in, 12.0k out)',
      'last 7 days $3.00 (4.1M tokens in, 12.0k out)',
      'ever $3.00 (4.1M tokens in, 12.0k out)',
    ]);
  });
});

it('the cost of unpriced tokens is reported as unknown', () => {
  const { run } = Player.start(flow, {}).settle({ ...pass, tokensIn: 900, tokensOut: 9, isUnpriced: true });
  const node = { chain: '', node: 'n1', label: 'step-001', template: 'impl', attempts: 1, durationMs: 1_000 };
  const told = { ...node, costUsd: null, tokensIn: 900, tokensOut: 9 };
  const sum = { usd: 0, tokensIn: 900, tokensOut: 9 };
  const text = costText({
    run: { run, items: [{ ...told, key: '', nodes: [told] }] },
    project: { today: sum, week: sum, ever: sum },
  });
  expect(text).toContain(
    'r12: cost unknown, 900 tokens in, 9 out\nimpl: 1 try, 1 s, 900 tokens in, 9 out, cost unknown',
  );
});

describe('a history line', () => {
  const told = { run: 'r12', chain: '', at: 1, by: 'ada' };
  const attempt = 'h-r12-_-step-002-g1-d3';
  const late = { tokensIn: null, tokensOut: null, wasUnpriced: true };
  it.each([
    [{ ...told, type: 'kill' }, 'kill by ada'],
    [{ ...told, type: 'kill', attempt }, 'kill by ada: step-002, dispatch 3, to try it again'],
    [{ ...told, type: 'budget', addUsd: 5 }, 'budget by ada: +$5.00'],
    [{ ...told, type: 'budget', addUsd: -1.5 }, 'budget by ada: -$1.50'],
    [{ run: 'r12', chain: '', at: 1, type: 'limits_read', runUsd: 5, purse: null }, 'limits_read: $5.00 for the run'],
    [{ run: 'r12', chain: '', at: 1, type: 'limits_read', runUsd: null, purse: null }, 'limits_read'],
    [
      { run: 'r12', chain: '', at: 1, type: 'paid_late', attempt, costUsd: 4.5, ...late },
      'paid_late: step-002, dispatch 3 $4.50',
    ],
    [
      {
        run: 'r12',
        chain: '',
        at: 1,
        type: 'attempt_settled',
        attempt,
        envelope: envelope({ exit: null, fault, costUsd: 0.4 }),
      },
      'attempt_settled: step-002, dispatch 3 rate_limited, $0.40',
    ],
  ] as const)('names the event: %#', (event, line) => {
    expect(eventLine(event)).toBe(line);
  });
});

describe("text on one of Bosun's lines", () => {
  it.each([
    ['a\n\n b\u2028c', 'a b c'],
    ['🎉'.repeat(200), `${'🎉'.repeat(119)}…`],
    ['   ', ''],
  ])('is reduced to one short line: %#', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  it.each([
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_660_000, '1 h 1 min'],
  ])('shows %i ms as %s', (ms, text) => {
    expect(span(ms)).toBe(text);
  });
});

function statusWith(patch: Partial<NodeJson>): ProjectStatus {
  const node: NodeJson = {
    ...{ id: 'n1', label: 'step-001', template: 'impl', title: 'impl', item: null, kind: 'task', state: 'running' },
    ...{ generation: 1, attempt: 1, max_attempts: 3, outcome: null, reason: null, skip_reason: null, tests: null },
    ...{ summary: null, not_before: null, activity: null, waits_for: null, executor: null },
    ...patch,
  };
  const run = {
    id: 'r1',
    workflow: 'test',
    status: 'running',
    pause_reason: null,
    task: 'Make it',
    cost_usd: 0,
    cost_known: true,
  };
  return {
    ...{ project: 'shop', aliases: [], level: 'auto', health: 'running', items: [], interactions: [], drafts: [] },
    opened: null,
    run: { ...run, started_at: null, ended_at: null },
    nodes: [node],
  };
}
