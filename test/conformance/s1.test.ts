// Decisions, item by item: what a step decides leads the work on or back. Against the shipped compound-engineering and
// against files in the older spelling.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from '../../src/bot/grammar/index.js';
import { noticeView } from '../../src/bot/views/notices.js';
import { definitions, fold, renderPrompt, type Workflow } from '../../src/engine/index.js';
import * as build from '../engine/builders.js';
import { nodesOf, Player } from '../engine/builders.js';
import {
  type Elsewhere,
  flow,
  jobOf,
  load,
  loaded,
  loadShipped,
  nodeOf,
  printed,
  problemsOf,
  promptOf,
  prove,
  proveWhole,
  type Row,
  readShippedPrompt,
  says,
  warningsOf,
} from './given.js';

const compound = loadShipped('compound-engineering');
const steps = ['brainstorm', 'plan', 'work', 'review', 'compound'] as const;
type Step = (typeof steps)[number];

const thought = 'STATUS: done\nBRAINSTORM_OUTPUT: docs/brainstorms/a.md: an index';
const plan = 'STATUS: done\nPLAN_FILE: docs/plans/a.md\nPLAN_SUMMARY: three steps';
const worked = 'STATUS: done\nIMPLEMENTATION_SUMMARY: built it\nFILES_CHANGED: a.ts\nPR_URL: https://git/1';
const verdict = (decision: string, issues = 'none') =>
  `STATUS: done\nDECISION: ${decision}\nREVIEW_ISSUES: ${issues}\nREVIEW_NOTES: well done`;
const learnt = 'STATUS: done\nLEARNINGS: index early\nFILE_CREATED: docs/solutions/a.md';

function atReview(player: Player = Player.start(compound)): Player {
  return says(player, thought, plan, worked);
}

/** The review decides this, and whatever follows does its work until the review is due again. */
function again(player: Player, decision: string): Player {
  says(player, verdict(decision, 'a.ts:3'));
  if (player.live === '/brainstorm') says(player, thought, plan);
  return player.live === '/work' ? says(player, worked) : player;
}

const states = (player: Player) => player.nodes().map((node) => node.state);
const prompts = (name: string) => readShippedPrompt(`prompts/compound-engineering/${name}.md`) ?? '';
const records = (player: Player) => player.effects.flatMap((one) => (one.type === 'record' ? [one.record] : []));

/** A chain of steps with a decider before its end: `a b decide c d`. */
const deciding = (routes: string, more = '') =>
  flow(
    '{id: a, prompt: A}',
    '{id: b, prompt: B}',
    `{id: decide, prompt: D, decision_key: DECISION, on_decision: {${routes}}${more}}`,
    '{id: c, prompt: C}',
    '{id: d, prompt: D}',
  );
const atDecision = (routes: string, more = '') =>
  Player.start(loaded(load(deciding(routes, more)))).walk(build.pass, build.pass);
const usual = 'yes: {next_step: d}, no: {retry_step: a}';
const decides = (word: string) => `STATUS: done\nDECISION: ${word}`;

const facts: readonly Row[] = [
  [
    'S1-01 S1-05 S1-16 S1-17 S1-89',
    'forward: the decider is done, the target due, what lies between is skipped and never runs',
    () => {
      const player = says(atDecision(usual), decides('yes'));
      expect(player.line()).toBe('a:passed b:passed decide:passed c:skipped d:queued');
      expect(player.node('c').skipReason).toEqual({ type: 'routed' });
      expect(player.run.live).toHaveLength(1);
      says(player, 'STATUS: done');
      expect([player.run.status, player.node('c').dispatches]).toEqual(['completed', 0]);
    },
  ],
  [
    'S1-02 S1-83 S1-47',
    'what is declared and would do nothing is refused or warned of, each by its name and place',
    () => {
      const text = flow(
        '{id: a, prompt: x, pass_outputs: true, retry_after: 3}',
        '{id: b, prompt: x, required_outputs: [X]}',
      );
      const problems = problemsOf(load(text));
      for (const key of ['pass_outputs', 'retry_after', 'required_outputs']) {
        expect(problems).toContainEqual(
          expect.stringMatching(new RegExp(`^flow.yaml:\\d+:\\d+: unknown key "${key}"`)),
        );
      }
      expect(problems).toHaveLength(3);
      expect(warningsOf(load(flow('{id: a, kind: human, timeout: 5m, on_fail: {default: ask}}')))).toEqual([
        expect.stringContaining('"timeout" has no effect on "a"'),
      ]);
      expect(problemsOf(load(deciding(usual)))).toEqual([]);
    },
  ],
  [
    'S1-03',
    'retry_step of a failure leads back to that step',
    () => {
      const text = flow('{id: a, prompt: A}', '{id: b, prompt: B, on_fail: {retry_step: a, max_retries: 1}}');
      const player = says(Player.start(loaded(load(text))), 'STATUS: done', 'STATUS: failed');
      expect(player.live).toBe('/a');
      says(player, 'STATUS: done', 'STATUS: failed');
      expect([player.live, player.open[0]?.text]).toEqual([null, expect.stringContaining('1 way back to a')]);
    },
  ],
  [
    'S1-04 S1-23 S1-86',
    'escalate_to: human asks in chat, loudly, and the person can act',
    () => {
      const player = atDecision(usual, ', max_retries: 1, on_exhausted: {escalate_to: human}');
      says(player, decides('no'), 'STATUS: done', 'STATUS: done', decides('no'));
      expect([player.run.status, player.asks]).toEqual(['paused', ['stuck']]);
      const asked = player.notices.find((one) => one.type === 'asked');
      const shown = asked && noticeView(asked, player.state, player.now);
      expect(shown?.view).toMatchObject({ kind: 'escalation', rings: true });
      expect(shown?.view.buttons.map((button) => button.label)).toEqual([
        'Retry',
        'Retry with a note',
        'Skip',
        'Rollback',
        'Abort',
      ]);
      expect(player.answer('retry').live).toBe('/decide');
    },
  ],
];

const routing: readonly Row[] = [
  [
    'S1-06 S1-84 S1-61',
    'that a step ran and what it decided are two things, kept apart',
    () => {
      const player = says(atReview(), verdict('rejected', 'a.ts:3'));
      expect(player.node('review').last).toMatchObject({ outcome: 'pass', claim: null });
      expect(player.run.context['decision']).toBe('rejected');
      expect(prompts('review')).toContain('The decision is a second thing');
      expect(promptOf(atReview())).toMatch(/STATUS: \(the same word\)\nDECISION: …/);
    },
  ],
  [
    'S1-07 S1-08 S1-78',
    'letters and blanks make no difference, neither in the key nor in the value, neither in the file nor in the report',
    () => {
      for (const said of ['Yes', 'YES', '  yes  ']) expect(says(atDecision(usual), decides(said)).live).toBe('/d');
      const inFile = atDecision('YES: {next_step: d}, No: {retry_step: a}').workflow;
      expect(Object.keys(nodeOf(inFile, 'decide').onDecision)).toEqual(['yes', 'no']);
      const lower = Player.start(
        loaded(load(deciding(usual).replace('decision_key: DECISION', 'decision_key: decision'))),
      );
      expect(says(lower.walk(build.pass, build.pass), decides('yes')).live).toBe('/d');
    },
  ],
  ...(
    [
      ['S1-09 S1-89', 'Approved', 'compound'],
      ['S1-10 S1-89', 'needs_fixes', 'work'],
      ['S1-11 S1-89', 'REJECTED', 'brainstorm'],
    ] as const
  ).map(
    ([items, word, target]): Row => [
      items,
      `${word} leads to ${target}`,
      () => expect(says(atReview(), verdict(word)).live).toBe(`/${target}`),
    ],
  ),
  [
    'S1-12 S1-13 S1-14 S1-15 S1-92',
    'backward: the decider and all between wait again, the target is due and counted, and the report is kept',
    () => {
      const player = says(atReview(), verdict('rejected', 'the wrong idea'));
      expect(player.line()).toBe('brainstorm:queued plan:waiting work:waiting review:waiting compound:waiting');
      expect(player.node('brainstorm').generation).toBe(2);
      expect(player.world.chains.get('')?.edges).toEqual({ 'review>brainstorm': 1 });
      expect(player.node('review').last?.outcome).toBe('pass');
      expect(player.run.context['review_issues']).toBe('the wrong idea');
    },
  ],
  [
    'S1-18 S1-91',
    'an unknown value fails the step with the value and the key in its words',
    () => {
      const player = says(atReview(), verdict('looks good'));
      expect(player.node('review').last).toMatchObject({
        outcome: 'failing',
        reason: 'bad_decision',
        summary: 'Unknown decision value "looks good" for DECISION; known are approved, needs_fixes, rejected.',
      });
      expect([player.live, player.node('review').attempt]).toEqual(['/review', 2]);
      says(player, verdict('fine'), verdict('fine'));
      expect([player.node('review').state, player.run.status]).toEqual(['failed', 'failed']);
    },
  ],
  [
    'S1-19 S1-91',
    'a missing decision fails the step with the key in its words, also where an earlier one is in the context',
    () => {
      const player = again(atReview(), 'needs_fixes');
      says(player, 'STATUS: done\nREVIEW_NOTES: fine');
      expect(player.node('review').last).toMatchObject({
        outcome: 'failing',
        summary: 'Decision key DECISION not found in the report.',
      });
      expect(player.live).toBe('/review');
    },
  ],
  [
    'S1-20',
    'a route that leads nowhere is refused when the file is loaded',
    () => {
      for (const routes of ['yes: {}, no: next', 'yes: , no: next']) {
        expect(problemsOf(load(deciding(routes))).length, routes).toBeGreaterThan(0);
      }
    },
  ],
  [
    'S1-21',
    'a target that an edit took away leaves the step with a person, and says which',
    () => {
      const workflow = loaded(load(deciding(usual)));
      const other = { ...workflow, chain: workflow.chain.filter((node) => node.id !== 'a') };
      const player = says(Player.start(other).walk(build.pass), decides('no'));
      expect(player.open[0]?.text).toContain('leads to a, which is not there any more');
      expect([player.live, player.node('decide').state]).toEqual([null, 'needs_human']);
    },
  ],
  [
    'S1-22 S1-90',
    'at the limit the way back is refused: step and run fail, and the count is named',
    () => {
      expect(nodeOf(compound, 'review').maxLoops).toBe(3);
      expect(nodeOf(atDecision(usual).workflow, 'decide').maxLoops).toBe(3);
      expect(nodeOf(atDecision(usual, ', max_retries: 1').workflow, 'decide').maxLoops).toBe(1);
      const player = atReview();
      for (const _time of [1, 2, 3]) again(player, 'needs_fixes');
      expect(player.live).toBe('/review');
      again(player, 'needs_fixes');
      expect([player.live, player.run.status, player.node('review').state]).toEqual([null, 'failed', 'failed']);
      expect(player.open[0]?.text).toContain('3 ways back to work');
    },
  ],
  [
    'S1-94',
    'a decision that fails says so in the words of the design: an unknown value, a missing key, retries exhausted',
    () => {
      const wordsOf = (player: Player) => player.node('review').last?.summary;
      expect(wordsOf(says(atReview(), verdict('maybe')))).toMatch(/^Unknown decision value "maybe"/);
      expect(wordsOf(says(atReview(), 'STATUS: done'))).toMatch(/^Decision key DECISION not found/);
      const player = atReview();
      for (const _time of [1, 2, 3, 4]) again(player, 'needs_fixes');
      expect(player.open[0]?.text).toContain('Decision retries exhausted after 3 attempts');
    },
  ],
  [
    'S1-24 S1-26',
    'all that a route changes is one decision on one event',
    () => {
      const player = atReview();
      const before = player.events.length;
      says(player, verdict('rejected'));
      const since = player.events.slice(before).map((event) => event.type);
      expect(since).toEqual(['attempt_started', 'attempt_settled']);
      const half = fold(player.events.slice(0, -1), compound);
      expect(half.chains.get('')?.nodes.map((node) => node.state)).toEqual([
        ...['passed', 'passed', 'passed', 'running', 'waiting'],
      ]);
    },
  ],
  [
    'S1-27',
    'a run goes by the file that it was started with',
    () => {
      const player = atReview();
      const edited = { ...compound, chain: compound.chain.filter((node) => node.id !== 'plan') };
      expect(Player.start(edited).nodes()).toHaveLength(4);
      expect(player.state.workflow).toBe(compound);
      expect(says(player, verdict('rejected'), thought).live).toBe('/plan');
    },
  ],
  [
    'S1-28 S1-92',
    'a step without a decision goes on in line, whatever it prints under that key',
    () => {
      const text = flow('{id: a, prompt: A}', '{id: b, prompt: B}', '{id: c, prompt: C}');
      expect(says(Player.start(loaded(load(text))), decides('no')).live).toBe('/b');
    },
  ],
  [
    'S1-29',
    'every shipped workflow loads without a problem or a warning',
    () => {
      const folder = join(import.meta.dirname, '../../workflows');
      const names = readdirSync(folder).map((name) => name.replace('.yaml', ''));
      expect(names).toHaveLength(8);
      for (const name of names) expect(loadShipped(name).chain.length, name).toBeGreaterThan(0);
    },
  ],
  [
    'S1-30',
    'after a way back the walk comes to the decider again, and it decides anew',
    () => {
      const player = again(again(atReview(), 'rejected'), 'needs_fixes');
      expect(player.node('review').dispatches).toBe(3);
      says(player, verdict('approved'), learnt);
      expect([player.run.status, states(player)]).toEqual(['completed', Array(5).fill('passed')]);
    },
  ],
];

const wrongFiles: readonly (readonly [items: string, text: string, says: string])[] = [
  ['S1-31', flow('{id: a, prompt: x, decision_key: DECISION}'), '"a" has a decision_key but no on_decision'],
  ['S1-32', deciding('yes: {next_step: nowhere}'), '"decide" goes to "nowhere", and there is no such node'],
  ['S1-33', deciding('no: {retry_step: nowhere}'), '"decide" goes to "nowhere", and there is no such node'],
  ['S1-34', deciding('yes: next, no: {retry_step: decide}'), '"decide" goes to itself'],
  ['S1-35', deciding('yes: next, no: {retry_step: c}'), '"decide" retries "c", which comes later'],
  [
    'S1-36',
    flow('{id: a, prompt: x, outputs: [PLAN]}', '{id: b, prompt: "{{plan}}", outputs: [PLAN]}'),
    '"a" and "b" both declare the output "PLAN"',
  ],
  ['S1-40', `context: {task: "another"}\n${flow('{id: a, prompt: x}')}`, '"task" is reserved'],
  [
    'S1-40',
    `context: {mood: "so {{mood}}"}\n${flow('{id: a, prompt: "{{mood}}"}')}`,
    'the default of "mood" names itself',
  ],
];

const loading: readonly Row[] = [
  ...wrongFiles.map(
    ([items, text, why]): Row => [
      items,
      `refused: ${why}`,
      () => expect(problemsOf(load(text))).toContainEqual(expect.stringContaining(why)),
    ],
  ),
  [
    'S1-36',
    'STATUS may be printed by every step',
    () => {
      const text = flow('{id: a, prompt: x, expects: "STATUS: done"}', '{id: b, prompt: x, expects: "STATUS: done"}');
      expect(problemsOf(load(text))).toEqual([]);
    },
  ],
];

const budgets: readonly Row[] = [
  [
    'S1-37 S1-85',
    'crashes, failures and ways back are counted apart: none eats the budget of another',
    () => {
      const player = atReview();
      for (const _time of [1, 2, 3]) {
        says(player, verdict('needs_fixes'));
        player.walk(build.crash, build.timeout);
        expect(player.live).toBe('/work');
        says(player, 'STATUS: failed', worked);
      }
      expect([player.live, player.run.status]).toEqual(['/review', 'running']);
      player.walk(build.crash, build.crash);
      says(player, verdict('needs_fixes'));
      expect([player.run.status, player.open[0]?.text]).toEqual(['failed', expect.stringContaining('3 ways back')]);
      const crashed = Player.start(compound);
      for (let turn = 0; turn < 6 && crashed.live; turn++) crashed.walk(build.crash);
      expect(crashed.node('brainstorm')).toMatchObject({ state: 'failed', abandons: 5, attempt: 1 });
    },
  ],
  [
    'S1-38',
    'each way back has its own count',
    () => {
      const player = atReview();
      for (const word of ['needs_fixes', 'rejected', 'needs_fixes', 'rejected']) again(player, word);
      expect(player.world.chains.get('')?.edges).toEqual({ 'review>work': 2, 'review>brainstorm': 2 });
      expect(player.live).toBe('/review');
    },
  ],
  [
    'S1-88',
    'why steps run again is on record: what was decided, from where, to where, and for the how manyth time',
    () => {
      const player = atReview();
      for (const _time of [1, 2]) {
        again(player, 'needs_fixes');
      }
      player.settle(printed(player, verdict('needs_fixes')));
      expect(records(player)).toContainEqual({
        action: 'routed',
        chain: '',
        step: { label: 'step-004', template: 'review' },
        details: { to: 'step-003', decision: 'needs_fixes', direction: 'back', reason: null, count: 3 },
      });
    },
  ],
];

const start = (workflow: Workflow, context: Readonly<Record<string, string>>) => Player.start(workflow, { context });

const contexts: readonly Row[] = [
  [
    'S1-39',
    'declared values fill the first prompts, and what the caller gives wins',
    () => {
      const text = `context: {mood: calm}\ninputs: {repo: {default: here}}\n${flow('{id: a, prompt: "{{mood}} {{repo}}"}')}`;
      const workflow = loaded(load(text));
      expect(promptOf(start(workflow, {}))).toContain('calm here');
      expect(promptOf(start(workflow, { mood: 'bold', repo: '/shop' }))).toContain('bold /shop');
      expect(promptOf(Player.start(compound))).not.toContain('What a review found wrong');
    },
  ],
  [
    'S1-41',
    'a key that nothing fills is shown as missing and breaks nothing',
    () => {
      const workflow = loaded(load(flow('{id: a, prompt: "x"}')));
      const odd = { ...workflow, chain: workflow.chain.map((node) => ({ ...node, prompt: 'with {{odd}} in it' })) };
      const player = Player.start(odd);
      const { text, missing } = renderPrompt(player.stateOf(''), player.node('a').id);
      expect([text, missing]).toEqual([expect.stringContaining('with [missing: odd] in it'), ['odd']]);
    },
  ],
  [
    'S1-42 S1-76',
    'braces in a value stay what they are',
    () => {
      const player = says(
        Player.start(compound, { task: 'about {{repo}}' }),
        'STATUS: done\nBRAINSTORM_OUTPUT: use {{task}} and {{x}}',
      );
      const prompt = promptOf(player);
      expect(prompt).toContain('about {{repo}}');
      expect(prompt).toContain('use {{task}} and {{x}}');
    },
  ],
  [
    'S1-43',
    'of what a step prints only its declared keys are kept',
    () => {
      const player = says(Player.start(compound), `${thought}\nOTHER: x\nPLAN_FILE: stolen`);
      expect(Object.keys(player.run.context).sort()).toEqual([
        ...['brainstorm_output', 'branch', 'repo', 'review_issues', 'task'],
      ]);
      expect(player.run.context['plan_file']).toBeUndefined();
    },
  ],
  [
    'S1-44 S1-75',
    'task, run and story are no step’s to fill; repository and branch only where it declares them',
    () => {
      const poison =
        'STATUS: done\nTASK: delete\nRUN_ID: r1\nCURRENT_STORY_ID: US-9\nBRANCH: evil\nREPO: /evil\nNOTE: kept';
      const workflow = loaded(
        load(
          `inputs: {repo: {}, branch: {}}\n${flow('{id: a, prompt: x}', '{id: b, prompt: "{{task}} {{run_id}} {{repo}} {{branch}}", outputs: [BRANCH]}', '{id: c, prompt: "on {{branch}}"}')}`,
        ),
      );
      const player = start(workflow, { repo: '/shop', branch: 'main' });
      says(player, poison);
      expect(promptOf(player)).toContain('Make it r12 /shop main');
      expect(player.run).toMatchObject({ task: 'Make it', context: { note: 'kept', repo: '/shop', branch: 'main' } });
      expect(promptOf(says(player, poison))).toContain('on evil');
      expect(player.run.context['repo']).toBe('/shop');
    },
  ],
  [
    'S1-45 S1-46 S1-48',
    'the plan goes by its path, under names of its own, and what a step must give can be declared',
    () => {
      const keys = nodesOf(compound).flatMap((node) => node.outputs ?? []);
      expect(keys).toContain('PLAN_FILE');
      expect(keys).not.toContain('PLAN_CONTENT');
      for (const generic of ['ISSUES', 'NOTES', 'OUTPUT', 'SUMMARY']) expect(keys).not.toContain(generic);
      const text = flow('{id: a, prompt: x, expects: {keys: [PLAN_FILE]}}');
      expect(says(Player.start(loaded(load(text))), 'STATUS: done').node('a').last).toMatchObject({
        outcome: 'failing',
        summary: 'The report lacks PLAN_FILE.',
      });
    },
  ],
  [
    'S1-49',
    'values of the round before stay, unless the route clears them',
    () => {
      const values = (clear: string) => {
        const text = deciding(`yes: {next_step: d}, no: {retry_step: a${clear}}`).replace(
          'prompt: A',
          'prompt: "A {{note}}"',
        );
        const player = Player.start(loaded(load(`context: {note: ""}\n${text}`))).walk(build.pass);
        says(player, 'STATUS: done\nNOTE: from before', decides('no'));
        return promptOf(player);
      };
      expect(values('')).toContain('A from before');
      expect(values(', clear_context: [note]')).not.toContain('from before');
    },
  ],
  [
    'S1-50',
    'issues are the sign of another round, and the word none is as good as nothing',
    () => {
      const again = says(atReview(), verdict('needs_fixes', 'a.ts:3 is wrong'));
      expect(promptOf(again)).toContain('What the review found ("none" is as good as nothing):\n\na.ts:3 is wrong');
      expect(prompts('work')).toContain('**The review found nothing yet**');
    },
  ],
];

const inputsOf: Readonly<Record<Step, readonly string[]>> = {
  brainstorm: ['task', 'review_issues'],
  plan: ['task', 'brainstorm_output'],
  work: ['task', 'plan_file', 'plan_summary', 'repo', 'branch', 'review_issues'],
  review: ['task', 'plan_file', 'implementation_summary', 'files_changed', 'pr_url'],
  compound: ['task', 'implementation_summary', 'review_issues', 'review_notes', 'decision'],
};
const outputsOf: Readonly<Record<Step, readonly string[]>> = {
  brainstorm: ['BRAINSTORM_OUTPUT'],
  plan: ['PLAN_FILE', 'PLAN_SUMMARY'],
  work: ['IMPLEMENTATION_SUMMARY', 'FILES_CHANGED', 'PR_URL'],
  review: ['REVIEW_ISSUES', 'REVIEW_NOTES'],
  compound: ['LEARNINGS', 'FILE_CREATED'],
};
const folders: Readonly<Partial<Record<Step, string>>> = {
  brainstorm: 'docs/brainstorms/',
  plan: 'docs/plans/',
  review: 'todos/',
  compound: 'docs/solutions/',
};

const contracts: readonly Row[] = [
  ...steps.map(
    (step, index): Row => [
      `S1-${51 + index}`,
      `${step} is given and gives what its contract says, and says so at the end`,
      () => {
        const text = prompts(step);
        for (const key of inputsOf[step]) expect(text).toContain(`{{${key}}}`);
        expect(nodeOf(compound, step).outputs).toEqual(outputsOf[step]);
        for (const key of outputsOf[step]) expect(text).toMatch(new RegExp(`\\n${key}: `));
        expect(text).toContain(folders[step] ?? '');
      },
    ],
  ),
  [
    'S1-56',
    'work that comes back mends the list, does not begin anew, and looks at the tree first',
    () => {
      const text = prompts('work');
      expect(text).toMatch(/First of all run `git status`[\s\S]*no work-in-progress branches/);
      expect(text).toMatch(/fix the listed issues, each of them, and nothing else\. Do not implement the plan again/);
    },
  ],
  [
    'S1-57',
    'a rejection asks for another approach',
    () => expect(prompts('brainstorm')).toContain('a fundamentally different approach'),
  ],
  [
    'S1-58 S1-59',
    'the review decides with one of three words, and always gives issues and notes',
    () => {
      expect(Object.keys(nodeOf(compound, 'review').onDecision)).toEqual(['approved', 'needs_fixes', 'rejected']);
      expect(prompts('review')).toMatch(
        /exactly one of these words[\s\S]*`approved`[\s\S]*`needs_fixes`[\s\S]*`rejected`[\s\S]*Both lists are always there/,
      );
    },
  ],
  [
    'S1-60',
    'nothing but an approved result comes to compound, and compound checks it once more',
    () => {
      for (const word of ['needs_fixes', 'rejected', 'unsure']) {
        expect(says(atReview(), verdict(word)).node('compound').state).toBe('waiting');
      }
      const player = says(atReview(), verdict('Approved'));
      expect(promptOf(player)).toContain('What the review decided: Approved');
      expect(prompts('compound')).toMatch(/Only an approved result is a solution[\s\S]*write no file/);
    },
  ],
  [
    'S1-62',
    'each prompt ends with the lines that are to be printed, under the names that are kept',
    () => {
      for (const step of steps) {
        const tail = /Report these keys[\s\S]*$/.exec(prompts(step))?.[0] ?? '';
        for (const key of outputsOf[step]) expect(tail).toContain(`\n${key}: `);
      }
    },
  ],
  [
    'S1-63',
    'each of the three writers of files has its own folder, and its prompt says to leave the others’ alone',
    () => {
      for (const step of ['brainstorm', 'plan', 'compound'] as const) {
        expect(nodeOf(compound, step).writes).toEqual([`${folders[step]}*.md`]);
        expect(prompts(step)).toMatch(/belong to other steps/);
      }
    },
  ],
  [
    'S1-64',
    'all steps work in one checkout, the project’s own',
    () => {
      const player = Player.start(compound);
      const folders = [thought, plan, worked, verdict('approved'), learnt].map((text) => {
        const { workdir } = jobOf(player).payload;
        says(player, text);
        return workdir;
      });
      expect(folders).toEqual(Array(5).fill('/shop'));
    },
  ],
  [
    'S1-66 S1-68',
    'prompts ask for nothing that only one host has; several views are sections, one after the other',
    () => {
      const files = readdirSync(join(import.meta.dirname, '../../prompts'), { recursive: true, encoding: 'utf8' });
      for (const file of files.filter((name) => name.endsWith('.md'))) {
        expect(readShippedPrompt(`prompts/${file}`), file).not.toMatch(
          /TodoWrite|AskUserQuestion|sub-?agents?\b|\bTask tool|slash command|\.claude\/|load the skill|EnterWorktree/i,
        );
      }
      for (const step of ['brainstorm', 'plan', 'compound'] as const)
        expect(prompts(step)).toContain('one section after the other');
      expect(prompts('review')).toContain('from each of these sides, one after the other');
    },
  ],
  [
    'S1-67',
    'no one answers while a step runs; a question ends it and goes to a person, whose answer comes with the next attempt',
    () => {
      for (const step of ['brainstorm', 'plan', 'work'] as const) expect(prompts(step)).toContain('`needs_human`');
      const player = says(Player.start(compound), 'STATUS: needs_human\nSUMMARY: Which shop?');
      expect(player.open).toMatchObject([{ kind: 'question', text: expect.stringContaining('Which shop?') }]);
      player.answer('answer', 'the one in Kiel');
      expect(promptOf(player)).toContain('the one in Kiel');
    },
  ],
  [
    'S1-70',
    'a review never asks for the memory of the project to be deleted',
    () => expect(prompts('review')).toMatch(/Never propose to delete[\s\S]*`docs\/plans\/`, `docs\/solutions\/`/),
  ],
];

const limits: readonly Row[] = [
  [
    'S1-71 S1-72 S1-74',
    'time limits are set for the file, and for a step or a role over it; so is the interval',
    () => {
      const text = `polling: {timeoutSeconds: 1800}\ncron: {interval_ms: 60000}\nagents:\n  - {id: quick, prompt: q.md, timeoutSeconds: 60}\nsteps:\n  - {id: a, input: x}\n  - {id: b, input: x, timeoutSeconds: 600}\n  - {id: c, agent: quick}\n`;
      const workflow = loaded(load(`id: mine\n${text}`, { 'q.md': 'Q' }));
      expect(workflow.chain.map((node) => node.timeoutMs)).toEqual([1_800_000, 600_000, 60_000]);
      expect(workflow.policy.pollMs).toBe(60_000);
      expect(definitions(compound).map((node) => node.timeoutMs / 60_000)).toEqual([30, 30, 30, 30, 10]);
    },
  ],
  [
    'S1-73',
    'who is done early goes on early',
    () => {
      const player = Player.start(compound);
      const begun = player.now;
      expect(says(player, thought).live).toBe('/plan');
      expect(player.now - begun).toBeLessThan(nodeOf(compound, 'brainstorm').timeoutMs);
    },
  ],
  [
    'S1-77',
    'of two reports on one attempt the first decides, and the second changes nothing',
    () => {
      const player = atReview();
      const attempt = player.run.live[0]?.attempt ?? '';
      const late = {
        type: 'attempt_settled',
        chain: '',
        attempt,
        envelope: printed(player, verdict('approved')),
      } as const;
      says(player, verdict('rejected'));
      const { world } = player;
      player.do(late);
      expect([player.ignored, player.world === world, player.live]).toEqual(['superseded', true, '/brainstorm']);
    },
  ],
  [
    'S1-79',
    'without routing the same steps go on in line, and the review’s result reaches the next',
    () => {
      const linear = {
        ...compound,
        chain: compound.chain.map((node) => ({ ...node, decisionKey: null, onDecision: {}, outputs: null })),
      };
      const player = says(atReview(Player.start(linear)), verdict('needs_fixes', 'a.ts:3 is wrong'));
      expect(player.live).toBe('/compound');
      const prompt = promptOf(player);
      expect(prompt).toContain('What the review decided: needs_fixes');
      expect(prompt).toContain('What the review found: a.ts:3 is wrong');
    },
  ],
  [
    'S1-80',
    'values for a workflow are given in chat before the colon',
    () => {
      const names = [{ name: 'shop', aliases: [] }];
      const parsed = parse('start shop with compound-engineering branch=orders repo=/srv/shop: add search', names);
      expect(parsed).toMatchObject({
        ...{ verb: 'start', project: 'shop', workflow: 'compound-engineering', note: 'add search' },
        inputs: { branch: 'orders', repo: '/srv/shop' },
      });
      expect(parse('start shop branch=orders: add search', names)).toMatchObject({ inputs: { branch: 'orders' } });
      expect(parse('stop shop branch=orders', names).verb).toBeNull();
    },
  ],
  [
    'S1-81',
    'a missing optional value is empty, and a missing required one is asked for by its name before anything starts',
    () => {
      expect(promptOf(Player.start(compound))).not.toMatch(/Repository:|Branch:/);
      const text = `inputs: {repo: {required: true}}\n${flow('{id: a, prompt: "{{repo}}"}')}`;
      const player = Player.create(loaded(load(text)));
      expect(player.open[0]?.text).toContain('needs "repo"');
      expect(player.do({ type: 'start', behind: null }).run.live).toEqual([]);
    },
  ],
  ['S1-82', 'a workflow file has a version', () => expect(compound.version).toBe('1')],
  [
    'S1-87',
    'a line with jumps is all there is: every chain is a list',
    () => expect(compound.chain.map((node) => node.id)).toEqual(steps),
  ],
];

const sections = {
  ...{ 'facts of the old runtime': facts, routing, 'when a file is loaded': loading, 'retry accounting': budgets },
  ...{ context: contexts, 'contracts of the steps': contracts, 'time, risk and inputs': limits },
};

const decisions = 'test/e2e/scenarios-decisions.test.ts';
const elsewhere: readonly Elsewhere[] = [
  {
    item: 'S1-24',
    file: 'test/store/crash.test.ts',
    title: 'leaves only whole commits, and none that it reported is missing',
  },
  {
    item: 'S1-25',
    file: 'test/store/open.test.ts',
    title: 'commits use synchronous=FULL, and queue bookkeeping leaves that setting unchanged',
  },
  {
    item: 'S1-27',
    file: 'test/e2e/scenarios-workflows.test.ts',
    title: 'a workflow edited while it runs does not change the run',
  },
  {
    item: 'S1-80',
    file: 'test/e2e/scenarios-workflows.test.ts',
    title: 'a decision loop is bounded and then asks with the count',
  },
  { item: 'S1-93', file: 'test/cli/usage.test.ts', title: '--context %j sets several values at once' },
  {
    item: 'S1-95',
    file: 'test/engine/workflow/originals.test.ts',
    title: 'turns a context value that names itself into an optional input, with a warning',
  },
  { item: 'S1-80', file: decisions, title: 'workflow inputs can be given in chat before the colon' },
  { item: 'S1-81', file: decisions, title: 'a missing required input refuses the start with its name' },
  {
    item: 'S1-85',
    file: 'test/dispatch/recovery.test.ts',
    title: 'is settled as crashed once, after its leftover processes were killed, and retried',
  },
  {
    item: 'S1-90',
    file: decisions,
    title: 'a fourth needs_fixes fails the run with a card that names the count and the last issues',
  },
];

const leftOut = {
  'S1-65': 'there are no copies of a workspace for each agent: all steps of a run read and write one checkout',
  'S1-69': 'there are no diverging copies: each prompt file is the only one of its kind',
};

prove(sections);
proveWhole(sections, elsewhere, leftOut, 'S1');
