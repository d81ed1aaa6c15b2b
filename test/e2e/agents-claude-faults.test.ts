// What goes wrong around the real Claude Code.
import { expect, it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import { after, testEnds, testGrandchildren, testRefusals, testWaits } from '../agents/faults.js';
import { fail } from '../agents/model/talk.js';
import { givenStage } from '../agents/stage.js';
import { oneStep } from '../agents/steps.js';

describeAgent('claude', 'meets faults', () => {
  testRefusals('claude');
  testEnds('claude');
  testGrandchildren('claude');
  testWaits('claude');

  it('a rate limit with an announced end: the step is retried once that time is over', async () => {
    // It tries once more by itself.
    const stage = await givenStage('claude', { Build: after(2, fail(429, 'too many requests', 2)) }, oneStep());
    await stage.run('build it');
    expect((await stage.ended()).run?.status).toBe('completed');
    const events = await stage.events();
    const [first, second] = events.filter(({ type }) => type === 'attempt_started');
    const settled = events.find(({ type }) => type === 'attempt_settled');
    const waitedMs = Number(second?.at) - Number(settled?.at);
    expect(first?.at).toBeLessThan(Number(settled?.at));
    expect(waitedMs).toBeGreaterThan(1500);
    expect(waitedMs).toBeLessThan(20_000);
  });
});
