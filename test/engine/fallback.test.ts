// A project with several executors: who takes over, when the first one comes back, and what that costs.
import { describe, expect, it } from 'vitest';
import { type Envelope, type ExecutorsTold, fold, type NodeDef } from '../../src/engine/index.js';
import { def, envelope, failing, Player, pass, workflow } from './builders.js';

const minute = 60_000;
const hour = 60 * minute;

const limited = (waitMs?: number) =>
  envelope({
    fault: { code: 'rate_limited', message: 'slow down', remedy: 'wait', ...(waitMs !== undefined && { waitMs }) },
  });
const broken = (code: string) => envelope({ fault: { code, message: 'mend it', remedy: 'ask' } });

const two = ['claude', 'codex'];

function start(patch: Partial<NodeDef> = {}, roles = {}): Player {
  return Player.start(workflow([def('impl', patch), def('verify', patch)], { roles }));
}

/** The live attempt ends as its executor's, the first unless the engine named another. */
function end(player: Player, result: Envelope, order: readonly string[] = two): Player {
  const [live] = player.run.live;
  if (!live) throw new Error('nothing is live');
  const used = executorOf(player, order);
  const executors: ExecutorsTold = { used, order, fallbackAfterMs: 5 * minute };
  if (live.startedAt === null) player.do({ type: 'attempt_started', attempt: live.attempt, worker: 'w1' });
  return player.do({ type: 'attempt_settled', attempt: live.attempt, envelope: result, executors });
}

function executorOf(player: Player, order: readonly string[] = two): string {
  const node = player.state.chain.nodes.find(({ live }) => live !== null);
  return node?.live?.executor ?? order[0] ?? '';
}

function begins(player: Player) {
  const node = player.state.chain.nodes.find(({ live }) => live !== null);
  const { notBefore = null } = node?.live ?? {};
  return { by: executorOf(player), in: notBefore === null ? 0 : notBefore - player.now, abandons: node?.abandons };
}

const changes = (player: Player) => player.notices.filter(({ type }) => type.startsWith('executor_'));

describe('an executor that fails', () => {
  it.each([
    ['at a limit that lasts longer than fallback_after_s', limited(hour), 'codex', 0, 0],
    ['at a limit that lifts before that', limited(minute), 'claude', minute, 1],
    ['overloaded, with no time told', limited(), 'claude', 30_000, 1],
    ['without a login', broken('not_logged_in'), 'codex', 0, 0],
    ['without its program', broken('not_installed'), 'codex', 0, 0],
    ['as a command that is missing', broken('executor_missing'), 'codex', 0, 0],
    ['with its work', failing, 'claude', 0, 0],
  ])('%s hands over only where the other one helps', (_, result, by, inMs, abandons) => {
    expect(begins(end(start(), result))).toEqual({ by, in: inMs, abandons });
  });

  it('says who goes on and until when, before its step is tried again', () => {
    const player = end(start(), limited(hour));
    const told = { failed: 'claude', code: 'rate_limited', until: player.now + hour, by: 'codex', from: null };
    expect(changes(player)).toEqual([{ type: 'executor_replaced', ...told }]);
    expect(changes(end(start(), broken('not_logged_in')))).toMatchObject([{ until: null, by: 'codex' }]);
  });

  it('hands over at once when the step has no more waits', () => {
    expect(begins(end(start({ abandons: 0 }), limited(minute)))).toMatchObject({ by: 'codex', in: 0 });
  });

  it('hands over after short waits that last too long together', () => {
    const player = start({ abandons: 9 });
    for (let turn = 0; turn < 5; turn++) {
      expect(executorOf(player)).toBe('claude');
      player.now += begins(player).in;
      end(player, limited(2 * minute));
      if (executorOf(player) === 'codex') break;
    }
    expect(begins(player)).toMatchObject({ by: 'codex', in: 0 });
    expect(begins(player).abandons).toBeLessThan(4);
  });

  it('leaves attempts and waits of the step as they were', () => {
    const player = end(start(), limited(hour));
    expect(player.node('impl')).toMatchObject({ attempt: 1, abandons: 0, dispatches: 2 });
    end(player, failing);
    expect(player.node('impl')).toMatchObject({ attempt: 2, abandons: 0 });
  });

  it('does not hand over in a list of one, in a role with its own executor, or where no list is told', () => {
    const alone = end(start(), limited(hour), ['claude']);
    const role = { coder: { id: 'coder', prompt: null, executor: 'claude', access: 'write' } };
    const fixed = end(start({ role: 'coder' }, role), limited(hour));
    const untold = start().settle(limited(hour));
    for (const player of [alone, fixed, untold]) {
      expect(begins(player)).toEqual({ by: 'claude', in: hour, abandons: 1 });
      expect(changes(player)).toEqual([]);
    }
  });
});

describe('while the first executor is at its limit', () => {
  it('later steps go to the second, and the first is used again once the limit lifts', () => {
    const player = end(end(start(), limited(hour)), pass);
    expect([player.line(), executorOf(player)]).toEqual(['impl:passed verify:queued', 'codex']);
    player.now += hour;
    end(player, failing);
    expect(executorOf(player)).toBe('claude');
    expect(changes(player)).toEqual([{ type: 'executor_back', name: 'claude' }]);
    end(player, failing);
    expect([executorOf(player), changes(player)]).toEqual(['claude', []]);
  });

  it('a limit of the second waits for the one that lifts earlier, and that wait counts', () => {
    const later = end(end(start(), limited(hour)), limited(2 * hour));
    expect(begins(later)).toMatchObject({ by: 'claude', abandons: 1 });
    expect(later.node('impl').live?.notBefore).toBe(later.run.executors?.down[0]?.until);
    const earlier = end(end(start(), limited(2 * hour)), limited(hour));
    expect(begins(earlier)).toEqual({ by: 'codex', in: hour, abandons: 1 });
  });

  it('a second without a login waits for the limit to lift, and two without a login ask a person', () => {
    const waits = end(end(start(), limited(3 * hour)), broken('not_logged_in'));
    expect(begins(waits)).toMatchObject({ by: 'claude', abandons: 1 });
    const asks = end(end(start(), broken('not_logged_in')), broken('not_installed'));
    expect(asks.asks).toEqual(['stuck']);
  });

  it('a person is asked once the waits of the step are used up', () => {
    const player = start({ abandons: 1 });
    for (let turn = 0; turn < 3; turn++) end(player, limited(hour));
    expect([player.asks, player.live]).toEqual([['stuck'], null]);
    expect(begins(player.answer('retry'))).toMatchObject({ in: 0 });
  });

  it('ends that say nothing of the executor keep what is known', () => {
    const player = end(start(), limited(hour));
    end(player, envelope({ killed: 'interrupted' }));
    expect(begins(player)).toMatchObject({ by: 'codex' });
    expect(player.run.executors?.down.map(({ name }) => name)).toEqual(['claude']);
  });

  it('a list that lost the stand-in names no executor that config.yaml does not have', () => {
    const player = end(end(start(), limited(hour)), failing, ['codex', 'gemini']);
    expect(player.run.executors).toEqual({ order: ['codex', 'gemini'], down: [] });
    expect(executorOf(player, ['codex', 'gemini'])).toBe('codex');
  });
});

it('a session is resumed by the executor that began it, and by no other', () => {
  const own = { freshSession: false };
  const player = end(start(own), { ...limited(hour), session: 's-claude' });
  expect(player.node('impl').live).toMatchObject({ executor: 'codex', resumes: null });
  end(player, { ...failing, session: 's-codex' });
  expect(player.node('impl').live).toMatchObject({ executor: 'codex', resumes: 's-codex' });
  player.now += hour;
  end(player, failing);
  expect(player.node('impl').live).toMatchObject({ resumes: null });
});

it('a replay of the events gives the same state', () => {
  const player = end(end(end(start(), limited(hour)), limited(2 * hour)), broken('not_logged_in'));
  expect(fold(player.events, player.workflow)).toEqual(player.world);
});
