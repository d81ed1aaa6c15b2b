// Stories, item by item: a planner cuts the task, each story is implemented and verified before the next. Against the
// shipped feature-dev and against files in the older spelling.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { statusText, storyLines } from '../../src/bot/index.js';
import { pipelineOf } from '../../src/dispatch/exports/pipeline.js';
import { projectStatus } from '../../src/dispatch/index.js';
import { loadWorkflow, parseStories, type Workflow } from '../../src/engine/index.js';
import { storiesText } from '../../src/web/pages/run/stories.js';
import * as build from '../engine/builders.js';
import { Player } from '../engine/builders.js';
import {
  claims,
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
  spineOf,
  storeOf,
} from './given.js';

const feature = loadShipped('feature-dev');
const one = 'US-001';
const two = 'US-002';

const aStory = (id: string, patch: object = {}) => ({
  id,
  title: `Title of ${id}`,
  description: `About ${id}`,
  acceptanceCriteria: [`${id} is there`, 'Typecheck passes'],
  ...patch,
});
const plan = (stories: unknown) =>
  `STATUS: done\nREPO: /shop\nBRANCH: orders\nSTORIES_JSON: ${JSON.stringify(stories)}`;
const implemented = 'STATUS: done\nCHANGES: the cart\nTESTS: npm test, 4 passed';
const verified = 'STATUS: done\nVERIFIED: all of it';
const rejected = 'STATUS: retry\nISSUES: 1. cart.ts:3: empty\n2. no test';
const tested = 'STATUS: done\nRESULTS: 12 passed';
const opened = 'STATUS: done\nPR: https://git/1';
const approved = 'STATUS: done\nDECISION: approved\nFEEDBACK: none';

/** A run whose planner has reported these stories. */
function planned(ids: readonly string[] = [one, two], workflow: Workflow = feature): Player {
  return says(Player.start(workflow), plan(ids.map((id) => aStory(id))));
}

function walked(ids: readonly string[] = [one, two]): Player {
  return ids.reduce((player) => says(player, implemented, verified), planned(ids));
}

const pipeline = (player: Player) => pipelineOf(spineOf(player), (key) => player.world.chains.get(key) ?? null);
/** `plan:done implement:pending …`, in the words of the design. */
const rows = (player: Player) =>
  pipeline(player)
    .steps.map((step) => `${step.step_id}:${step.status}`)
    .join(' ');
const stories = (player: Player) =>
  pipeline(player)
    .stories.map((story) => `${story.story_id}:${story.status}:${story.retry_count}`)
    .join(' ');
const current = (player: Player) => pipeline(player).steps.find((step) => step.type === 'loop')?.current_story_id;
const context = (player: Player, key = one) => player.world.chains.get(key)?.context ?? {};
const prompts = (name: string) => readShippedPrompt(`prompts/feature-dev/${name}.md`) ?? '';

const loopOf = (settings: string) =>
  flow(`{id: implement, input: i, type: loop, loop: {${settings}}}`, '{id: verify, input: v}');

/** A workflow file of antfarm as its users have it, with the files of its agents. */
const antfarm = readFileSync(join(import.meta.dirname, '../engine/workflow/originals/antfarm.yml'), 'utf8');
const agentFile = (path: string) => (path.endsWith('.md') ? `You are ${path}.` : null);
const old = (text = antfarm) => loaded(loadWorkflow({ file: 'workflow.yml', text }, agentFile));

const policy: readonly Row[] = [
  [
    'S0-01 S0-08 S0-66',
    'plan, then the stories, then test, pull request and review, each once and in this order',
    () => {
      const player = planned();
      expect(rows(player)).toBe('plan:done implement:pending verify:waiting test:waiting pr:waiting review:waiting');
      says(player, implemented, verified, implemented);
      expect(player.node('test').state).toBe('waiting');
      says(player, verified);
      expect(rows(player)).toBe('plan:done implement:done verify:done test:pending pr:waiting review:waiting');
      expect(player.live).toBe('/test');
      says(player, tested, opened, approved);
      expect(player.run.status).toBe('completed');
      expect(player.nodes().map((node) => node.dispatches)).toEqual([1, 0, 1, 1, 1]);
    },
  ],
  [
    'S0-02 S0-34 S0-17 S0-35',
    'one planner step makes the list; its order is the order of the work, whatever the ids say',
    () => {
      const player = planned(['US-009', 'US-002', 'US-005']);
      expect(pipeline(player).stories.map((story) => [story.story_index, story.story_id, story.retry_count])).toEqual([
        [0, 'US-009', 0],
        [1, 'US-002', 0],
        [2, 'US-005', 0],
      ]);
      expect(stories(player)).toBe('US-009:pending:0 US-002:pending:0 US-005:pending:0');
      expect(player.live).toBe('US-009/implement');
      expect(says(player, implemented, verified).live).toBe('US-002/implement');
    },
  ],
  [
    'S0-03 S0-04',
    'each story is implemented and verified in a session of its own, and nothing of one is in the prompts of the next',
    () => {
      expect(nodeOf(feature, 'implement').freshSession && nodeOf(feature, 'verify').freshSession).toBe(true);
      const player = planned();
      says(player, implemented.replace('the cart', 'only in the first'));
      expect(promptOf(player)).toContain('only in the first');
      says(player, verified);
      expect(promptOf(player)).not.toContain('only in the first');
      expect(new Set(player.events.flatMap((event) => ('attempt' in event ? [event.attempt] : []))).size).toBe(3);
    },
  ],
  [
    'S0-05 S0-06 S0-53 S0-49',
    'verification follows each story, a failed one brings the same story again, and review comes once at the end',
    () => {
      const player = says(planned(), implemented, rejected);
      expect(player.live).toBe(`${one}/implement`);
      says(player, implemented, verified);
      expect(player.live).toBe(`${two}/implement`);
      says(player, implemented, verified, tested, opened);
      expect(player.live).toBe('/review');
      expect([one, two].map((key) => player.node('verify', key).dispatches)).toEqual([2, 1]);
    },
  ],
  [
    'S0-07',
    'a failed review brings the work back to a developer with what was found, and is asked again',
    () => {
      const player = says(
        walked(),
        tested,
        opened,
        'STATUS: done\nDECISION: changes_requested\nFEEDBACK: name it well',
      );
      expect(player.live).toBe('/rework');
      expect(promptOf(player)).toContain('name it well');
      says(player, 'STATUS: done\nCHANGES: named');
      expect(player.live).toBe('/review');
      expect(says(player, approved).run.status).toBe('completed');
    },
  ],
  [
    'S0-09 S0-32',
    'twenty stories are the most that is asked for and the most that is taken',
    () => {
      expect(prompts('planner')).toContain('20 at the most');
      const ids = (count: number) => Array.from({ length: count }, (_, index) => `US-${index + 1}`);
      expect(planned(ids(20)).state.items).toHaveLength(20);
      const player = planned(ids(21));
      expect(player.state.items).toEqual([]);
      expect(player.node('plan').last).toMatchObject({
        outcome: 'failing',
        summary: 'STORIES_JSON has 21 stories; at most 20 are allowed',
      });
    },
  ],
  [
    'S0-10',
    'all roles use the same executor',
    () => expect(Object.values(feature.roles).map((one) => one.executor)).toEqual(Array(5).fill(null)),
  ],
  [
    'S0-11',
    'what one session leaves for the next is in files: the progress log and the guide for agents',
    () => {
      expect(feature.exports).toContain('progress');
      expect(prompts('developer')).toMatch(/\{\{progress_file\}\}[\s\S]*AGENTS\.md/);
    },
  ],
];

/** A run as the store gives it back. */
function stored(player: Player) {
  const store = storeOf(player);
  const spine = store.spine('r12');
  if (!spine) throw new Error('no r12');
  return pipelineOf(spine, (key) => store.chain('r12', key));
}

const storage: readonly Row[] = [
  [
    'S0-12 S0-96',
    'a story is kept with all that belongs to it, and comes back so from the store',
    () => {
      const player = says(planned(), implemented, rejected, implemented);
      const kept = stored(player);
      expect(kept).toEqual(pipeline(player));
      expect(kept.stories[0]).toEqual({
        id: 'r12-US-001',
        run_id: 'r12',
        story_index: 0,
        story_id: one,
        title: 'Title of US-001',
        description: 'About US-001',
        acceptance_criteria: ['US-001 is there', 'Typecheck passes'],
        status: 'running',
        output: 'CHANGES: the cart\nTESTS: npm test, 4 passed',
        retry_count: 1,
        max_retries: 2,
        created_at: expect.stringMatching(/^1970-01-01T/),
        updated_at: expect.stringMatching(/^1970-01-01T/),
      });
    },
  ],
  [
    'S0-13 S0-44',
    'a story is running until its last gate has passed, and only then done',
    () => {
      const player = planned([one]);
      expect(stories(player)).toBe('US-001:pending:0');
      expect(stories(claims(player))).toBe('US-001:running:0');
      says(player, implemented);
      expect(stories(player)).toBe('US-001:running:0');
      expect(pipeline(player).stories[0]?.output).toContain('CHANGES: the cart');
      expect(current(player)).toBeNull();
      expect(stories(says(player, verified))).toBe('US-001:done:0');
    },
  ],
  [
    'S0-14 S0-16 S0-95',
    'each step of a run has its type, and the one that loops its settings',
    () => {
      const steps = stored(Player.start(feature)).steps.map((step) => [step.step_id, step.type, step.loop_config]);
      const settings = { over: 'stories', completion: 'all_done', fresh_session: true };
      expect(steps).toEqual([
        ['plan', 'single', null],
        ['implement', 'loop', { ...settings, verify_each: true, verify_step: 'verify' }],
        ['verify', 'single', null],
        ['test', 'single', null],
        ['pr', 'single', null],
        ['review', 'single', null],
      ]);
    },
  ],
  [
    'S0-18 S0-36',
    'claiming names the story that the loop is at and makes it running, both at once; before and after there is none',
    () => {
      const player = planned();
      expect([current(player), stories(player)]).toEqual([null, 'US-001:pending:0 US-002:pending:0']);
      claims(player);
      expect([current(player), stories(player)]).toEqual([one, 'US-001:running:0 US-002:pending:0']);
      expect(current(says(player, implemented))).toBeNull();
    },
  ],
];

const files: readonly Row[] = [
  [
    'S0-19',
    'a loop without settings is refused by the name of its step',
    () =>
      expect(problemsOf(load(flow('{id: implement, input: i, type: loop}')))).toEqual([
        expect.stringContaining('the step "implement" has type loop but no "loop"'),
      ]),
  ],
  [
    'S0-20',
    'a loop over anything but stories is refused',
    () =>
      expect(problemsOf(load(loopOf('over: files')))).toContainEqual(
        expect.stringMatching(/"over" of "stories" must be items, stories.*not a text/),
      ),
  ],
  [
    'S0-21',
    'another completion than all_done is refused',
    () =>
      expect(problemsOf(load(loopOf('over: stories, completion: any_done')))).toEqual([
        expect.stringContaining('completion must be all_done'),
      ]),
  ],
  [
    'S0-22',
    'verify_each needs a verify_step, and that one must be there',
    () => {
      expect(problemsOf(load(loopOf('over: stories, verify_each: true')))).toEqual([
        expect.stringContaining('has verify_each but no verify_step'),
      ]);
      expect(problemsOf(load(loopOf('over: stories, verify_each: true, verify_step: verfy')))).toEqual([
        expect.stringContaining('verify_step "verfy" of "implement" is not another step'),
      ]);
    },
  ],
  [
    'S0-23',
    'both spellings of keys load to the same',
    () => {
      const snake = 'over: stories, fresh_session: false, verify_each: true, verify_step: verify';
      const camel = 'over: stories, freshSession: false, verifyEach: true, verifyStep: verify';
      expect(loaded(load(loopOf(camel)))).toEqual(loaded(load(loopOf(snake))));
      expect(nodeOf(loaded(load(loopOf(snake))), 'implement').freshSession).toBe(false);
    },
  ],
  [
    'S0-24',
    'without a word there is no verification of each, sessions are fresh and steps are single',
    () => {
      const workflow = loaded(load(loopOf('over: stories')));
      expect(nodeOf(workflow, 'stories').body.map((node) => [node.id, node.freshSession])).toEqual([
        ['implement', true],
      ]);
      expect(nodeOf(workflow, 'verify').kind).toBe('task');
    },
  ],
  [
    'S0-25',
    'how often is looked for what was missed is read from the file',
    () => {
      expect(old(`${antfarm}\ncron: {interval_ms: 300000}\n`).policy.pollMs).toBe(300_000);
      expect(loaded(load(flow('{id: a, prompt: x}'))).policy.pollMs).toBe(60_000);
    },
  ],
  [
    'S0-94',
    'a workflow file of antfarm loads, and its loop means what the loop of feature-dev means',
    () => {
      const workflow = old();
      expect(workflow.chain.map((node) => [node.id, node.body.map((inner) => inner.id)])).toEqual([
        ['plan', []],
        ['stories', ['implement', 'verify']],
        ['test', []],
        ['pr', []],
        ['review', []],
      ]);
      for (const id of ['implement', 'verify']) {
        const { maxAttempts, onFail, onStatus } = nodeOf(workflow, id);
        const shipped = nodeOf(feature, id);
        expect({ maxAttempts, onFail, onStatus }).toEqual({
          maxAttempts: shipped.maxAttempts,
          onFail: shipped.onFail,
          onStatus: shipped.onStatus,
        });
      }
      expect(nodeOf(workflow, 'stories').maxRejections).toBe(2);
      expect(nodeOf(workflow, 'implement')).toMatchObject({ onExhausted: 'ask', timeoutMs: 1_800_000 });
      expect(workflow.policy.afterStory).toBe(feature.policy.afterStory);
      expect(workflow.exports).toContain('progress');
    },
  ],
];

const refusedStories: readonly (readonly [items: string, stories: unknown, says: string])[] = [
  ['S0-29', { id: one }, 'must be an array'],
  ['S0-30', [aStory(one, { id: 7 })], 'needs a string "id"'],
  ['S0-30', [aStory(one, { title: null })], 'needs a string "title"'],
  ['S0-30', [aStory(one, { description: undefined })], 'needs a string "description"'],
  ['S0-30', [aStory(one, { acceptanceCriteria: [] })], 'a non-empty array of strings'],
  ['S0-30', [aStory(one, { acceptanceCriteria: 'works' })], 'a non-empty array of strings'],
  ['S0-30', [aStory(one, { acceptanceCriteria: [1] })], 'a non-empty array of strings'],
  ['S0-31', [aStory(one), aStory(one)], 'two stories have the id "US-001"'],
];

const parsing: readonly Row[] = [
  [
    'S0-26',
    'stories are found in any step’s output at the beginning of a line, and nowhere else',
    () => {
      const workflow = loaded(
        load(
          flow('{id: think, prompt: x}', '{id: cut, prompt: x}', '{id: l, over: items, body: [{id: a, prompt: x}]}'),
        ),
      );
      const player = says(
        Player.start(workflow),
        'STATUS: done',
        `STATUS: done\nSTORIES_JSON: ${JSON.stringify([aStory(two)])}`,
      );
      expect(player.live).toBe(`${two}/a`);
      const inText = says(Player.start(feature), `${plan([]).replace(/\n.*$/, '')}\nsee STORIES_JSON: []`);
      expect(inText.node('plan').last?.summary).toBe('There is no STORIES_JSON.');
    },
  ],
  [
    'S0-27',
    'on one line, over many, and in a fence they are the same, up to the next key or the end',
    () => {
      const list = [aStory(one), aStory(two)];
      const head = 'STATUS: done\nREPO: /shop\nSTORIES_JSON:';
      const pretty = JSON.stringify(list, null, 2);
      const texts = [
        `${head} ${JSON.stringify(list)}\nBRANCH: orders`,
        `${head}\n${pretty}\nBRANCH: orders`,
        `BRANCH: orders\n${head} ${pretty}`,
        `BRANCH: orders\n${head}\n\`\`\`json\n${pretty}\n\`\`\`\n`,
      ];
      const found = texts.map((text) => says(Player.start(feature), text));
      for (const player of found) expect(player.state.items).toEqual(found[0]?.state.items);
      expect(found.map((player) => [player.stories(), player.run.context['branch']])).toEqual(
        Array(4).fill(['US-001:running US-002:ready', 'orders']),
      );
    },
  ],
  [
    'S0-28',
    'colons inside the JSON end nothing, and a key ends it only at the beginning of a line',
    () => {
      const list = [aStory(one, { description: 'see https://x.y/z: US-001: and\nNOTE: well', title: 'TODO: cart' })];
      const pretty = JSON.stringify(list, null, 2).replace('"title"', '\n   "title"');
      const player = says(Player.start(feature), `STORIES_JSON: ${pretty}\nREPO: a\nBRANCH: b\nSTATUS: done`);
      expect(player.state.items[0]).toMatchObject({ title: 'TODO: cart', description: list[0]?.description });
    },
  ],
  ...refusedStories.map(
    ([items, list, why]): Row => [
      items,
      `no story is taken of ${JSON.stringify(list).slice(0, 60)}`,
      () => {
        const player = says(Player.start(feature), plan(list));
        expect(player.node('plan').last).toMatchObject({ outcome: 'failing', reason: 'bad_output' });
        expect(player.node('plan').last?.summary).toContain(why);
        expect([player.state.items, player.live]).toEqual([[], '/plan']);
      },
    ],
  ),
  [
    'S0-33',
    'what cannot be read fails the planner and leaves no story, and a corrected report gives each story once',
    () => {
      const player = Player.start(feature);
      for (const wrong of [
        'STATUS: done\nREPO: a\nBRANCH: b\nSTORIES_JSON: [{"id":',
        plan([aStory(one), { id: two }]),
      ]) {
        says(player, wrong);
        expect([player.node('plan').last?.outcome, player.state.items]).toEqual(['failing', []]);
        expect(promptOf(player)).toContain(player.node('plan').last?.summary ?? 'nothing said');
      }
      expect(says(player, plan([aStory(one), aStory(two)])).stories()).toBe('US-001:running US-002:ready');
      const never = says(Player.start(feature), plan({}), plan({}), plan({}));
      expect([never.run.status, never.node('plan').state, never.state.items]).toEqual(['failed', 'failed', []]);
      expect(parseStories('[]', 20)).toEqual({ ok: true, stories: [] });
      expect(says(Player.start(feature), plan([])).node('plan').last?.summary).toBe('STORIES_JSON names no story.');
    },
  ],
];

const claiming: readonly Row[] = [
  [
    'S0-37',
    'with the last story done the loop is over and the pipeline goes on; with a failed one it is not',
    () => {
      expect(walked().live).toBe('/test');
      const player = says(planned(), implemented, verified);
      for (const _try of [1, 2, 3]) says(player, implemented, rejected);
      expect([player.live, player.node('stories').state, player.node('test').state]).toEqual([
        null,
        'failed',
        'waiting',
      ]);
    },
  ],
  [
    'S0-38 S0-55 S0-58',
    'a single step is claimed, completed and retried by its own attempts, as it always was',
    () => {
      const player = Player.start(feature);
      expect(rows(claims(player))).toMatch(/^plan:running /);
      says(player, 'STATUS: failed', 'STATUS: failed');
      expect(player.node('plan')).toMatchObject({ state: 'queued', attempt: 3 });
      says(player, 'STATUS: failed');
      expect(player.node('plan').state).toBe('failed');
    },
  ],
  [
    'S0-39',
    'an executor learns nothing of loops: steps of a story end as single steps do',
    () => {
      const ending = /## When you end, successful or not[\s\S]*$/;
      const story = promptOf(planned());
      const single = promptOf(says(walked(), tested));
      expect(story).not.toMatch(/\bloop\b|iteration/i);
      const shape = (text: string) =>
        ending
          .exec(text)?.[0]
          .replace(/^(story|step|status|reason): .*/gm, '')
          .replace(/^(End your last message.*\n)([A-Z_]+: .*\n)*/m, '$1');
      expect(shape(story)).toBe(shape(single));
    },
  ],
  [
    'S0-40 S0-97',
    'the prompt of a story holds the story, those done, how many are left, what was found, and the log',
    () => {
      const player = planned([one, two, 'US-003']);
      player.walk(printed(player, implemented, { progress: '# log of the first' }));
      says(player, verified, implemented, rejected);
      const prompt = promptOf(player);
      expect(prompt).toContain('Implement one story, US-002 "Title of US-002"');
      expect(prompt).toMatch(/Stories done before this one:\nUS-001 Title of US-001\n/);
      expect(prompt).toContain('Stories not yet done, this one included: 2');
      expect(prompt).toContain('1. cart.ts:3: empty\n2. no test');
      expect(prompt).toContain('# log of the first');
      expect(prompt).toMatch(/## US-002: Title of US-002\n\nAbout US-002\n\n- US-002 is there\n- Typecheck passes/);
      const inOld = says(planned([one], old()), implemented);
      expect(promptOf(inOld)).toContain(
        'Verify US-001: Title of US-001\n\nAbout US-001\n\n1. US-001 is there\n2. Typecheck passes: the cart',
      );
    },
  ],
  [
    'S0-41',
    'verifier, tester, pull request and reviewer read the log as well',
    () => {
      const player = planned([one]);
      player.walk(printed(player, implemented, { progress: '# what was learnt' }));
      for (const next of [verified, tested, opened, approved]) {
        expect(promptOf(player)).toContain('# what was learnt');
        says(player, next);
      }
      const inOld = planned([one], old(antfarm.replace('whole of {{task}}.', 'whole of {{task}}. {{progress}}')));
      inOld.walk(printed(inOld, implemented, { progress: '# what was learnt' }));
      expect(promptOf(says(inOld, verified))).toContain('Test the whole of Make it. # what was learnt');
    },
  ],
  [
    'S0-42 S0-71',
    'without a log its place says so, and nothing breaks',
    () => {
      expect(promptOf(planned())).toContain('(no progress yet)');
      const workflow = loaded(load(flow('{id: a, prompt: "Read {{progress}}"}')));
      expect(promptOf(Player.start(workflow))).toContain('Read (no progress file)');
    },
  ],
];

const completing: readonly Row[] = [
  [
    'S0-43 S0-47 S0-83',
    'what a step prints is kept under its keys in lower case, before the next is claimed',
    () => {
      const player = says(planned(), implemented);
      expect(player.run.context).toMatchObject({ repo: '/shop', branch: 'orders' });
      expect(context(player)).toMatchObject({ changes: 'the cart', tests: 'npm test, 4 passed' });
      const prompt = promptOf(player);
      for (const part of ['the cart', 'npm test, 4 passed', 'orders', '(no progress yet)', 'US-001 is there']) {
        expect(prompt).toContain(part);
      }
    },
  ],
  [
    'S0-45 S0-63',
    'after an iteration the verifier is due, the loop is still at work, and the story is not confirmed',
    () => {
      const player = says(planned(), implemented);
      expect(rows(player)).toMatch(/^plan:done implement:running verify:pending test:waiting/);
      expect(stories(player)).toBe('US-001:running:0 US-002:pending:0');
      expect(promptOf(player)).not.toContain('found wrong with the last attempt');
    },
  ],
  [
    'S0-46 S0-98',
    'without verification the loop is due again after each story, and over after the last',
    () => {
      const text = flow(
        '{id: plan, input: p}',
        '{id: implement, input: i, type: loop, loop: {over: stories}}',
        '{id: test, input: t}',
      );
      const player = planned([one, two], loaded(load(text)));
      says(player, implemented);
      expect(rows(player)).toBe('plan:done implement:pending test:waiting');
      expect(stories(player)).toBe('US-001:done:0 US-002:pending:0');
      expect(rows(says(player, implemented))).toBe('plan:done implement:done test:pending');
    },
  ],
  [
    'S0-48 S0-107',
    'a verification belongs to its story whatever became of the steps meanwhile, however long it waits',
    () => {
      const player = says(planned(), implemented);
      claims(player).now += 24 * 3_600_000;
      player.walk(build.interrupted);
      expect(player.live).toBe(`${one}/verify`);
      expect(player.node('implement', one)).toMatchObject({ state: 'passed', dispatches: 1 });
      says(player, verified);
      expect([player.live, player.node('test').state]).toEqual([`${two}/implement`, 'waiting']);
    },
  ],
  [
    'S0-50',
    'what was found is gone once the story passed',
    () => {
      const player = says(planned(), implemented, rejected);
      expect(context(player)['verify_feedback']).toContain('cart.ts:3');
      says(player, implemented, verified);
      for (const next of [implemented, verified]) {
        expect(promptOf(player)).not.toContain('cart.ts:3');
        says(player, next);
      }
    },
  ],
  [
    'S0-51 S0-67',
    'a rejection hands the story back, counts it, keeps the issues and makes the loop due',
    () => {
      const player = says(planned(), implemented, rejected);
      expect(rows(player)).toMatch(/implement:pending verify:waiting/);
      expect(stories(player)).toBe('US-001:pending:1 US-002:pending:0');
      expect(context(player)['verify_feedback']).toBe('1. cart.ts:3: empty\n2. no test');
    },
  ],
  [
    'S0-52 S0-100',
    'a third rejection fails the story, its loop and the run, and nothing later has run',
    () => {
      const player = planned();
      for (const _try of [1, 2, 3]) says(player, implemented, rejected);
      expect(stories(player)).toMatch(/^US-001:failed:2 /);
      expect(rows(player)).toMatch(/^plan:done implement:failed verify:failed test:waiting/);
      expect([player.run.status, player.live]).toEqual(['failed', null]);
      expect(player.open[0]?.text).toContain('cart.ts:3');
    },
  ],
  [
    'S0-54',
    'however often it had its turn, the verifier is done once when the loop is over',
    () => {
      const player = says(planned(), implemented, rejected, implemented, verified, implemented, verified);
      expect(rows(player)).toMatch(/implement:done verify:done test:pending/);
    },
  ],
];

const failing: readonly Row[] = [
  [
    'S0-56 S0-57',
    'a failing implementation costs the story one of its retries, and no attempt of the step',
    () => {
      const player = says(planned(), 'STATUS: failed');
      expect(stories(player)).toBe('US-001:pending:1 US-002:pending:0');
      expect(rows(player)).toMatch(/implement:pending/);
      says(player, 'STATUS: failed', 'STATUS: failed');
      expect(stories(player)).toMatch(/^US-001:failed:2/);
      expect([player.run.status, player.node('stories').state]).toEqual(['failed', 'failed']);
    },
  ],
  ...[
    'STATUS: failed\nISSUES: 1. cart.ts:3: empty\n2. no test',
    'no status at all',
    'STATUS: hm',
    'STATUS: blocked\nSUMMARY: no database here',
  ].map(
    (text): Row => [
      'S0-59',
      `a verifier that says ${JSON.stringify(text.slice(0, 20))} hands the story back`,
      () => {
        const player = says(planned(), implemented, text);
        expect(player.live).toBe(`${one}/implement`);
        expect(stories(player)).toMatch(/^US-001:pending:1/);
        expect(context(player)['verify_feedback']).not.toBe('');
      },
    ],
  ),
  [
    'S0-60',
    'two retries are three tries, whichever of the two fails, in any order',
    () => {
      const player = says(planned(), 'STATUS: failed', implemented, rejected);
      expect([player.run.status, player.live]).toEqual(['running', `${one}/implement`]);
      says(player, implemented, rejected);
      expect([player.run.status, stories(player)]).toEqual(['failed', 'US-001:failed:2 US-002:pending:0']);
    },
  ],
];

const sequence: readonly Row[] = [
  [
    'S0-61 S0-62 S0-64 S0-65 S0-99',
    'a story passes through exactly these states',
    () => {
      const player = planned();
      const seen = [rows(player)];
      const then = (next: () => unknown) => {
        next();
        seen.push(rows(player));
      };
      for (const [turn, text] of [implemented, rejected, implemented, verified, implemented, verified].entries()) {
        then(() => claims(player));
        if (turn === 0) expect([current(player), stories(player)]).toEqual([one, 'US-001:running:0 US-002:pending:0']);
        then(() => says(player, text));
        if (turn === 3) expect(stories(player)).toBe('US-001:done:1 US-002:pending:0');
      }
      const pair = seen.map((line) => /implement:(\w+) verify:(\w+) test:(\w+)/.exec(line)?.slice(1).join(' '));
      const round = ['running waiting waiting', 'running pending waiting', 'running running waiting'];
      const due = 'pending waiting waiting';
      expect(pair).toEqual([due, ...round, due, ...round, due, ...round, 'done done pending']);
    },
  ],
];

const memory: readonly Row[] = [
  [
    'S0-70 S0-72 S0-80',
    'the developer reads the log first, does one story, checks, leaves the commit to Bosun, adds to the log, then its patterns and the guide',
    () => {
      const order = [
        /1\. Read the progress log, the section `## Codebase Patterns` first/,
        /2\. Run `git status`[\s\S]*branch that is checked out/,
        /3\. Implement only this story/,
        /4\. Run the project's own quality checks/,
        /5\. [\s\S]*Bosun commits it as `feat: \{\{current_story_id\}\} - \{\{current_story_title\}\}`/,
        /6\. Append one block to the progress log[\s\S]*what was done[\s\S]*files changed[\s\S]*Learnings/,
        /7\.[\s\S]*`## Codebase Patterns`[\s\S]*Facts of this story alone stay in its block/,
        /8\.[\s\S]*stack, how to run the tests, key files, traps[\s\S]*`## Codebase Knowledge` of `AGENTS\.md`/,
      ];
      const text = prompts('developer');
      const places = order.map((part) => text.search(part));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(places[0]).toBeGreaterThan(0);
    },
  ],
  [
    'S0-73',
    'no step needs a MEMORY.md',
    () => {
      const all = ['planner', 'developer', 'verifier', 'tester', 'pr', 'reviewer', 'rework'].map(prompts).join('');
      expect(all).not.toContain('MEMORY.md');
    },
  ],
  [
    'S0-105',
    'each run has a log of its own',
    () => {
      const logs = ['r12', 'r13'].map((run) => jobOf(planned(), run).payload.prompt);
      expect(logs.map((text) => /\S+progress\.txt/.exec(text)?.[0])).toEqual(
        ['/shop/.ai/runs/r12/progress.txt.', '/shop/.ai/runs/r13/progress.txt.'].map((path) =>
          expect.stringContaining(path.slice(0, -1)),
        ),
      );
    },
  ],
];

const contracts: readonly Row[] = [
  [
    'S0-77',
    'without repository, branch or stories the planner has not planned',
    () => {
      expect(nodeOf(feature, 'plan').expects).toMatchObject({
        status: ['done'],
        keys: ['REPO', 'BRANCH'],
        items: 'required',
      });
      for (const lost of ['REPO', 'BRANCH', 'STATUS', 'STORIES_JSON']) {
        const text = plan([aStory(one)])
          .split('\n')
          .filter((line) => !line.startsWith(lost))
          .join('\n');
        const { last } = says(Player.start(feature), text).node('plan');
        expect([last?.outcome, last?.summary]).toEqual(['failing', expect.stringContaining(lost)]);
      }
    },
  ],
  [
    'S0-78',
    'the planner explores first, cuts to the size of a session, orders by what rests on what, and makes criteria checkable',
    () => {
      const text = prompts('planner');
      for (const part of [
        /Explore first/,
        /fits into one session/,
        /schema and data first, then backend, then frontend/,
        /acceptance criteria that somebody else can check/,
        /last criterion of every story is "Typecheck passes"/,
        /Right size:[\s\S]*Too big:/,
      ])
        expect(text).toMatch(part);
    },
  ],
  ['S0-79', 'the planner plans and does not code', () => expect(prompts('planner')).toContain('you write no code')],
  [
    'S0-81',
    'the verifier looks for stubs, takes each criterion, type checks, and opens a browser only where a criterion asks',
    () => {
      const text = prompts('verifier');
      for (const part of [
        /exists and is no stub/,
        /Take the acceptance criteria one by one/,
        /Look for what is obviously unfinished/,
        /type check \([\s\S]*\{\{project\.check\}\}/,
        /Only where a criterion asks for it: look at the page in a browser/,
      ])
        expect(text).toMatch(part);
    },
  ],
  [
    'S0-82',
    'done with what was verified, or retry with issues: both words are taken and no other',
    () => {
      expect(prompts('verifier')).toMatch(/STATUS: done\nVERIFIED: [\s\S]*STATUS: retry\nISSUES: /);
      const afterVerdict = (text: string) => says(planned([one]), implemented, text).live;
      expect([verified, rejected, 'STATUS: fine by me'].map(afterVerdict)).toEqual([
        '/test',
        `${one}/implement`,
        `${one}/implement`,
      ]);
    },
  ],
  [
    'S0-84',
    'the pull request reads the log and the tester’s result, and no TESTS of a story',
    () => {
      const prompt = promptOf(says(walked(), tested));
      expect(prompt).toContain('How the whole suite came out: 12 passed');
      expect(prompts('pr')).toContain('{{progress}}');
      expect(prompts('pr')).not.toContain('{{tests}}');
    },
  ],
];

const showing: readonly Row[] = [
  [
    'S0-85 S0-88',
    'the stories of a run are lines of id, status, title and retries, and a page with criteria and output',
    async () => {
      const player = says(planned(), implemented, rejected, implemented);
      const store = storeOf(player);
      expect(storyLines(store, 'r12')).toEqual([
        'US-001  [working]  Title of US-001  (1 rejection)',
        'US-002  [not started]  Title of US-002',
      ]);
      const text = await storiesText(store, spineOf(player));
      expect(text).toMatch(/US-001<\/strong> <span dir="auto">Title of US-001<\/span>.*working.*1 of 2 retries/);
      expect(text).toMatch(/US-001 is there[\s\S]*Report<\/summary><pre[^>]*>CHANGES: the cart/);
    },
  ],
  [
    'S0-86',
    'status tells how far the stories are',
    () => {
      const player = says(planned(), implemented, verified);
      const status = projectStatus(storeOf(player), { name: 'shop', aliases: [], level: 'auto' } as never, 0);
      expect(statusText(status)).toMatch(/\[done\] US-001 Title of US-001\n\[working\] US-002 Title of US-002/);
    },
  ],
];

const concurrency: readonly Row[] = [
  [
    'S0-91',
    'a file without stories walks from end to end, as it did before there were any',
    () => {
      const text = `id: bug-fix
steps:
  - {id: triage, agent: dev, input: "Look at {{task}}", expects: "STATUS: done"}
  - {id: fix, agent: dev, input: "Fix: {{cause}}", expects: "STATUS: done", max_retries: 2}
  - {id: check, agent: dev, input: "Check: {{changes}}", expects: "STATUS: done", on_fail: {retry_step: fix}}
`;
      const player = says(Player.start(loaded(load(text))), 'STATUS: done\nCAUSE: off by one');
      expect(promptOf(player)).toContain('Fix: off by one');
      says(player, 'STATUS: done\nCHANGES: i', 'STATUS: failed');
      expect(player.live).toBe('/fix');
      says(player, 'STATUS: done\nCHANGES: i + 1');
      expect(promptOf(player)).toContain('Check: i + 1');
      expect(says(player, 'STATUS: done').run.status).toBe('completed');
      expect(player.state.items).toEqual([]);
    },
  ],
  [
    'S0-92 S0-99',
    'a workflow file of antfarm walks its stories without asking between them, with a rejection on the way, to its end',
    () => {
      const player = says(planned([one, two], old()), implemented, rejected);
      expect(promptOf(player)).toMatch(/^You are [\s\S]*Implement US-001: Title of US-001/);
      expect(promptOf(player)).toContain('Found wrong before: 1. cart.ts:3: empty');
      says(player, implemented, verified);
      expect([player.live, player.asks]).toEqual([`${two}/implement`, []]);
      expect(promptOf(player)).toContain('Found wrong before: \n');
      says(player, implemented, verified, 'STATUS: done', 'STATUS: done\nPR: #7', 'STATUS: done');
      expect(player.run.status).toBe('completed');
      const stuck = planned([one], old());
      for (const _try of [1, 2, 3]) says(stuck, implemented, rejected);
      expect([stuck.run.status, stuck.asks]).toEqual(['paused', ['stuck']]);
    },
  ],
  [
    'S0-102',
    'a second report for the same attempt changes nothing, also where the step is at work again',
    () => {
      const player = planned();
      const [live] = player.run.live;
      says(player, implemented, rejected);
      const before = player.world;
      const again = { type: 'attempt_settled', chain: one, attempt: live?.attempt ?? '' } as const;
      for (const text of [implemented, 'STATUS: failed']) {
        player.do({ ...again, envelope: printed(player, text) });
        expect([player.ignored, player.effects, player.world === before]).toEqual(['superseded', [], true]);
      }
    },
  ],
  [
    'S0-103',
    'a late report advances nothing of a run that was given up or has failed',
    () => {
      const player = claims(says(planned(), implemented));
      const [live] = player.run.live;
      const late = {
        type: 'attempt_settled',
        chain: one,
        attempt: live?.attempt ?? '',
        envelope: printed(player, verified),
      } as const;
      player.do({ type: 'abort' }).answer('abort');
      expect(player.run.status).toBe('cancelled');
      player.do(late);
      expect([player.stories(), player.run.status, player.live]).toEqual([
        'US-001:cancelled US-002:cancelled',
        'cancelled',
        null,
      ]);
      const failed = planned();
      const first = failed.run.live[0]?.attempt ?? '';
      for (const _try of [1, 2, 3]) says(failed, 'STATUS: failed');
      failed.do({ ...late, attempt: first });
      expect([failed.ignored, failed.run.status]).toEqual(['superseded', 'failed']);
    },
  ],
  [
    'S0-104',
    'a repeated verification gets its own story',
    () => {
      const player = says(planned(), implemented.replace('the cart', 'changes of one'), verified, implemented);
      player.walk(build.crash);
      expect(player.live).toBe(`${two}/verify`);
      const prompt = promptOf(player);
      expect(prompt).toContain('Decide whether one story, US-002');
      expect(prompt).toContain('the cart');
      expect(prompt).not.toContain('changes of one');
    },
  ],
  [
    'S0-106',
    'a failed run that is taken up goes on with the failed story, its pair and its count as new',
    () => {
      const player = says(planned(), implemented, verified);
      for (const _try of [1, 2, 3]) says(player, implemented, rejected);
      expect(player.run.status).toBe('failed');
      player.answer('retry');
      expect(player.run.status).toBe('running');
      expect(rows(player)).not.toMatch(/failed/);
      expect(stories(player)).toMatch(/^US-001:done:0 US-002:/);
      for (let turn = 0; turn < 4 && player.live !== '/test'; turn++) {
        says(player, player.live === `${two}/verify` ? verified : implemented);
      }
      expect([player.live, player.stories()]).toEqual(['/test', 'US-001:done US-002:done']);
    },
  ],
];

const sections = {
  ...{ 'pipeline and policy': policy, storage, 'workflow files': files, STORIES_JSON: parsing, claiming, completing },
  ...{ failing, 'state sequence': sequence, 'progress and memory': memory, 'agent contracts': contracts },
  ...{ 'what is shown': showing, 'in a concurrent product': concurrency },
};

const e2e = 'test/e2e/scenarios-stories.test.ts';
const exportTests = 'test/dispatch/exports/export-run.test.ts';
const elsewhere: readonly Elsewhere[] = [
  {
    item: 'S0-15 S0-93',
    file: 'test/store/open.test.ts',
    title: 'a database of version 1 is migrated with its data',
  },
  {
    item: 'S0-68 S0-69',
    file: 'test/agents/attempts/progress.test.ts',
    title: 'starts with run, task and start time before the first attempt',
  },
  { item: 'S0-74 S0-75', file: exportTests, title: 'of a %s run is archived as %j, and the file then holds %j' },
  { item: 'S0-75', file: exportTests, title: 'is kept, with a log line, if it cannot be archived' },
  {
    item: 'S0-76',
    file: exportTests,
    title: 'is archived only if it exists and the workflow exports it',
  },
  {
    item: 'S0-87',
    file: 'test/web/reads.test.ts',
    title: 'the stories of a story workflow are listed',
  },
  {
    item: 'S0-92',
    file: e2e,
    title: 'the progress log reaches the later steps and is archived when the run ends',
  },
  {
    item: 'S0-100',
    file: e2e,
    title: 'a story rejected three times fails its loop and its run, and a card offers the ways out',
  },
  { item: 'S0-101', file: 'test/e2e/scenarios-whole.test.ts', title: 'a job delivered twice starts once' },
  {
    item: 'S0-101',
    file: 'test/contract/queue-contract.ts',
    title: 'runs a job once even if it is added again while it waits, runs or is settled',
  },
  {
    item: 'S0-108',
    file: 'test/dispatch/recovery.test.ts',
    title: 'is settled as crashed once, after its leftover processes were killed, and retried',
  },
  {
    item: 'S0-109',
    file: 'test/cli/step.test.ts',
    title: 'gets a step once, with its prompt, which another process does not take back',
  },
  {
    item: 'S0-109',
    file: 'test/cli/step.test.ts',
    title: 'gets a failed step again, with the error in its prompt',
  },
  {
    item: 'S0-110',
    file: 'test/engine/workflow/originals.test.ts',
    title: "prepends an agent's AGENTS.md, SOUL.md and IDENTITY.md to its prompts",
  },
  { item: 'S0-111', file: 'test/cli/usage.test.ts', title: 'is answered with the equivalent here: %j' },
  {
    item: 'S0-112',
    file: 'test/engine/workflow/originals.test.ts',
    title: 'routes a retry_step of a later step back to the loop',
  },
  {
    item: 'S0-25',
    file: 'test/dispatch/sweep.test.ts',
    title: 'runs once a minute, or at the shortest interval of the live runs',
  },
  {
    item: 'S0-108',
    file: 'test/contract/queue-contract.ts',
    title: 'recovers waiting jobs after a crash, and reports a running one as lost with its worker',
  },
];

const leftOut = {
  'S0-89': 'presentation: the pipeline, its command and how it is started stand in docs/workflows.md and docs/cli.md',
  'S0-90': 'host-specific: Bosun installs no agents and no timers',
};

prove(sections);
proveWhole(sections, elsewhere, leftOut, 'S0');
