import { describe, expect, it } from 'vitest';
import { fill, type NodeDef, renderMemberPrompt, renderPrompt, templateValues } from '../../src/engine/index.js';
import * as build from './builders.js';
import { def, failing, goto, item, loop, type NodePatch, Player, pass, said, workflow } from './builders.js';

function storyAt(patch: NodePatch, ...before: readonly NodeDef[]): Player {
  const body = [...before, def('impl', { title: 'Implementation', ...patch })];
  return Player.start(workflow([loop('stories', body)]), { items: [item('US-005')] });
}

function promptOf(player: Player, template = 'impl', chain = 'US-005'): string {
  return renderPrompt(player.stateOf(chain), player.node(template, chain).id).text;
}

describe('filling a template', () => {
  it.each([
    ['plain text', {}, 'plain text', []],
    ['{{a}} and {{ b.c }}', { a: '1', 'b.c': '2' }, '1 and 2', []],
    ['{{a}}', { a: '{{b}} {step} $& $1', b: 'x' }, '{{b}} {step} $& $1', []],
    ['{{gone}} {{gone}}', {}, '[missing: gone] [missing: gone]', ['gone', 'gone']],
    ['{{constructor}}', {}, '[missing: constructor]', ['constructor']],
    ['{step} {{no such}}', { step: 'x' }, '{step} {{no such}}', []],
    ['{{#if a}}A {{a}}{{else}}no A{{/if}}.', { a: 'x' }, 'A x.', []],
    ['{{#if a}}A {{a}}{{else}}no A{{/if}}.', { a: ' ' }, 'no A.', []],
    ['{{#if a}}A{{/if}}.', {}, '.', []],
    ['1\n{{#if a}}\n2\n{{else}}\n3\n{{/if}}\n4', { a: '' }, '1\n3\n4', []],
    ['{{#if a}}A{{#if b}}B{{else}}b{{/if}}{{else}}{{#if b}}aB{{/if}}{{/if}}', { a: '1' }, 'Ab', []],
    ['{{#if a}}A{{#if b}}B{{else}}b{{/if}}{{else}}{{#if b}}aB{{/if}}{{/if}}', { b: '1' }, 'aB', []],
    ['{{#if a}}{{b}}{{/if}}', { a: '{{#if b}}', b: '{{/if}}' }, '{{/if}}', []],
    ['{{#if a}} never closed', { a: '1' }, '{{#if a}} never closed', []],
  ])('replaces the names in "%s" in a single pass', (template, values, text, missing) => {
    expect(fill(template, values)).toEqual({ text, missing });
  });
});

describe('a prompt', () => {
  it('opens with the step and its story', () => {
    expect(promptOf(storyAt({}))).toMatch(/^You are executing step Implementation for US-005\.\n/);
  });

  it('names the project when there is no story', () => {
    const player = Player.start(workflow([def('impl')]), { task: 'Fix the bug' });
    const text = promptOf(player, 'impl', '');
    expect(text).toMatch(/^You are executing step impl for shop\.\n/);
    expect(text).toContain('## Task\nFix the bug');
    expect(text).toContain('story: shop');
  });

  it('shows the attempt number only from the second attempt on', () => {
    const player = storyAt({});
    expect(promptOf(player)).not.toContain('(Attempt');
    player.settle(failing);
    expect(promptOf(player)).toContain('You are executing step Implementation for US-005. (Attempt 2 of 3)');
  });

  it('does not count a crash as an attempt', () => {
    expect(promptOf(storyAt({}).settle(build.crash))).not.toContain('(Attempt');
  });

  it('lists the files to read in order, with an existing hand-off last', () => {
    const reads = ['docs/sdd.md', '.ai/HANDOFF.md', 'docs/bdd/{{item.key}}.md'];
    const player = storyAt({ reads }, def('bdd'));
    player.settle();
    expect(promptOf(player)).toContain(
      'Please read the following files in order:\n1. docs/sdd.md\n2. docs/bdd/US-005.md\n3. .ai/HANDOFF.previous.md (the report of the step before)\n',
    );
  });

  it('omits the reading list when there is nothing to read', () => {
    expect(promptOf(storyAt({}))).not.toContain('Please read');
    expect(promptOf(storyAt({ reads: ['a.md'] }))).toContain('in order:\n1. a.md\n\n');
  });

  it("includes a person's note once, and not in the next attempt", () => {
    const player = storyAt({}, def('review', { kind: 'human' }));
    player.answer('approve', '30 seconds {step} {{task}}');
    expect(promptOf(player).match(/=== Human Instruction ===/g)).toHaveLength(1);
    expect(promptOf(player)).toContain(
      '=== Human Instruction ===\n30 seconds {step} {{task}}\n=== End of Human Instruction ===',
    );
    player.settle(failing);
    expect(promptOf(player)).not.toContain('Human Instruction');
  });

  it('includes no note for a step that is not dispatched yet', () => {
    const player = Player.start(workflow([def('impl'), def('verify')]));
    expect(promptOf(player, 'verify', '')).not.toContain('Human Instruction');
  });

  it("includes the agent's question with its answer", () => {
    const player = storyAt({}).settle(build.question).answer('answer', 'Blue');
    expect(promptOf(player)).toContain('You asked: Which colour?\nThe answer: Blue');
  });

  it("fills the step's instruction and names missing values", () => {
    const player = storyAt({ prompt: 'Do {{item.title}}: {{task}} {{nothing}}' });
    const filled = renderPrompt(player.stateOf('US-005'), player.node('impl', 'US-005').id);
    expect(filled.text).toContain('Do Title of US-005: Make it [missing: nothing]');
    expect(filled.missing).toEqual(['nothing']);
  });

  it("includes the story's criteria, and its description only when it adds to the title", () => {
    expect(promptOf(storyAt({}))).toContain('## US-005: Title of US-005\n\nAbout US-005\n\n- US-005 works');
    const named = Player.start(workflow([loop('stories', [def('impl')])]), { task: 'US-005 history' });
    expect(promptOf(named)).toContain('## US-005: history\n\n##');
  });

  it('lists the files that the step may write', () => {
    expect(promptOf(storyAt({ writes: ['docs/{{item.key}}.md', '*.ts'] }))).toContain(
      'Write your work to:\n- docs/US-005.md\n- *.ts\n',
    );
    expect(promptOf(storyAt({}))).not.toContain('Write your work to');
  });

  it('tells a step that must change files how to report that nothing needs changing', () => {
    const changes = storyAt({ expects: { ...def('a').expects, changes: true } });
    expect(promptOf(changes)).toContain('report status pass with reason nothing_to_do');
    expect(promptOf(storyAt({}))).not.toContain('nothing_to_do');
  });

  it('shows what failed in the previous attempt', () => {
    const checks = [build.check('tests', false, ['orders are sorted', 'totals add up']), build.check('check', true)];
    const player = storyAt({}).settle(
      build.envelope({ result: build.report('failing', 'nfr_missing', 'Two left'), checks }),
    );
    const text = promptOf(player);
    expect(text).toContain('## The attempt before this one, impl: failing (nfr_missing)\ntests: 2 failing');
    expect(text).toContain('The agent says: Two left\n');
    expect(text).toContain('- failing: orders are sorted\n- failing: totals add up\nrun tests:\ntests broke');
    expect(text).not.toContain('run check');
  });

  it('shows why another step sent the work back, until the step is done', () => {
    const flow = [def('impl'), def('polish'), def('verify', { onFail: { default: goto('impl') } })];
    const player = Player.start(workflow([loop('stories', flow)]), { items: [item('US-005')] }).walk(pass, pass);
    player.settle(build.envelope({ result: build.report('failing', null, 'Not complete') }));
    expect(promptOf(player)).toContain('## The attempt before this one, verify: failing\nNot complete');
    expect(promptOf(player.settle(), 'polish')).not.toContain('The attempt before');
  });

  it('omits the previous attempt when it left no report', () => {
    expect(promptOf(storyAt({}).settle(failing))).not.toContain('The attempt before');
  });

  it('ends with the front matter, the hints, the keys to print and "do only this step"', () => {
    const text = promptOf(
      storyAt({
        decisionKey: 'DECISION',
        onDecision: {},
        outputs: ['PR_URL', 'CHANGES'],
        expects: { status: null, keys: ['PR_URL'], items: 'any', red: false },
      }),
    );
    expect(text).toContain('---\nstory: US-005\nstep: impl\nattempt: 1\nstatus: pass | failing | needs_human\n');
    expect(text).toContain('tests_pass: 0\ntests_fail: 0\ntests_skip: 0\nreview_digest: ');
    expect(text).toContain('\nquestions: []\n---');
    expect(text).toContain('\nreason: null\n');
    expect(text).toContain(
      'with these lines:\nSTATUS: (the same word)\nPR_URL: …\nDECISION: …\nCHANGES: …\nYour process',
    );
    expect(text).toContain('Do only this step, then stop.\n');
    expect(promptOf(storyAt({}))).toContain('with these lines:\nSTATUS: (the same word)\nYour process');
    const naming = promptOf(storyAt({ outputs: ['NEXT_STORY'] }));
    expect(naming).toContain('else nothing: NEXT_STORY: US-006 title of the story.');
    expect(text).not.toContain('NEXT_STORY');
  });

  it("uses the role's prompt when the step has none", () => {
    const flow = workflow([def('impl', { role: 'developer', prompt: null })], {
      roles: {
        developer: { id: 'developer', prompt: 'Develop {{task}} in {{project.root}}.', executor: null, access: null },
      },
    });
    const player = Player.start(flow, { task: 'a cart' });
    const { text } = renderPrompt(player.stateOf(''), player.node('impl').id, { 'project.root': '/srv/shop' });
    expect(text).toContain('Develop a cart in /srv/shop.');
  });

  it('throws for a node that does not exist', () => {
    const state = storyAt({}).stateOf('US-005');
    expect(() => renderPrompt(state, 'n99')).toThrow('no node n99 to prompt for');
    expect(() => renderPrompt({ ...state, workflow: workflow([]) }, state.chain.nodes[0]?.id ?? '')).toThrow(
      'to prompt for',
    );
  });
});

describe('template values', () => {
  it('include the run, the story and the progress of the stories', () => {
    const flow = workflow([loop('stories', [def('impl')])], { context: { tone: 'dry' } });
    const player = Player.start(flow, { items: [item('A'), item('B'), item('C')], afterStory: 'start' }).walk(
      said({ STATUS: 'pass' }),
    );
    expect(templateValues(player.stateOf('B'))).toMatchObject({
      task: 'Make it',
      run_id: 'r12',
      project: 'shop',
      tone: 'dry',
      verify_feedback: '',
      completed_stories: 'A Title of A',
      stories_remaining: '2',
      story: 'B',
      'item.key': 'B',
      'item.criteria': '1. B works',
      current_story: 'B: Title of B\n\nAbout B\n\n1. B works',
      current_story_id: 'B',
      current_story_title: 'Title of B',
    });
  });

  it("include no story in the run's own chain, and carried values override defaults", () => {
    const flow = workflow([
      def('impl'),
      def('verify', { onFail: { default: goto('impl', { carry: { verify_feedback: 'ISSUES' } }) } }),
    ]);
    const player = Player.start(flow)
      .settle()
      .settle(said({ STATUS: 'failing', ISSUES: 'typos' }));
    const values = templateValues(player.stateOf(''));
    expect(values['verify_feedback']).toBe('typos');
    expect(values['item.key']).toBeUndefined();
  });
});

describe('the prompt of a team member', () => {
  const roles = {
    backend: { reads: ['docs/{{task}}.md'], writes: ['src/**'], prompt: 'You do {{task}}.' },
    tests: { reads: [], writes: [], prompt: null },
  };
  const team = { mode: { S: 'team', M: 'team', L: 'team' }, roles } as const;
  const player = Player.start(workflow([def('impl', { team })]));
  const promptFor = (role: string) => renderMemberPrompt(player.stateOf(''), player.node('impl').id, role);

  it("ends with the member's own part", () => {
    const text = promptFor('backend');
    expect(text).toContain('You are executing step impl');
    expect(text).toContain('## Your part: backend\n\nYou are one of a team on this step (backend, tests).');
    expect(text).toContain('You do Make it.\n\nRead only:\n- docs/Make it.md\n\nWrite only:\n- src/**');
    expect(promptFor('tests')).not.toContain('only:\n');
  });

  it('throws for a role that is not in the team', () => {
    expect(() => promptFor('nobody')).toThrow('no role nobody in the team of impl');
    const alone = Player.start(workflow([def('impl')]));
    expect(() => renderMemberPrompt(alone.stateOf(''), alone.node('impl').id, 'x')).toThrow('no role x');
  });
});

describe('the call and arguments of a step', () => {
  it('are in its prompt', () => {
    const player = Player.start(
      workflow([def('plan', { call: 'maestro-plan', args: '{{phase}} of "{{task}}"' }), def('x', { call: 'go' })], {
        context: { phase: '2' },
      }),
    );
    expect(promptOf(player, 'plan', '')).toContain('Called as: maestro-plan 2 of "Make it"\n');
    player.settle(pass);
    expect(promptOf(player, 'x', '')).toContain('Called as: go\n');
  });
});

describe('the progress log in a prompt', () => {
  const told = (exports: readonly 'progress'[], progress: string | null) => {
    const player = Player.start(workflow([def('a'), def('b', { prompt: 'Log: {{progress}}' })], { exports }));
    return promptOf(player.settle(build.envelope({ ...pass, progress })), 'b', '');
  };

  it.each([
    [['progress'], '# learnt', 'Log: # learnt'],
    [['progress'], null, 'Log: (no progress yet)'],
    [[], null, 'Log: (no progress file)'],
  ] as const)('of a run that exports %j and read %j says so', (exports, progress, expected) => {
    expect(told(exports, progress)).toContain(expected);
  });
});
