// Real agents in a real worktree: what they change there comes to the base branch, and nothing is changed elsewhere.
import { expect, it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import { run, say } from '../agents/model/talk.js';
import { put, rightCode } from '../agents/moves.js';
import { givenStage } from '../agents/stage.js';
import { apart } from '../agents/steps.js';

for (const kind of ['claude', 'codex'] as const) {
  describeAgent(kind, 'in a worktree', () => {
    it('edits a file in its worktree, which is then merged into the base branch', async () => {
      const script = {
        Build: [run('pwd'), ...put('src/cart.ts', rightCode), say('STATUS: pass\nSUMMARY: it adds up')],
      };
      const stage = await givenStage(kind, script, apart);
      await stage.run('US-001 Add up a cart');
      const { run: ended } = await stage.ended();
      expect(ended?.status).toBe('completed');
      const [where = ''] = stage.model.asked.map(({ talk }) => talk.results[0]).filter((one) => one !== undefined);
      expect(where).toContain('/worktrees/');
      expect(stage.read('src/cart.ts')).toBe(rightCode);
      expect(stage.git('status', '--porcelain')).toBe('');
      expect(stage.git('show', '--format=', '--name-only', 'HEAD')).toBe('src/cart.ts');
      expect(stage.git('worktree', 'list').split('\n')).toHaveLength(1);
      expect(stage.model.strangers).toEqual([]);
    });
  });
}
