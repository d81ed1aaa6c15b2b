// Shipped workflows from their start to their end with the real programs: no card on the normal path, and Bosun makes
// branches and commits.
import { it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import {
  compound,
  dynamicRalph,
  expectCompound,
  expectFeature,
  expectLifecycle,
  expectRalph,
  featureDev,
  lifecycle,
} from '../agents/long-walks.js';
import { expectSent } from '../agents/prompt-record.js';
import { givenStage } from '../agents/stage.js';

const coAuthors = { claude: 'Claude <noreply@anthropic.com>', codex: 'Codex <noreply@openai.com>' } as const;

for (const kind of ['claude', 'codex'] as const) {
  describeAgent(kind, 'workflows without a person', () => {
    it('feature-dev: plans, builds, verifies and reviews, and Bosun makes branch and commits', async () => {
      const stage = await givenStage(kind, featureDev, { workflow: 'feature-dev' });
      await expectFeature(stage, coAuthors[kind]);
      await expectSent(stage, `feature-dev.${kind}`);
    });

    it('dynamic-ralph: ten steps of a story in a worktree, with notes by tools, as one commit', async () => {
      const stage = await givenStage(kind, dynamicRalph, { workflow: 'dynamic-ralph' });
      await expectRalph(stage);
      await expectSent(stage, `dynamic-ralph.${kind}`);
    });

    it('lifecycle: twelve stages to a finished milestone, and five gates over their files', async () => {
      const stage = await givenStage(kind, lifecycle, { workflow: 'lifecycle' });
      await expectLifecycle(stage);
      await expectSent(stage, `lifecycle.${kind}`);
    }, 240_000);

    it('compound-engineering: brainstorms, plans, works, reviews and writes down what was learned', async () => {
      const stage = await givenStage(kind, compound, { workflow: 'compound-engineering' });
      await expectCompound(stage);
      await expectSent(stage, `compound-engineering.${kind}`);
    });
  });
}
