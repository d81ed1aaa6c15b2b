// What goes wrong around the real Codex.
import { expect, it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import { always, testEnds, testGrandchildren, testRefusals, testWaits, waitOf } from '../agents/faults.js';
import { fail } from '../agents/model/talk.js';
import { givenStage } from '../agents/stage.js';
import { oneStep } from '../agents/steps.js';

describeAgent('codex', 'meets faults', () => {
  testRefusals('codex');
  testEnds('codex');
  testGrandchildren('codex');
  testWaits('codex');

  it('a rate limit that the agent would wait out in silence: it is ended and queued until the limit lifts', async () => {
    const stage = await givenStage('codex', { Build: always(fail(429, 'too many requests', 900)) }, oneStep());
    await stage.run('build it');
    const { nodes } = await stage.until('its first try is over', (status) =>
      status.nodes.some(({ outcome }) => outcome !== null),
    );
    expect(nodes).toMatchObject([{ state: 'queued', outcome: 'crashed', reason: 'rate_limited' }]);
    expect(waitOf(nodes)).toBeGreaterThan(800_000);
  });
});
