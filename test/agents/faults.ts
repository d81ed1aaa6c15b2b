// What a provider, a network or a machine may do to a real agent: each ends in a card or a wait, and none hangs.
import { expect, it, onTestFinished } from 'vitest';
import type { Status } from '../e2e/status-schema.js';
import { fail, hang, type Move, run, say } from './model/talk.js';
import { gone, processesOf } from './processes.js';
import type { AgentKind } from './programs.js';
import { givenStage } from './stage.js';
import { oneStep } from './steps.js';

const tooLong = fail(400, 'prompt is too long: 300000 tokens > 200000 maximum');

/** What another try would not mend. */
export function testRefusals(kind: AgentKind): void {
  it.each([
    ['a key that is refused (401)', fail(401, 'Incorrect API key provided: dummy.'), /log|key|sign/i],
    ['a context that is too long (400)', tooLong, /too long|context/i],
  ])('%s: stops retrying and asks with the reason', async (_what, failure, words) => {
    const stage = await givenStage(kind, { Build: always(failure) }, oneStep());
    await stage.run('build it');
    const card = await stage.asked('escalation');
    expect(card.text).toMatch(words);
    const { nodes } = await stage.status();
    expect(nodes).toMatchObject([{ state: 'needs_human', outcome: 'crashed' }]);
    expect(await stage.attempts()).toBe(1);
  });
}

/** An agent that does not begin, or does not end by itself. */
export function testEnds(kind: AgentKind): void {
  it('a server that never answers: the attempt times out and a card asks', async () => {
    const stage = await givenStage(kind, { Build: [hang] }, oneStep({ limitMs: 3000 }));
    await stage.run('build it');
    await stage.asked('escalation');
    expect((await stage.status()).nodes).toMatchObject([{ outcome: 'timeout' }]);
  });

  it('a missing program: stops retrying and asks, naming the program', async () => {
    const executor = { program: '/nowhere/agent' };
    const stage = await givenStage(kind, {}, { ...oneStep(), executor });
    await stage.run('build it');
    expect((await stage.asked('escalation')).text).toContain('/nowhere/agent');
    expect(await stage.attempts()).toBe(1);
  });
}

/** A silent agent leaves nobody behind. */
export function testGrandchildren(kind: AgentKind): void {
  it('kills grandchildren in other sessions within two seconds of the time limit', async () => {
    const mark = `sleep 98${String(Math.floor(Math.random() * 1e6)).padStart(6, '0')}`;
    // The ones are its own tree, which it may end itself; the others have no parent any more that it knows.
    const command = `setsid sh -c '${mark} & ${mark}' & setsid -f sh -c '${mark} & ${mark}'; ${mark}`;
    const limitMs = 6000;
    const stage = await givenStage(kind, { Build: [run(command)] }, { ...oneStep({ limitMs }), ...mayRun(kind) });
    onTestFinished(() => {
      for (const pid of processesOf(mark)) process.kill(pid, 'SIGKILL');
    });
    await stage.run('build it');
    const most = await gone(mark);
    const goneAt = Date.now();
    await stage.asked('escalation');
    expect(most).toBeGreaterThanOrEqual(5);
    const started = (await stage.events()).find(({ type }) => type === 'attempt_started');
    const lateMs = goneAt - Number(started?.at) - limitMs;
    expect(lateMs).toBeGreaterThan(-500);
    expect(lateMs).toBeLessThan(2000);
  });
}

/** What goes better later. */
export function testWaits(kind: AgentKind): void {
  it.each([
    ['a limit of requests (429)', fail(429, 'Rate limit reached for requests.'), 'rate_limited'],
    ['an overload (529)', fail(529, 'Overloaded'), 'overloaded'],
    ['an error of the server (500)', fail(500, 'The server had an error while processing your request.'), 'overloaded'],
  ])('%s: retries later, and says when', async (_what, failure, reason) => {
    const stage = await givenStage(kind, { Build: always(failure) }, oneStep());
    await stage.run('build it');
    const { nodes, interactions } = await stage.until('its first try is over', (status) =>
      status.nodes.some(({ outcome }) => outcome !== null),
    );
    expect(nodes).toMatchObject([{ state: 'queued', attempt: 1, outcome: 'crashed', reason }]);
    expect(interactions).toEqual([]);
    expect(waitOf(nodes)).toBeGreaterThan(0);
  });

  it('waits out a rate limit that lifts at once', async () => {
    const stage = await givenStage(kind, { Build: after(1, fail(429, 'too many requests', 1)) }, oneStep());
    await stage.run('build it');
    expect((await stage.ended()).run?.status).toBe('completed');
  });
}

export const always = (failure: Move) => () => [failure];

/** Fails so many times and then goes well. */
export function after(times: number, failure: Move): () => readonly Move[] {
  let left = times;
  return () => (left-- > 0 ? [failure] : [say('STATUS: pass\nSUMMARY: it was built')]);
}

/** How long the one step waits before it is begun again. */
export function waitOf([node]: Status['nodes']): number {
  return Date.parse(node?.not_before ?? '') - Date.now();
}

/** Without the sandbox, which would take all of its processes with it. */
function mayRun(kind: AgentKind) {
  return { executor: kind === 'claude' ? { tools: ['Bash'] } : { permission: 'bypass' } };
}
