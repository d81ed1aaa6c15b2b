// A budget and the real programs: each model call costs $0.45, and a run may spend $2.
import { expect, it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import { type Move, run, say } from '../agents/model/talk.js';
import type { AgentKind } from '../agents/programs.js';
import { givenStage, type Stage } from '../agents/stage.js';
import { oneStep } from '../agents/steps.js';

const callUsd = 0.45;
/** Of the model that Claude Code takes for an unknown one, so that it counts the same. */
const prices = { input: 3, cached: 3, output: 15 };
const tokens = { input: 100_000, cached: 0, output: 10_000 };

const executors = {
  claude: { model: 'sonnet', tools: ['Bash'] },
  codex: { prices },
  opencode: { prices, tools: ['Bash'] },
} satisfies Record<AgentKind, object>;

for (const kind of ['claude', 'codex', 'opencode'] as const) {
  describeAgent(kind, 'and a budget', () => {
    it('is stopped by the model call that reaches it, however fast its commands are', async () => {
      const endless = Array.from({ length: 30 }, (_, n) => run(`echo ${n}`));
      const stage = await given(kind, endless, 2);
      const card = await stage.asked('budget');
      expect(card.text).toContain('Spent $2.25 of the $2.00 for this run.');
      // Codex begins its next call as it reports the last one's tokens; Bosun then ends that call without an answer.
      const begun = kind === 'codex' ? [5, 6] : [5];
      expect(begun).toContain(calls(stage));
    });

    it('keeps the work of the call that reaches it, if that call ends the turn', async () => {
      const moves = [run('echo on'), run('echo more'), say('STATUS: pass\nSUMMARY: it was built')];
      const stage = await given(kind, moves, 3 * callUsd);
      const { nodes } = await stage.ended();
      expect(nodes).toMatchObject([{ state: 'passed', attempt: 1 }]);
      expect(calls(stage)).toBe(3);
    });
  });
}

async function given(kind: AgentKind, moves: readonly Move[], runUsd: number): Promise<Stage> {
  const more = { executor: executors[kind], project: { budget: { run_usd: runUsd } } };
  const stage = await givenStage(kind, { Build: moves }, { ...oneStep(), ...more });
  stage.model.charge(tokens);
  await stage.run('build it');
  return stage;
}

/** Side questions, such as for a title, are not the step's. */
function calls({ model }: Stage): number {
  return model.asked.filter(({ talk }) => talk.tools.length > 0).length;
}
