// Parts of a prompt for chains of small steps: what the steps before noted, and how to edit those after.
import { describe, expect, it } from 'vitest';
import { renderPrompt } from '../../src/engine/index.js';
import { def, Player, pass, workflow } from './builders.js';
import { addAfter, edited, oneStory, ralph, step } from './chains.js';

function summed(summary: string, envelope = pass) {
  return { ...envelope, output: { ...envelope.output, summary } };
}

function promptOf(player: Player, template: string, chain = 'A'): string {
  return renderPrompt(player.stateOf(chain), player.node(template, chain).id).text;
}

describe('the notes of earlier steps in a prompt', () => {
  it('are the summaries of all finished steps, in the order they finished', () => {
    const player = Player.start(ralph, oneStory)
      .settle(summed('found it'))
      .settle(summed('planned it', edited(addAfter('step-001', 'spike'))));
    player.settle(summed('tried it')).settle(pass);
    const text = promptOf(player, 'test_architecture');
    expect(text).toContain(
      '## Notes of the steps before\n\n### step-001 context_gathering\nfound it\n\n### step-002 planning\nplanned it\n\n### step-011 spike\ntried it\n<<end ',
    );
    expect(text).not.toContain('### step-003');
  });

  it('are left out for the first step and in chains without step notes', () => {
    const player = Player.start(ralph, oneStory);
    expect(promptOf(player, 'context_gathering')).not.toContain('## Notes');
    const plain = Player.start(workflow([def('a'), def('b')])).settle(summed('done'));
    expect(promptOf(plain, 'b', '')).not.toContain('## Notes');
  });
});

describe('the editing instructions in a prompt', () => {
  it('list the allowed operations, the step types and the steps still to come', () => {
    const player = Player.start(ralph, oneStory).settle();
    const text = promptOf(player, 'planning');
    expect(text).toContain('write a JSON array of operations to BOSUN_EDITS_FILE.');
    expect(text).toContain(
      '- restart: target_step_id (this step, step-002), new_description; begins it anew, at most 3 times',
    );
    expect(text).toContain(
      'Types: context_gathering, planning, architecture, test_architecture, coding, linting, initial_testing, review, prune_tests, spike.',
    );
    expect(text).toContain('- step-006 linting, mandatory\n');
    expect(text).toContain('- step-010 final_review, mandatory, always last');
    expect(text).not.toContain('- step-002');
    const { text: own } = renderPrompt(player.stateOf('A'), player.node('planning', 'A').id, {
      edits_file: 'edits/A.json',
    });
    expect(own).toContain('operations to edits/A.json.');
  });

  it('are left out for a step that may not edit', () => {
    expect(promptOf(Player.start(ralph, oneStory), 'context_gathering')).not.toContain('Editing');
  });

  it("are included in the run's own chain as well", () => {
    expect(promptOf(Player.start(workflow([step('plan')])), 'plan', '')).toContain('Types: plan.');
  });
});
