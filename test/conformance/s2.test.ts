// Small steps that may change the steps after them, and stories side by side, item by item, against the shipped
// dynamic-ralph.
import { expect } from 'vitest';
import { prdFile } from '../../src/dispatch/exports/prd-file.js';
import { type StepState, type StoryState, workflowState } from '../../src/dispatch/exports/workflow-state.js';
import { readPrd } from '../../src/dispatch/takeover/read-prd.js';
import {
  apply,
  applyStepRules,
  type Envelope,
  emptyWorld,
  loadWorkflow,
  type NewItem,
  type Node,
  parseEdits,
  type Workflow,
  type WorkspaceOp,
} from '../../src/engine/index.js';
import { mayMoveItem, mayMoveNode } from '../../src/engine/model/draft/transition.js';
import type { StoredRecord } from '../../src/store/index.js';
import { clean, crash, envelope, failing, interrupted, item, Player, pass, timeout } from '../engine/builders.js';
import {
  type Elsewhere,
  flow,
  loaded,
  loadShipped,
  nodeOf,
  printed,
  promptOf,
  prove,
  proveWhole,
  type Row,
  readShippedPrompt,
  spineOf,
  storeOf,
} from './given.js';

const ralph = loadShipped('dynamic-ralph');
const one = 'US-001';
const two = 'US-002';
const minutes = (count: number) => count * 60_000;

/** The catalogue: type, minutes, whether it may edit, and what its prompt asks for. */
const catalogue: readonly (readonly [string, number, boolean, string, RegExp])[] = [
  [
    'context_gathering',
    15,
    false,
    'Explore codebase, DB schema, docs, and related code',
    /files that the story touches[\s\S]*models, tables[\s\S]*Patterns[\s\S]*Tests that are there[\s\S]*behaviour today/,
  ],
  [
    'planning',
    10,
    true,
    'Produce implementation plan based on gathered context',
    /covers every acceptance criterion[\s\S]*`split`[\s\S]*`add_after`[\s\S]*`skip`[\s\S]*`reorder`/,
  ],
  [
    'architecture',
    10,
    true,
    'Design code structure and identify files to modify',
    /New files[\s\S]*Modified files[\s\S]*Schema changes and migrations[\s\S]*Imports[\s\S]*layers/,
  ],
  [
    'test_architecture',
    10,
    true,
    'Design test strategy and identify test files',
    /not from an implementation[\s\S]*test file, class[\s\S]*Edge cases and errors[\s\S]*Fixtures/,
  ],
  [
    'coding',
    30,
    true,
    'Implement the changes',
    /code and tests[\s\S]*compiles, that what it imports resolves[\s\S]*Bosun commits/,
  ],
  [
    'linting',
    5,
    false,
    'Run formatters and lint checks',
    /formatter, then the lint[\s\S]*until it is green[\s\S]*Bosun commits/,
  ],
  [
    'initial_testing',
    20,
    true,
    'Run tests and identify failures',
    /the cause with file and line[\s\S]*`coding`, `linting`, `initial_testing`/,
  ],
  [
    'review',
    10,
    true,
    'Self-review against acceptance criteria',
    /cite the file and line[\s\S]*without a citation is not met[\s\S]*`add_after`/,
  ],
  [
    'prune_tests',
    10,
    false,
    'Remove redundant tests',
    /name the other test, and the fault[\s\S]*at least one test for each criterion/,
  ],
  [
    'final_review',
    15,
    true,
    'Final verification and commit',
    /Lint: [\s\S]*whole suite[\s\S]*acceptance criterion, with the file and line[\s\S]*Bosun commits[\s\S]*before this one[\s\S]*cannot be removed/,
  ],
];
const types = catalogue.map(([type]) => type);
const label = (number: number) => `step-${String(number).padStart(3, '0')}`;
const numbered = (...numbers: readonly number[]) => numbers.map(label);
const noted = (text: string) => `STATUS: done\nSUMMARY\n${text}`;

/** Whatever is being done to checkouts is done. */
function opened(player: Player): Player {
  for (let turn = 0; turn < 50 && player.run.ops.length > 0; turn++) player.worked(workOf(player.run.ops[0]));
  return player;
}

function workOf(op: WorkspaceOp | undefined) {
  if (op?.kind !== 'open') return clean;
  return { ...clean, worktree: { folder: `/home/worktrees/agent-${op.slot}`, branch: `ralph/${op.chain}` } };
}

/** Stories that are claimed, each in a worktree. */
function claimed(items: readonly NewItem[] = [item(one)], workflow: Workflow = ralph): Player {
  return opened(Player.start(workflow, { items }));
}

/** What a story's step comes back with; work on the checkout that follows is left to be seen. */
function comesBack(player: Player, given: Envelope, key = one): Player {
  const live = player.run.live.find((each) => each.chain === key);
  if (!live) throw new Error(`nothing of ${key} is live`);
  if (live.startedAt === null) player.do({ type: 'attempt_started', chain: key, attempt: live.attempt, worker: 'w1' });
  return player.do({ type: 'attempt_settled', chain: key, attempt: live.attempt, envelope: given });
}

/** The story's next steps pass, each with a note that names it. */
function walks(player: Player, count: number, key = one): Player {
  for (let done = 0; done < count; done++) {
    const step = player.run.live.find((each) => each.chain === key)?.step ?? '';
    opened(comesBack(player, printed(player, noted(`notes of ${step}`)), key));
  }
  return player;
}

/** A story that has come to the step of that number. */
function at(number: number): Player {
  return walks(claimed(), number - 1);
}

const proposing = (player: Player, ...ops: readonly object[]): Envelope =>
  printed(player, noted('done'), { edits: parseEdits(JSON.stringify(ops)) });
/** The story's step passes and proposes this, as its file holds it. */
function edits(player: Player, ...ops: readonly object[]): Player {
  return comesBack(player, proposing(player, ...ops));
}

const add = (target: string, ...steps: readonly string[]) => ({
  operation: 'add_after',
  target_step_id: target,
  reason: 'two tests are red',
  new_steps: steps.map((type) => ({ type, description: `More ${type}` })),
});
const split = (target: string, ...steps: readonly string[]) => ({
  operation: 'split',
  target_step_id: target,
  reason: 'too much at once',
  replacement_steps: steps.map((type, index) => ({ type, description: `Part ${index + 1}` })),
});
const skip = (target: string, reason = 'no tests were added') => ({
  operation: 'skip',
  target_step_id: target,
  reason,
});
const reorder = (...order: readonly string[]) => ({ operation: 'reorder', reason: 'code first', new_order: order });
const describe = (target: string, text = 'Test the API only') => ({
  operation: 'edit_description',
  target_step_id: target,
  reason: 'it is known now',
  new_description: text,
});
const restart = (target: string, text = 'Use the orders table') => ({
  operation: 'restart',
  target_step_id: target,
  reason: 'wrong table',
  new_description: text,
});

/** Told by people, where everything else happens by itself. */
const happening = new Set(['attempt_started', 'attempt_settled', 'workspace_done']);

/** The history as the store keeps it: replayed from the events. */
function recordsOf(player: Player): readonly StoredRecord[] {
  const found: StoredRecord[] = [];
  let world = emptyWorld;
  for (const event of player.events) {
    const applied = apply(world, event, player.workflow);
    world = applied.world;
    const by = 'by' in event && !happening.has(event.type) ? event.by : null;
    for (const effect of applied.decision.effects) {
      if (effect.type !== 'record') continue;
      found.push({ run: event.run, chain: effect.record.chain, at: event.at, by, record: effect.record });
    }
  }
  return found;
}

function fileOf(player: Player) {
  const chainOf = (key: string) => player.world.chains.get(key) ?? null;
  return workflowState({ spine: spineOf(player), chainOf, records: recordsOf(player), shaOf: (id) => `sha of ${id}` });
}

function storyOf(player: Player, key = one): StoryState {
  const found = fileOf(player).stories[key];
  if (!found) throw new Error(`no story ${key}`);
  return found;
}

function stepOf(player: Player, id: string): StepState {
  const found = storyOf(player).steps.find((step) => step.id === id);
  if (!found) throw new Error(`no step ${id}`);
  return found;
}

const order = (player: Player) => player.nodes(one).map((node) => node.label);
const statuses = (player: Player) => Object.values(fileOf(player).stories).map((story) => story.status);
const actions = (player: Player, key = one) => storyOf(player, key).history.map((entry) => entry.action);
const ownEdits = (player: Player) => storyOf(player).history.filter((entry) => entry.action === 'workflow_edit');
const scratch = (player: Player, key = one) => player.world.chains.get(key)?.scratch ?? '';
const ops = (player: Player) => player.run.ops.map((op) => `${op.kind} ${'chain' in op ? op.chain : ''}`);
const liveOf = (player: Player) => player.run.live.map((live) => `${live.chain}/${live.step}`);
const own = (player: Player, number: number): Node => {
  const found = player.nodes(one).find((node) => node.label === label(number));
  if (!found) throw new Error(`no ${label(number)}`);
  return found;
};
const text = (player: Player, key: string) => {
  const live = player.run.live.find((each) => each.chain === key);
  const shown = { ...player.run, live: live ? [live] : [] };
  const world = player.world;
  player.world = { ...world, state: { ...player.state, run: shown } };
  const found = promptOf(player, { edits_file: '/tree/workflow_edits/US-001.json' });
  player.world = world;
  return found;
};
const raw = (type: string) => readShippedPrompt(`prompts/dynamic-ralph/${type}.md`) ?? '';

const aStory = (id: string, more: object = {}) => ({
  id,
  title: `Title of ${id}`,
  description: `About ${id}`,
  acceptanceCriteria: [`${id} is there`],
  ...more,
});

const principles: readonly Row[] = [
  [
    'S2-01 S2-06 S2-12',
    'a story is a sequence of steps, each done by exactly one call of an executor',
    () => {
      const player = claimed();
      const prompts = types.map(() => {
        const found = text(player, one);
        walks(player, 1);
        return found;
      });
      expect(player.nodes(one).map((node) => [node.kind, node.dispatches])).toEqual(Array(10).fill(['task', 1]));
      expect(new Set(prompts).size).toBe(10);
      expect(statuses(player)).toEqual(['completed']);
    },
  ],
  [
    'S2-02 S2-114',
    'the steps of a story never run beside each other, stories do, and a place that is free is taken again',
    () => {
      const player = claimed([one, two, 'US-003', 'US-004'].map((key) => item(key)));
      expect(liveOf(player)).toEqual([one, two, 'US-003'].map((key) => `${key}/context_gathering`));
      walks(player, 4, two);
      expect(liveOf(player)).toContain(`${two}/coding`);
      expect(player.run.live).toHaveLength(3);
      walks(player, 6, two);
      expect(player.stories()).toContain(`${two}:done`);
      expect(liveOf(player)).toContain('US-004/context_gathering');
      expect(player.state.items.map((each) => each.slot)).toEqual([1, null, 3, 2]);
    },
  ],
  [
    'S2-114',
    'how many work side by side is a setting of the project',
    () => {
      const rules = { file: '.ai/step-rules.yaml', text: 'stories: {parallel: 1}' };
      const player = claimed([item(one), item(two)], loaded(applyStepRules(ralph, rules)));
      expect(liveOf(player)).toEqual([`${one}/context_gathering`]);
    },
  ],
  [
    'S2-03 S2-96',
    'what a step ends with is kept as its notes and told to all that come later, wherever they stand',
    () => {
      const player = at(8);
      expect(stepOf(player, 'step-001').notes).toBe('notes of context_gathering');
      edits(player, add('step-003', 'coding'));
      expect(liveOf(player)).toEqual([`${one}/coding`]);
      for (const type of types.slice(0, 7)) expect(text(player, one)).toContain(`notes of ${type}`);
    },
  ],
  [
    'S2-04 S2-120',
    'a step gets what it needs: of another story only what that one wrote down for all',
    () => {
      const player = claimed([item(one), item(two)]);
      const told = { scratch: { run: 'port 5432 is taken', item: 'the schema is in db/' } };
      opened(comesBack(player, printed(player, noted('only of the first'), told)));
      walks(player, 1, two);
      for (const part of ['port 5432 is taken', 'the schema is in db/']) expect(text(player, one)).toContain(part);
      const other = text(player, two);
      expect(other).toContain('port 5432 is taken');
      for (const part of ['only of the first', 'the schema is in db/', `About ${one}`])
        expect(other).not.toContain(part);
    },
  ],
  [
    'S2-05 S2-08',
    'stories are taken as they were prepared, with what they depend on, which is nothing unless it is said',
    () => {
      const list = [
        aStory(one, { priority: 2, passes: false, notes: 'x' }),
        aStory(two, { priority: 1, depends_on: [one] }),
      ];
      const items = readPrd({ userStories: list });
      expect(items).toMatchObject([
        { key: two, dependsOn: [one], priority: 1 },
        {
          key: one,
          title: 'Title of US-001',
          description: 'About US-001',
          criteria: ['US-001 is there'],
          dependsOn: [],
        },
      ]);
      expect(prdFile(claimed(items).state).userStories[1]).toEqual({
        ...{ id: one, title: 'Title of US-001', description: 'About US-001', acceptanceCriteria: ['US-001 is there'] },
        ...{ priority: 2, depends_on: [], passes: false, notes: 'x' },
      });
    },
  ],
  [
    'S2-07 S2-36 S2-88',
    'a step that went wrong may be described anew and begun again, and the story goes on',
    () => {
      const player = edits(at(5), restart('step-005'));
      expect(statuses(player)).toEqual(['in_progress']);
      expect(stepOf(player, 'step-005')).toMatchObject({ status: 'pending', description: 'Use the orders table' });
      opened(player);
      expect(liveOf(player)).toEqual([`${one}/coding`]);
      expect(text(player, one)).toContain('Use the orders table');
      expect(own(walks(player, 1), 5)).toMatchObject({ state: 'passed', dispatches: 2 });
    },
  ],
  [
    'S2-09 S2-10',
    'stories that wait for each other are refused, with the ring',
    () => {
      const ring = [
        aStory('A', { depends_on: ['C'] }),
        aStory('B', { depends_on: ['A'] }),
        aStory('C', { depends_on: ['B'] }),
      ];
      expect(() => readPrd(ring)).toThrow(/A → C → B → A|A → B → C → A/);
      expect(() => readPrd([aStory('A', { depends_on: ['B'] }), aStory('B')])).not.toThrow();
    },
  ],
  [
    'S2-11',
    'an unknown dependency is refused by name',
    () => expect(() => readPrd([aStory('A', { depends_on: ['Z'] })])).toThrow('A depends on Z, which does not exist'),
  ],
  [
    'S2-12',
    'stories come as an array or in an object',
    () => expect(readPrd([aStory(one)])).toEqual(readPrd({ userStories: [aStory(one)], project: 'shop' })),
  ],
];

const catalogueRows: readonly Row[] = [
  ...catalogue.map(
    ([type, limit, mayEdit, title, asked], index): Row => [
      `S2-${13 + index}`,
      `${type}: its time, its right to edit, its words`,
      () => {
        const def = nodeOf(ralph, type);
        const isMandatory = type === 'linting' || type === 'final_review';
        expect([def.timeoutMs, def.editable, def.title]).toEqual([minutes(limit), mayEdit, title]);
        expect([def.mandatory, def.pinLast]).toEqual([isMandatory, type === 'final_review']);
        expect(raw(type)).toMatch(asked);
      },
    ],
  ),
  [
    'S2-23',
    'each step has its instructions: what it receives, what it produces, what to heed, and a summary of three to five lines',
    () => {
      for (const type of types) {
        expect([type, raw(type)]).toEqual([
          type,
          expect.stringMatching(/You receive [\s\S]*You produce [\s\S]*\n1\. /),
        ]);
        expect([type, raw(type)]).toEqual([type, expect.stringMatching(/three to five lines[\s\S]*\nSUMMARY\n/)]);
        expect(loadedPrompt(type)).toContain('You receive');
      }
    },
  ],
  [
    'S2-24',
    'time limits are those of the types unless a project says otherwise',
    () => {
      const rules = { file: '.ai/step-rules.yaml', text: 'coding: {timeout: 45m}' };
      const changed = loaded(applyStepRules(ralph, rules));
      expect(nodeOf(changed, 'coding').timeoutMs).toBe(minutes(45));
      expect(nodeOf(changed, 'planning').timeoutMs).toBe(minutes(10));
    },
  ],
  [
    'S2-25 S2-26',
    'lint and tests are the project’s own commands, and a red lint fails its step whatever was said of it',
    () => {
      expect(nodeOf(ralph, 'linting').check).toBe('{{project.lint}}');
      const player = at(6);
      expect(text(player, one)).toContain('npm run lint');
      const red = {
        name: 'check',
        command: 'npm run lint',
        ok: false,
        exit: 1,
        timedOut: false,
        tests: null,
        tail: 'E1',
      } as const;
      comesBack(player, printed(player, noted('all clean'), { checks: [red] }));
      expect(stepOf(player, 'step-006').status).toBe('failed');
    },
  ],
];

function loadedPrompt(type: string): string {
  return nodeOf(ralph, type).prompt ?? '';
}

const workflowRows: readonly Row[] = [
  [
    'S2-27 S2-29',
    'a story has no steps until it is claimed, and then these ten',
    () => {
      const player = Player.create(ralph, { items: [item(one)] });
      expect(storyOf(player)).toMatchObject({ status: 'unclaimed', steps: [], claimed_at: null });
      const story = storyOf(player.do({ type: 'start', behind: null }).worked());
      const none = { started_at: null, completed_at: null, git_sha_at_start: null, notes: null, error: null };
      const never = { skip_reason: null, cost_usd: null, input_tokens: null, output_tokens: null, log_file: null };
      expect(story.steps).toEqual(
        catalogue.map(([type, , , title], index) => ({
          ...{ id: label(index + 1), type, status: 'pending', description: title, restart_count: 0 },
          ...none,
          ...never,
        })),
      );
      opened(player);
      expect(order(walks(player, 3))).toEqual(numbered(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    },
  ],
  [
    'S2-29',
    'a story that is taken up again keeps its steps',
    () => {
      const player = opened(comesBack(edits(at(2), skip('step-009')), crash));
      opened(player.answer(`retry-${one}`));
      expect(order(player)).toEqual(numbered(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
      expect(own(player, 9).skipReason).toEqual({ type: 'edit', reason: 'no tests were added' });
    },
  ],
  [
    'S2-28',
    'the first step that is added is step-011',
    () => expect(order(edits(at(2), add('step-002', 'coding')))[2]).toBe('step-011'),
  ],
  [
    'S2-30',
    'another workflow gives its stories other steps',
    () => {
      const file = flow('{id: stories, kind: loop, over: items, body: [{id: plan, prompt: p}, {id: code, prompt: c}]}');
      const own = loaded(loadWorkflow({ file: 'mine.yaml', text: file }, () => null));
      expect(
        claimed([item(one)], own)
          .nodes(one)
          .map((node) => node.template),
      ).toEqual(['plan', 'code']);
    },
  ],
];

const seen = (player: Player, number: number) => stepOf(player, label(number)).status;

const stepStates: readonly Row[] = [
  [
    'S2-31 S2-32 S2-33',
    'a step is pending, in progress when it begins, completed when it is done',
    () => {
      const player = claimed();
      expect(seen(player, 2)).toBe('pending');
      const [live] = player.run.live;
      player.do({ type: 'attempt_started', chain: one, attempt: live?.attempt ?? '', worker: 'w1' });
      expect(seen(player, 1)).toBe('in_progress');
      expect(seen(walks(player, 1), 1)).toBe('completed');
    },
  ],
  [
    'S2-31 S2-34',
    'one whose executor fails or says so is failed',
    () => {
      for (const bad of [crash, failing]) expect(seen(comesBack(at(2), bad), 2)).toBe('failed');
    },
  ],
  [
    'S2-31 S2-35 S2-100',
    'one whose time is up is cancelled, with that as its error',
    () => {
      const player = comesBack(at(2), timeout);
      expect(stepOf(player, 'step-002')).toMatchObject({ status: 'cancelled', error: 'timeout', notes: null });
      expect(statuses(player)).toEqual(['failed']);
    },
  ],
  [
    'S2-35',
    'one that a person ends is cancelled',
    () => {
      const player = at(2);
      player.do({ type: 'abort' }).answer('abort');
      expect(seen(player, 2)).toBe('cancelled');
      const stopped = at(2).do({ type: 'kill' });
      expect(stopped.effects).toContainEqual(expect.objectContaining({ type: 'cancel' }));
      expect(seen(comesBack(stopped, envelope({ exit: null, killed: 'cancel' })), 2)).toBe('cancelled');
    },
  ],
  [
    'S2-31 S2-37',
    'only an edit skips one that is pending, and it says why',
    () => {
      expect(stepOf(edits(at(2), skip('step-009')), 'step-009')).toMatchObject({
        status: 'skipped',
        skip_reason: 'no tests were added',
      });
      expect(parseEdits(JSON.stringify([{ operation: 'skip', target_step_id: 'step-009' }])).ok).toBe(false);
    },
  ],
  [
    'S2-38',
    'there are no other moves',
    () => {
      const final = ['passed', 'skipped', 'failed', 'cancelled'] as const;
      for (const from of final)
        for (const to of ['queued', 'running'] as const) expect(mayMoveNode(from, to)).toBe(false);
      for (const from of final)
        for (const to of final) expect([from, to, mayMoveNode(from, to)]).toEqual([from, to, mayClose(from, to)]);
      expect(mayMoveNode('waiting', 'running')).toBe(false);
      expect(mayMoveNode('waiting', 'passed')).toBe(false);
      expect(() => comesBack(claimed(), pass, two)).toThrow();
    },
  ],
  [
    'S2-39 S2-109',
    'nothing is tried again by itself, neither a step nor its story',
    () => {
      for (const bad of [crash, failing, timeout]) {
        const player = opened(comesBack(at(2), bad));
        expect([own(player, 2).dispatches, player.live]).toEqual([1, null]);
        expect(statuses(player)).toEqual(['failed']);
        expect(player.asks).toEqual(['items_failed']);
      }
    },
  ],
  [
    'S2-40',
    'a restart needs a reason and a new description, and both descriptions stay in the history',
    () => {
      for (const field of ['reason', 'new_description']) {
        expect(parseEdits(JSON.stringify([{ ...restart('step-005'), [field]: undefined }])).ok).toBe(false);
      }
      expect(ownEdits(edits(at(5), restart('step-005')))).toMatchObject([
        {
          step_id: 'step-005',
          details: {
            ...{ operation: 'restart', reason: 'wrong table' },
            ...{ old_description: 'Implement the changes', new_description: 'Use the orders table' },
          },
        },
      ]);
    },
  ],
  [
    'S2-41 S2-79 S2-183',
    'three restarts are granted; the fourth is rejected and fails its step and its story',
    () => {
      const player = at(5);
      for (const count of [1, 2, 3]) {
        opened(edits(player, restart('step-005')));
        expect(stepOf(player, 'step-005').restart_count).toBe(count);
      }
      edits(player, add('step-005', 'coding'), restart('step-005'));
      expect(stepOf(player, 'step-005')).toMatchObject({ status: 'failed', restart_count: 3 });
      expect(stepOf(player, 'step-005').error).toContain('restart_limit');
      expect(scratch(player)).toContain('rejected: operation 2 (restart)');
      expect(order(player)).toHaveLength(10);
      expect(statuses(player)).toEqual(['failed']);
    },
  ],
];

/** Of moves between ended states, these alone are: what a person gives up or leaves out. */
function mayClose(from: string, to: string): boolean {
  return ['failed skipped', 'failed cancelled', 'cancelled skipped'].includes(`${from} ${to}`);
}

const chained = () => claimed([item(one), item(two, [one]), item('US-003', [two]), item('US-004')]);

const storyStates: readonly Row[] = [
  [
    'S2-42 S2-43 S2-44 S2-115',
    'a story is unclaimed, then in progress with its place, its time and its steps at once, then completed',
    () => {
      const player = Player.start(ralph, { items: [item(one), item(two, [one])] });
      expect(statuses(player)).toEqual(['in_progress', 'unclaimed']);
      expect(storyOf(player)).toMatchObject({
        agent_id: 1,
        claimed_at: expect.stringMatching(/^1970/),
        completed_at: null,
      });
      expect(storyOf(player).steps).toHaveLength(10);
      walks(opened(player), 10);
      expect(storyOf(player)).toMatchObject({ status: 'completed', agent_id: 1, completed_at: expect.any(String) });
    },
  ],
  [
    'S2-45 S2-106 S2-107 S2-108',
    'a step that fails fails its story, with its error, and all stories are reported',
    () => {
      const player = claimed([item(one), item(two)]);
      opened(comesBack(player, printed(player, 'STATUS: failing\nSUMMARY\nno database here')));
      expect(stepOf(player, 'step-001')).toMatchObject({ status: 'failed', notes: null });
      expect(stepOf(player, 'step-001').error).toContain('no database here');
      expect(statuses(player)).toEqual(['failed', 'in_progress']);
      walks(player, 1, two);
      expect(text(player, two)).toContain(`${one} failed at context_gathering`);
    },
  ],
  [
    'S2-42 S2-46 S2-123',
    'what rests on a failed story is blocked, however far behind',
    () => {
      const player = opened(comesBack(chained(), crash));
      expect(statuses(player)).toEqual(['failed', 'blocked', 'blocked', 'in_progress']);
      expect(storyOf(player, 'US-003').history.map((entry) => entry.action)).toEqual(['story_blocked']);
    },
  ],
  [
    'S2-47 S2-48 S2-49 S2-124',
    'a person has it retried; what was blocked is free again, and starts when all that it rests on is completed',
    () => {
      const player = opened(comesBack(chained(), crash));
      walks(player, 10, 'US-004');
      opened(player.answer(`retry-${one}`));
      expect(statuses(player)).toEqual(['in_progress', 'unclaimed', 'unclaimed', 'completed']);
      expect(liveOf(player)).toEqual([`${one}/context_gathering`]);
      walks(player, 10);
      expect(statuses(player)).toEqual(['completed', 'in_progress', 'unclaimed', 'completed']);
      expect(actions(player, two)).toEqual(['story_blocked', 'story_unblocked', 'story_claimed']);
      expect(mayMoveItem('failed', 'ready')).toBe(true);
    },
  ],
  [
    'S2-50 S2-187',
    'it is completed, and passes, only when its branch is merged',
    () => {
      const player = at(10);
      comesBack(player, pass);
      expect(ops(player)).toEqual([`merge ${one}`]);
      const passes = () => prdFile(player.state).userStories.map((story) => story.passes);
      expect([player.stories(), statuses(player), passes()]).toEqual([`${one}:merging`, ['in_progress'], [false]]);
      opened(player);
      expect([statuses(player), passes()]).toEqual([['completed'], [true]]);
    },
  ],
];

const stateKeys = ['version', 'created_at', 'prd_file', 'stories'];
const storyKeys = 'story_id title status agent_id claimed_at completed_at depends_on steps history'.split(' ');
const stepKeys =
  'id type status description started_at completed_at git_sha_at_start notes error skip_reason restart_count cost_usd input_tokens output_tokens log_file'.split(
    ' ',
  );

const stateFile: readonly Row[] = [
  [
    'S2-51 S2-52 S2-53',
    'the file has these fields and no others, in this order',
    () => {
      const file = fileOf(at(3));
      expect(Object.keys(file)).toEqual(stateKeys);
      expect(file).toMatchObject({ version: 1, prd_file: null });
      expect(Object.keys(file.stories)).toEqual([one]);
      expect(Object.keys(storyOf(at(3)))).toEqual(storyKeys);
      for (const step of storyOf(at(3)).steps) expect(Object.keys(step)).toEqual(stepKeys);
    },
  ],
  [
    'S2-53 S2-54 S2-102',
    'a step that is done tells what it began on, what it took and where its log is; one that is not, nothing of it',
    () => {
      const player = at(5);
      const cost = { costUsd: 0.2, tokensIn: 100, tokensOut: 20, logPath: 'logs/US-001/step-005.jsonl' };
      expect(stepOf(player, 'step-005')).toMatchObject({ cost_usd: null, input_tokens: null, output_tokens: null });
      opened(comesBack(player, printed(player, noted('wrote it'), cost)));
      expect(stepOf(player, 'step-005')).toEqual({
        ...{ id: 'step-005', type: 'coding', status: 'completed', description: 'Implement the changes' },
        ...{ started_at: expect.any(String), completed_at: expect.any(String) },
        git_sha_at_start: `sha of ${own(player, 5).last?.id}`,
        ...{ notes: 'wrote it', error: null, skip_reason: null, restart_count: 0 },
        ...{ cost_usd: 0.2, input_tokens: 100, output_tokens: 20, log_file: 'logs/US-001/step-005.jsonl' },
      });
      const steps = storyOf(opened(comesBack(edits(player, skip('step-009')), crash))).steps;
      for (const step of steps) {
        expect([step.id, step.error !== null]).toEqual([step.id, step.status === 'failed']);
        expect([step.id, step.skip_reason !== null]).toEqual([step.id, step.status === 'skipped']);
        expect([step.id, step.cost_usd]).toEqual([step.id, step.id === 'step-005' ? 0.2 : null]);
      }
    },
  ],
  [
    'S2-55 S2-56 S2-75',
    'ids count on and are never used again, and the order is that of the list',
    () => {
      const player = opened(edits(at(2), split('step-005', 'coding', 'coding')));
      edits(player, add('step-012', 'review'), split('step-013', 'review', 'review'));
      expect(order(player)).toEqual(numbered(1, 2, 3, 4, 11, 12, 14, 15, 6, 7, 8, 9, 10));
      edits(player, add('step-004', 'planning'));
      expect(order(player)).toEqual(numbered(1, 2, 3, 4, 16, 11, 12, 14, 15, 6, 7, 8, 9, 10));
      expect(liveOf(player)).toEqual([`${one}/planning`]);
    },
  ],
  [
    'S2-57 S2-76',
    'history says when, what, who, which step, and of an edit its operation, reason, before and after',
    () => {
      const player = edits(at(2), skip('step-009'));
      expect(storyOf(player).history[0]).toEqual({
        ...{ timestamp: expect.stringMatching(/Z$/), action: 'story_claimed', agent_id: 1, step_id: null },
        details: {},
      });
      expect(ownEdits(player)).toEqual([
        {
          ...{ timestamp: expect.any(String), action: 'workflow_edit', agent_id: 1, step_id: 'step-002' },
          details: {
            ...{ operation: 'skip', target_step_id: 'step-009', reason: 'no tests were added' },
            before: numbered(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
            after: numbered(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
          },
        },
      ]);
    },
  ],
  [
    'S2-58',
    'each thing that happens has its word, also to be blocked and freed',
    () => {
      const player = chained();
      opened(edits(player, skip('step-009')));
      comesBack(player, timeout);
      opened(comesBack(player, crash, 'US-004'));
      opened(player.answer(`retry-${one}`));
      walks(player, 9);
      const told = new Set([one, two, 'US-003', 'US-004'].flatMap((key) => actions(player, key)));
      const words =
        'story_claimed story_completed story_failed story_blocked story_unblocked story_merged step_started step_completed step_failed step_cancelled';
      for (const word of words.split(' ')) expect(told).toContain(word);
      expect(actions(edits(at(2), skip('step-009')))).toEqual(
        expect.arrayContaining(['workflow_edit', 'step_skipped']),
      );
    },
  ],
  [
    'S2-59',
    'what the file tells is what the database holds',
    () => {
      const player = walks(opened(edits(at(5), add('step-005', 'coding'), describe('step-007'))), 2);
      expect(stored(player)).toEqual(fileOf(player));
    },
  ],
];

/** The file as it comes from the store. */
function stored(player: Player) {
  const store = storeOf(player, recordsOf(player));
  const spine = store.spine('r12');
  if (!spine) throw new Error('no r12');
  const shaOf = (id: string) => `sha of ${id}`;
  return workflowState({ spine, chainOf: (key) => store.chain('r12', key), records: store.records('r12'), shaOf });
}

const applied: readonly Row[] = [
  [
    'S2-60',
    'only steps of a type that may edit are heard; the others count all the same',
    () => {
      for (const [index, [type, , mayEdit]] of catalogue.entries()) {
        const player = edits(at(index + 1), describe('step-010'));
        const isLast = type === 'final_review';
        expect([type, ownEdits(player).length]).toEqual([type, mayEdit && !isLast ? 1 : 0]);
        expect([type, own(player, index + 1).state]).toEqual([type, 'passed']);
        if (!mayEdit) expect(scratch(player)).toContain(`${type} may not edit the workflow`);
      }
    },
  ],
  [
    'S2-61 S2-87',
    'the final review may put work before itself and is then done again after it, but not leave itself out',
    () => {
      const player = edits(at(10), add('step-009', 'coding'));
      expect(order(player)).toEqual(numbered(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10));
      expect([liveOf(player), own(player, 10)]).toMatchObject([[`${one}/coding`], { restarts: 0, generation: 2 }]);
      expect(player.run.ops).toEqual([]);
      walks(player, 1);
      expect(liveOf(player)).toEqual([`${one}/final_review`]);
      walks(player, 1);
      expect(statuses(player)).toEqual(['completed']);
      for (const op of [skip('step-010'), split('step-010', 'review', 'review'), reorder()]) {
        expect(ownEdits(edits(at(10), op))).toEqual([]);
      }
    },
  ],
  [
    'S2-62 S2-77',
    'a story’s steps change their own story and no other',
    () => {
      const player = claimed([item(one), item(two)]);
      walks(walks(player, 1), 1, two);
      opened(comesBack(player, proposing(player, add('step-002', 'coding')), two));
      const before = player.nodes(two);
      edits(player, describe('step-011'));
      expect(scratch(player)).toContain('there is no step "step-011"');
      expect(player.nodes(two)).toEqual(before);
      edits(opened(player), skip('step-009'));
      expect(player.nodes(two).map((node) => node.state)).not.toContain('skipped');
    },
  ],
  [
    'S2-63 S2-144',
    'add_after step-007 gives 011, 012 and 013 before step-008, in their order',
    () => {
      const player = edits(at(7), add('step-007', 'coding', 'linting', 'initial_testing'));
      expect(order(player)).toEqual(numbered(1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 8, 9, 10));
      const added = storyOf(player).steps.slice(7, 10);
      expect(added.map(({ id, type, description }) => [id, type, description])).toEqual([
        ['step-011', 'coding', 'More coding'],
        ['step-012', 'linting', 'More linting'],
        ['step-013', 'initial_testing', 'More initial_testing'],
      ]);
      expect(order(edits(at(2), add('step-004', 'review'))).slice(3, 6)).toEqual(numbered(4, 11, 5));
    },
  ],
  [
    'S2-145',
    'after they have run the next is step-008, by the order of the list',
    () => {
      const player = opened(edits(at(7), add('step-007', 'coding', 'linting', 'initial_testing')));
      expect(liveOf(player)).toEqual([`${one}/coding`]);
      walks(player, 3);
      expect(liveOf(player)).toEqual([`${one}/review`]);
      expect(own(player, 8).state).toBe('queued');
    },
  ],
  [
    'S2-64 S2-146',
    'split of step-005 puts two in its place, with new ids; the old one stays in the history',
    () => {
      const player = edits(at(3), split('step-005', 'coding', 'coding'));
      expect(
        storyOf(player)
          .steps.slice(3, 7)
          .map(({ id, type, description }) => `${id} ${type} ${description}`),
      ).toEqual([
        'step-004 test_architecture Design test strategy and identify test files',
        'step-011 coding Part 1',
        'step-012 coding Part 2',
        'step-006 linting Run formatters and lint checks',
      ]);
      expect(ownEdits(player)[0]?.details).toMatchObject({
        target_step_id: 'step-005',
        before: expect.arrayContaining(['step-005']),
      });
    },
  ],
  [
    'S2-65 S2-147',
    'skip of step-009 leaves it in the list with its reason, and it never runs',
    () => {
      const player = opened(edits(at(7), skip('step-009')));
      expect(stepOf(player, 'step-009')).toMatchObject({ status: 'skipped', skip_reason: 'no tests were added' });
      walks(player, 2);
      expect([own(player, 9).dispatches, statuses(player)]).toEqual([0, ['completed']]);
    },
  ],
  [
    'S2-66 S2-82 S2-148',
    'reorder puts 005 before 004, with the final review last',
    () => {
      const player = opened(edits(at(3), reorder(...numbered(5, 4, 6, 7, 8, 9, 10))));
      expect(order(player)).toEqual(numbered(1, 2, 3, 5, 4, 6, 7, 8, 9, 10));
      expect(liveOf(player)).toEqual([`${one}/coding`]);
    },
  ],
  [
    'S2-68 S2-110 S2-149',
    'restart of step-005 keeps what it did as a file, takes it back, and runs it again',
    () => {
      const player = edits(at(5), restart('step-005'));
      expect(player.run.ops).toMatchObject([
        { kind: 'rollback', chain: one, keepAs: 'restarts/US-001-step-005-1.diff' },
      ]);
      expect([seen(player, 5), player.live]).toEqual(['pending', null]);
      expect(stepOf(player, 'step-005').restart_count).toBe(1);
      opened(player);
      expect(player.live).toBe(`${one}/coding`);
      edits(player, restart('step-005'));
      expect(player.run.ops).toMatchObject([{ keepAs: 'restarts/US-001-step-005-2.diff' }]);
    },
  ],
  [
    'S2-67 S2-150',
    "edit_description of step-007 becomes the text in that step's prompt",
    () => {
      const player = opened(edits(at(5), describe('step-007')));
      expect(stepOf(player, 'step-007').description).toBe('Test the API only');
      expect(ownEdits(player)[0]?.details).toMatchObject({ old_description: 'Run tests and identify failures' });
      expect(text(walks(player, 1), one)).toContain('Test the API only');
    },
  ],
  [
    'S2-151',
    'the history of the example has the claim, the edit with the ids of its steps, and the completion',
    () => {
      const player = opened(edits(at(7), add('step-007', 'coding', 'linting', 'initial_testing')));
      walks(player, 6);
      const told = storyOf(player).history.filter((entry) => /^story_(claimed|completed)|^workflow/.test(entry.action));
      expect(told).toMatchObject([
        { action: 'story_claimed', agent_id: 1, step_id: null },
        {
          action: 'workflow_edit',
          agent_id: 1,
          step_id: 'step-007',
          details: {
            operation: 'add_after',
            reason: 'two tests are red',
            new_steps: [
              { id: 'step-011', type: 'coding' },
              { id: 'step-012', type: 'linting' },
              { id: 'step-013', type: 'initial_testing' },
            ],
          },
        },
        { action: 'story_completed', agent_id: 1, step_id: null },
      ]);
    },
  ],
  [
    'S2-69',
    'a file holds an array of operations, or a single one',
    () => {
      const list = parseEdits(JSON.stringify([skip('step-009')]));
      expect([list.ok, parseEdits(JSON.stringify(skip('step-009')))]).toEqual([true, list]);
      const player = edits(at(2), skip('step-009'), describe('step-007'));
      expect(ownEdits(player).map((entry) => entry.details['operation'])).toEqual(['skip', 'edit_description']);
    },
  ],
  [
    'S2-70',
    'a wrong name is answered with the right one, and nothing of the file holds',
    () => {
      const wrong = [
        { op: 'skip', target_step_id: 'step-009', reason: 'x' },
        { operation: 'skip', step_id: 'step-009', reason: 'x' },
      ];
      for (const [op, said] of [
        [wrong[0], 'use "operation", not "op"'],
        [wrong[1], 'use "target_step_id", not "step_id"'],
        [{ operation: 'explode', reason: 'x' }, 'no operation "explode"'],
      ] as const) {
        const player = edits(at(2), describe('step-007'), op ?? {});
        expect(scratch(player)).toContain(said);
        expect(ownEdits(player)).toEqual([]);
      }
    },
  ],
  [
    'S2-71',
    'every operation needs a reason',
    () => {
      const all = [
        add('step-002', 'coding'),
        split('step-005', 'coding', 'coding'),
        skip('step-009'),
        reorder('step-003'),
        describe('step-007'),
        restart('step-002'),
      ];
      for (const op of all) {
        for (const reason of ['', '  ', undefined]) {
          expect(parseEdits(JSON.stringify([{ ...op, reason }]))).toMatchObject({
            ok: false,
            error: /"reason" must be a text/,
          });
        }
      }
    },
  ],
];

const guards: readonly Row[] = [
  [
    'S2-72',
    'lint and the final review can be neither skipped nor split, nor lint put before the code that it guards',
    () => {
      const pending = numbered(3, 4, 6, 5, 7, 8, 9, 10);
      for (const op of [
        skip('step-006'),
        skip('step-010'),
        split('step-006', 'coding', 'coding'),
        reorder(...pending),
      ]) {
        expect([op, ownEdits(edits(at(2), op))]).toEqual([op, []]);
      }
    },
  ],
  [
    'S2-73',
    'what is over or under way stays as it is, but for the running one that begins anew',
    () => {
      for (const op of [
        skip('step-001'),
        describe('step-001'),
        split('step-001', 'coding', 'coding'),
        describe('step-003'),
        restart('step-001'),
      ]) {
        expect([op, ownEdits(edits(at(3), op))]).toEqual([op, []]);
      }
      const skipped = opened(edits(at(2), skip('step-009')));
      expect(ownEdits(edits(skipped, describe('step-009')))).toHaveLength(1);
      expect(ownEdits(edits(at(3), restart('step-003')))).toHaveLength(1);
    },
  ],
  [
    'S2-74',
    'nothing comes after the final review',
    () => {
      expect(scratch(edits(at(2), add('step-010', 'coding')))).toContain('nothing may come after final_review');
      expect(order(edits(at(2), add('step-009', 'coding'))).at(-1)).toBe('step-010');
    },
  ],
  [
    'S2-78',
    'thirty steps are the most, the finished and the skipped counted; one more and none of the file holds',
    () => {
      const few = (count: number) => Array<string>(count).fill('review');
      const full = opened(edits(at(2), skip('step-009'), add('step-002', ...few(20))));
      expect(order(full)).toHaveLength(30);
      edits(full, describe('step-007'), add('step-003', 'review'));
      expect(scratch(full)).toContain('it would make 31 steps; at most 30 are allowed');
      expect(stepOf(full, 'step-007').description).toBe('Run tests and identify failures');
      expect([order(full).length, statuses(full)]).toEqual([30, ['in_progress']]);
    },
  ],
  [
    'S2-45',
    'where the run itself must add a step and there is no room, the story fails',
    () => {
      const player = opened(edits(at(2), add('step-002', ...Array<string>(20).fill('review'))));
      walks(player, 27);
      comesBack(player, pass).worked(conflict);
      opened(player);
      expect([order(player).length, statuses(player)]).toEqual([30, ['failed']]);
    },
  ],
  [
    'S2-80 S2-186',
    'operations are tried one after the other, each on what the one before left; one bad of three and none holds',
    () => {
      const good = edits(at(7), add('step-008', 'coding'), skip('step-009'), reorder(...numbered(11, 8, 10)));
      expect(order(good)).toEqual(numbered(1, 2, 3, 4, 5, 6, 7, 11, 8, 9, 10));
      const bad = edits(at(7), add('step-008', 'coding'), skip('step-001'), describe('step-009'));
      expect([order(bad), ownEdits(bad)]).toEqual([numbered(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), []]);
      expect(scratch(bad)).toContain('operation 2 (skip): step-001 is passed');
      expect(stepOf(bad, 'step-009').description).toBe('Remove redundant tests');
    },
  ],
  [
    'S2-81',
    'the next step gets the reason why a file was rejected',
    () => {
      const player = opened(edits(at(2), skip('step-006')));
      expect(own(player, 2)).toMatchObject({ state: 'passed' });
      expect(text(player, one)).toContain('The workflow edit was rejected: operation 1 (skip): linting is mandatory');
    },
  ],
  [
    'S2-83 S2-103',
    'what a step that failed or ran out of time proposes is not done',
    () => {
      for (const bad of [crash, failing, timeout]) {
        const player = at(2);
        comesBack(player, { ...bad, edits: parseEdits(JSON.stringify([skip('step-009'), add('step-002', 'coding')])) });
        expect([order(player).length, ownEdits(player), own(player, 9).state]).toEqual([10, [], 'waiting']);
      }
    },
  ],
  [
    'S2-84',
    'edits and the end of their step are one decision, the edits first, and heard again they change nothing',
    () => {
      const player = at(7);
      const attempt = player.run.live[0]?.attempt ?? '';
      edits(player, add('step-007', 'coding'));
      const kept = player.effects.flatMap((effect) => (effect.type === 'record' ? [effect.record.action] : []));
      expect(kept).toEqual(['workflow_edit', 'step_completed']);
      const before = player.world;
      const again = proposing(claimed(), add('step-007', 'coding'));
      player.do({ type: 'attempt_settled', chain: one, attempt, envelope: again });
      expect([player.ignored, player.world]).toEqual(['superseded', before]);
    },
  ],
  [
    'S2-86',
    'half a file is rejected, and its step counts',
    () => {
      const player = at(2);
      const half = JSON.stringify([skip('step-009')]).slice(0, -9);
      opened(comesBack(player, printed(player, noted('planned'), { edits: parseEdits(half) })));
      expect(seen(player, 2)).toBe('completed');
      expect(text(player, one)).toContain('the file is not valid JSON, perhaps only half of it was written');
    },
  ],
];

/** Number, what the step at which it stands proposes, and why it is rejected. */
const rejections: readonly (readonly [string, number, readonly object[], string | RegExp])[] = [
  ['S2-156', 2, [add('step-099', 'coding')], 'operation 1 (add_after): there is no step "step-099"'],
  ['S2-157', 2, [add('step-010', 'coding')], 'nothing may come after final_review'],
  ['S2-158', 2, [add('step-002')], '"new_steps" must be a list of 1 to'],
  [
    'S2-159',
    2,
    [add('step-002', 'dancing')],
    'there is no step type "dancing" to add; there are context_gathering, planning',
  ],
  ['S2-159', 2, [add('step-002', 'rebase_resolve')], 'there is no step type "rebase_resolve"'],
  ['S2-160', 2, [add('step-002', ...Array<string>(21).fill('review'))], 'it would make 31 steps'],
  ['S2-162', 2, [split('step-099', 'coding', 'coding')], 'operation 1 (split): there is no step "step-099"'],
  ['S2-163', 2, [split('step-001', 'coding', 'coding')], 'step-001 is passed and cannot be split'],
  ['S2-164', 2, [split('step-006', 'coding', 'linting')], 'linting is mandatory and may not be split'],
  ['S2-165', 2, [split('step-005', 'coding')], '"replacement_steps" must be a list of 2 to'],
  ['S2-165', 2, [split('step-005')], '"replacement_steps" must be a list of 2 to'],
  ['S2-166', 2, [split('step-005', ...Array<string>(22).fill('coding'))], 'it would make 31 steps'],
  ['S2-167', 2, [skip('step-099')], 'operation 1 (skip): there is no step "step-099"'],
  ['S2-168', 2, [skip('step-001')], 'step-001 is passed and cannot be skipped'],
  ['S2-168', 2, [skip('step-002')], 'step-002 is running and cannot be skipped'],
  ['S2-169', 2, [skip('step-006')], 'linting is mandatory and may not be skipped'],
  ['S2-170', 2, [skip('step-010')], 'final_review is mandatory and may not be skipped'],
  ['S2-171', 2, [skip('step-009', '')], '"reason" must be a text that is not empty'],
  [
    'S2-172',
    7,
    [reorder(...numbered(9, 10))],
    'new_order must name each step that is not begun once: step-008, step-009, step-010',
  ],
  ['S2-173', 7, [reorder(...numbered(8, 9, 7, 10))], 'new_order must name each step that is not begun once'],
  ['S2-174', 7, [reorder(...numbered(8, 8, 9, 10))], /names "step-008" twice/],
  ['S2-175', 7, [reorder(...numbered(8, 10, 9))], 'final_review must stay last'],
  ['S2-176', 3, [reorder(...numbered(4, 6, 5, 7, 8, 9, 10))], 'linting must come after coding'],
  ['S2-177', 2, [describe('step-099')], 'operation 1 (edit_description): there is no step "step-099"'],
  ['S2-178', 2, [describe('step-001')], 'step-001 is passed and cannot be described anew'],
  ['S2-179', 2, [describe('step-002')], 'step-002 is running and cannot be described anew; use restart'],
  ['S2-180', 2, [describe('step-007', '')], '"new_description" must be a text that is not empty'],
  ['S2-181', 3, [restart('step-005')], 'only the step that runs may restart, and that is step-003'],
  ['S2-182', 3, [restart('step-002')], 'only the step that runs may restart, and that is step-003'],
  [
    'S2-185',
    2,
    [split('step-005', 'coding', 'coding'), describe('step-005')],
    'operation 2 (edit_description): there is no step "step-005"',
  ],
  ['S2-185', 2, [skip('step-009'), describe('step-009')], 'operation 2 (edit_description): step-009 is skipped'],
  [
    'S2-186',
    2,
    [skip('step-009'), describe('step-001'), add('step-002', 'coding')],
    'operation 2 (edit_description): step-001 is passed',
  ],
];

const matrix: readonly Row[] = [
  ...rejections.map(
    ([items, number, given, why]): Row => [
      items,
      `${JSON.stringify(given).slice(0, 90)} is rejected, and the step counts`,
      () => {
        const player = at(number);
        const before = player.nodes(one).filter((node) => node.label !== label(number));
        edits(player, ...given);
        expect(own(player, number)).toMatchObject({ state: 'passed', last: { outcome: 'pass' } });
        expect(player.nodes(one).map((node) => [node.id, node.description])).toEqual(
          [...before.slice(0, number - 1), own(player, number), ...before.slice(number - 1)].map((node) => [
            node.id,
            node.description,
          ]),
        );
        expect(player.nodes(one).some((node) => node.state === 'skipped')).toBe(false);
        expect(ownEdits(player)).toEqual([]);
        expect(scratch(player)).toMatch(why);
      },
    ],
  ),
  [
    'S2-161',
    'a step that is put before completed ones runs next',
    () => {
      const player = opened(edits(at(7), add('step-003', 'coding')));
      expect(order(player)).toEqual(numbered(1, 2, 3, 11, 4, 5, 6, 7, 8, 9, 10));
      expect(liveOf(player)).toEqual([`${one}/coding`]);
      expect(liveOf(walks(player, 1))).toEqual([`${one}/review`]);
    },
  ],
  [
    'S2-184',
    'beside other operations a restart comes after them, wherever it stands',
    () => {
      const player = opened(edits(at(7), restart('step-007'), add('step-007', 'coding'), skip('step-009')));
      expect(ownEdits(player).map((entry) => entry.details['operation'])).toEqual(['add_after', 'skip', 'restart']);
      expect(order(player)).toEqual(numbered(1, 2, 3, 4, 5, 6, 7, 11, 8, 9, 10));
      expect(liveOf(player)).toEqual([`${one}/initial_testing`]);
    },
  ],
  [
    'S2-185',
    'what an operation added the next one may name',
    () => {
      const player = edits(
        at(4),
        add('step-004', 'coding'),
        describe('step-011', 'Only the parser'),
        add('step-011', 'review'),
      );
      expect(order(player)).toEqual(numbered(1, 2, 3, 4, 11, 12, 5, 6, 7, 8, 9, 10));
      expect(stepOf(player, 'step-011').description).toBe('Only the parser');
    },
  ],
];

const conflict = { ok: false, code: 'conflict', message: 'does not apply', files: ['src/price.txt'] } as const;

const protocol: readonly Row[] = [
  [
    'S2-94',
    'the next pending step is begun, run and told of, its edits are taken, and then it is completed',
    () => {
      const player = claimed();
      expect(storyOf(player).steps.find((step) => step.status !== 'completed')?.id).toBe('step-001');
      edits(walks(player, 1), add('step-002', 'review'));
      expect(actions(player)).toEqual([
        'story_claimed',
        'step_started',
        'step_completed',
        'step_started',
        'workflow_edit',
        'step_completed',
      ]);
      expect(stepOf(player, 'step-002')).toMatchObject({ notes: 'done', completed_at: expect.any(String) });
    },
  ],
  [
    'S2-95',
    'a prompt holds the instructions, the story, the step as it is described now, all notes and both scratches',
    () => {
      const player = at(4);
      const told = { scratch: { run: 'for all stories', item: 'for this story' } };
      comesBack(
        player,
        printed(player, noted('tests planned'), {
          ...told,
          edits: parseEdits(JSON.stringify([describe('step-005', 'Only the parser')])),
        }),
      );
      const found = text(opened(player), one);
      const parts = [
        'You receive',
        `About ${one}`,
        `${one} works`,
        'Only the parser',
        'notes of context_gathering',
        'notes of architecture',
        'tests planned',
        'for all stories',
        'for this story',
      ];
      for (const part of parts) expect(found).toContain(part);
    },
  ],
  [
    'S2-96',
    'notes are those of all steps that are done, in the order in which they were done',
    () => {
      const player = opened(edits(at(8), add('step-002', 'coding')));
      opened(comesBack(player, printed(player, noted('put in early, done late'))));
      const found = text(player, one);
      expect(found.indexOf('put in early')).toBeGreaterThan(found.indexOf('notes of initial_testing'));
    },
  ],
  [
    'S2-97',
    'a step that may edit gets where, how, and the remaining steps with their rules; another step gets nothing',
    () => {
      const found = text(opened(edits(at(2), skip('step-009'))), one);
      expect(found).toContain('write a JSON array of operations to /tree/workflow_edits/US-001.json');
      for (const operation of ['add_after', 'split', 'skip', 'reorder', 'edit_description', 'restart']) {
        expect(found).toContain(`- ${operation}: `);
      }
      expect(found).toMatch(
        /not begun yet:\n- step-004 test_architecture\n- step-005 coding\n- step-006 linting, mandatory\n/,
      );
      expect(found).toContain('- step-010 final_review, mandatory, always last');
      expect(found).not.toContain('- step-009 prune_tests');
      for (const number of [1, 6, 9]) expect(text(at(number), one)).not.toMatch(/add_after|workflow_edits/);
    },
  ],
  [
    'S2-98',
    'a step without a summary counts, has no notes, and is warned about',
    () => {
      const player = claimed();
      comesBack(player, printed(player, 'STATUS: done'));
      expect(stepOf(player, 'step-001')).toMatchObject({ status: 'completed', notes: null });
      expect(own(player, 1).last?.warnings).toEqual([expect.stringContaining('no SUMMARY')]);
      expect(own(walks(player, 1), 2).last?.warnings).toEqual([]);
    },
  ],
  ...(
    [
      ['I looked.\n\nSUMMARY\nFound it.', 'Found it.'],
      ['I looked.\n\n## Summary\nFound it.', 'Found it.'],
      ['SUMMARY: Found it.', 'Found it.'],
      ['SUMMARY\nA first guess.\n\n## Summary\nFound it.\nAll of it.', 'Found it.\nAll of it.'],
    ] as const
  ).map(
    ([output, summary]): Row => [
      'S2-99',
      `the summary of ${JSON.stringify(output)} is understood, with a status and without one`,
      () => {
        for (const whole of [output, `STATUS: done\n${output}`]) {
          const player = claimed();
          opened(comesBack(player, printed(player, whole)));
          expect(stepOf(player, 'step-001').notes).toBe(summary);
        }
      },
    ],
  ),
  [
    'S2-101',
    'the path of the log stands on the step',
    () => {
      const player = claimed();
      comesBack(player, printed(player, noted('x'), { logPath: '/shop/.ai/runs/r12/logs/US-001/step-001.jsonl' }));
      expect(stepOf(player, 'step-001').log_file).toBe('/shop/.ai/runs/r12/logs/US-001/step-001.jsonl');
    },
  ],
];

const failureRows: readonly Row[] = [
  ...([crash, failing, timeout] as const).map(
    (bad): Row => [
      'S2-104 S2-105 S2-106',
      `what a step did that came back as ${bad.killed ?? bad.exit} is kept as a file and taken back, in its own worktree alone`,
      () => {
        const player = claimed([item(one), item(two)]);
        comesBack(walks(player, 4), bad);
        const attempt = own(player, 5).last?.id;
        expect(player.run.ops).toMatchObject([
          { kind: 'rollback', chain: one, attempt, keepAs: 'failures/US-001-step-005.diff' },
          { kind: 'drop', chain: one },
        ]);
        expect(liveOf(player)).toEqual([`${two}/context_gathering`]);
      },
    ],
  ),
  [
    'S2-111',
    'while one story is taken back the others work on',
    () => {
      const player = claimed([item(one), item(two)]);
      comesBack(player, crash);
      expect(ops(player)).toEqual([`rollback ${one}`, `drop ${one}`]);
      comesBack(player, printed(player, noted('looked')), two);
      expect(liveOf(player)).toEqual([`${two}/planning`]);
    },
  ],
];

const parallel: readonly Row[] = [
  [
    'S2-112',
    'the engine hands out stories and places: what an agent prints about another story moves nothing',
    () => {
      const player = claimed([item(one, ['US-004']), item(two), item('US-003'), item('US-004'), item('US-005')]);
      const places = () => player.state.items.map(({ key, slot }) => [key, slot]);
      const given = [
        [one, null],
        [two, 1],
        ['US-003', 2],
        ['US-004', 3],
        ['US-005', null],
      ];
      expect(places()).toEqual(given);
      comesBack(player, printed(player, `${noted('done')}\nCURRENT_STORY_ID: US-005\nNEXT_STORY: US-009 mine`), two);
      expect(liveOf(player)).toEqual(['US-003/context_gathering', 'US-004/context_gathering', `${two}/planning`]);
      expect(places()).toEqual(given);
      expect(text(player, two)).toContain(`About ${two}`);
    },
  ],
  [
    'S2-113',
    'a story may begin when it is unclaimed and all that it depends on is completed',
    () => {
      const player = claimed([item(one), item(two), item('US-003', [one, two])]);
      walks(player, 10);
      expect(statuses(player)).toEqual(['completed', 'in_progress', 'unclaimed']);
      walks(player, 9, two);
      comesBack(player, pass, two);
      expect(statuses(player)).toEqual(['completed', 'in_progress', 'unclaimed']);
      opened(player);
      expect(statuses(player)).toEqual(['completed', 'completed', 'in_progress']);
    },
  ],
  [
    'S2-122 S2-188',
    'whatever comes back first is gone on with, step by step, until all are completed, failed or blocked',
    () => {
      const player = chained();
      walks(player, 3, 'US-004');
      expect(liveOf(player).sort()).toEqual([`${one}/context_gathering`, 'US-004/test_architecture']);
      opened(comesBack(player, crash));
      walks(player, 7, 'US-004');
      expect(statuses(player)).toEqual(['failed', 'blocked', 'blocked', 'completed']);
      expect([player.run.status, player.run.pauseReason, player.live]).toEqual(['paused', 'failure', null]);
    },
  ],
  [
    'S2-125',
    'at the end the counts are reported',
    () => {
      const player = opened(comesBack(chained(), crash));
      walks(player, 10, 'US-004');
      expect(player.open[0]?.text.split('\n')).toEqual([
        `Nothing is left to do: 1 done, 1 failed (${one}), 2 blocked (${two}, US-003).`,
        `${one} failed at context_gathering (1 crash): The agent exited with code 1.`,
        `${two} waits for ${one}`,
        `US-003 waits for ${two}`,
      ]);
    },
  ],
];

const merging: readonly Row[] = [
  [
    'S2-126 S2-127',
    'a completed story is merged as one commit, and its place is free',
    () => {
      const player = comesBack(at(10), pass);
      expect(player.run.ops).toMatchObject([
        { kind: 'merge', chain: one, message: `feat(ralph): ${one} - Title of ${one}\n\nAbout ${one}` },
      ]);
      player.worked({ ...clean, commit: 'cafe' });
      expect(player.state.items[0]?.slot).toBeNull();
      expect(storyOf(player).history.at(-2)).toMatchObject({ action: 'story_merged', details: { commit: 'cafe' } });
    },
  ],
  [
    'S2-128 S2-131',
    'in conflict, rebase_resolve comes before the final review, both run, and it is merged again',
    () => {
      const player = comesBack(at(10), pass).worked(conflict);
      expect(order(player)).toEqual(numbered(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10));
      expect(liveOf(player)).toEqual([`${one}/rebase_resolve`]);
      expect(text(player, one)).toContain('src/price.txt');
      expect(nodeOf(ralph, 'rebase_resolve')).toMatchObject({
        timeoutMs: minutes(15),
        editable: false,
        insertBy: 'system',
      });
      expect(raw('rebase_resolve')).toMatch(/You receive [\s\S]*SUMMARY/);
      expect(liveOf(walks(player, 1))).toEqual([`${one}/final_review`]);
      comesBack(player, pass);
      expect(ops(player)).toEqual([`merge ${one}`]);
      opened(player);
      expect(statuses(player)).toEqual(['completed']);
      expect(actions(player).filter((action) => action === 'story_claimed')).toHaveLength(1);
    },
  ],
  [
    'S2-132',
    'a merge that cannot be done leaves the story uncompleted and its worktree as it is, and a person is asked',
    () => {
      const player = comesBack(at(10), pass).worked({
        ok: false,
        code: 'blocked',
        message: 'the base is gone',
        files: [],
      });
      expect([statuses(player), player.run.ops, player.state.items[0]?.slot]).toEqual([['in_progress'], [], 1]);
      expect(player.open[0]).toMatchObject({ text: 'the base is gone', subject: { type: 'workspace' } });
      expect(ops(player.answer('retry'))).toEqual([`merge ${one}`]);
    },
  ],
];

const recovery: readonly Row[] = [
  [
    'S2-133 S2-134 S2-135 S2-136',
    'a step that Bosun’s own death interrupted is an abandoned try: taken back, kept as a file, and run once more',
    () => {
      const player = comesBack(at(5), interrupted);
      expect(own(player, 5)).toMatchObject({
        state: 'ready',
        abandons: 1,
        last: { outcome: 'crashed', reason: 'interrupted' },
      });
      expect(player.run.ops).toMatchObject([{ kind: 'rollback', chain: one, keepAs: 'failures/US-001-step-005.diff' }]);
      opened(player);
      expect([liveOf(player), statuses(player)]).toEqual([[`${one}/coding`], ['in_progress']]);
      opened(comesBack(player, interrupted));
      expect(statuses(player)).toEqual(['failed']);
      expect(stepOf(player, 'step-005')).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('interrupted'),
      });
    },
  ],
  [
    'S2-137',
    'a story that was interrupted at its last step does not count as completed: the step runs again, then the story fails',
    () => {
      const player = opened(comesBack(at(10), interrupted));
      expect([liveOf(player), statuses(player)]).toEqual([[`${one}/final_review`], ['in_progress']]);
      opened(comesBack(player, interrupted));
      expect([statuses(player), player.run.ops]).toEqual([['failed'], []]);
    },
  ],
];

const modes: readonly Row[] = [
  [
    'S2-138',
    'a file of stories makes a run whose state says where they came from',
    () => {
      const player = claimed(readPrd([aStory(one), aStory(two, { depends_on: [one] })]));
      expect(statuses(player)).toEqual(['in_progress', 'unclaimed']);
      expect(storyOf(player, two).depends_on).toEqual([one]);
    },
  ],
  [
    'S2-139',
    'a run may be of one story alone, which has a place and a worktree like any other',
    () => {
      const player = opened(Player.start(ralph, { task: 'US-007 order history' }));
      expect([player.stories(), liveOf(player)]).toEqual(['US-007:running', ['US-007/context_gathering']]);
      expect(player.state.items[0]?.slot).toBe(1);
    },
  ],
  [
    'S2-140',
    'a request in free words is a story of its own, with the same steps, edits and history',
    () => {
      const player = opened(Player.start(ralph, { task: 'Mend the rounding in the invoice' }));
      expect(player.stories()).toBe('TASK-12:running');
      expect(text(player, 'TASK-12')).toContain('Mend the rounding in the invoice');
      walks(player, 1, 'TASK-12');
      comesBack(player, proposing(player, skip('step-006')), 'TASK-12');
      expect(scratch(player, 'TASK-12')).toContain('linting is mandatory');
      expect(actions(player, 'TASK-12')).toContain('step_completed');
    },
  ],
];

const edited = 'test/agents/attempts/edits.test.ts';
const attempts = 'test/agents/attempts/attempt.test.ts';
const lock = 'test/config/lock.test.ts';
const rolling = 'test/workspace/rollback.test.ts';
const trees = 'test/workspace/worktree.test.ts';
const merges = 'test/workspace/merge.test.ts';
const exported = 'test/dispatch/exports/export-run.test.ts';
const parallelRuns = 'test/e2e/scenarios-parallel.test.ts';
const editRuns = 'test/e2e/scenarios-edits.test.ts';

const elsewhere: readonly Elsewhere[] = [
  { item: 'S2-117', file: edited, title: 'of a story in a worktree are read from the shared folder' },
  {
    item: 'S2-133 S2-135 S2-136',
    file: parallelRuns,
    title: 'a step interrupted by shutdown is rolled back with its edits and runs again',
  },
  {
    item: 'S2-91 S2-93',
    file: 'test/e2e/bad-home.test.ts',
    title: 'in use refuses a second Bosun with the pid of the first, and is free once that one was killed',
  },
  {
    item: 'S2-117',
    file: 'test/dispatch/attempt-job.test.ts',
    title: 'carries everything that a worker needs, with the token of its attempt',
  },
  {
    item: 'S2-121',
    file: attempts,
    title: 'gets its attempt’s variables and the allowed environment, but no secret of the service',
  },
  {
    item: 'S2-135',
    file: 'test/crash/orphans.test.ts',
    title: 'a retry after an interruption is measured from the checkpoint of the interrupted try',
  },
  {
    item: 'S2-49 S2-123',
    file: parallelRuns,
    title: 'a failed story blocks its dependents while others continue, and a retry unblocks them',
  },
  { item: 'S2-10 S2-11', file: parallelRuns, title: '%s among the dependencies refuses the start and is named' },
  { item: 'S2-59', file: exported, title: 'leave no temporary file behind when a write fails' },
  { item: 'S2-62', file: edited, title: 'for another story are left alone and ignored' },
  { item: 'S2-83', file: edited, title: 'of an attempt %s are kept without being applied' },
  { item: 'S2-84', file: edited, title: 'left by an earlier attempt are moved away before the attempt' },
  { item: 'S2-85', file: edited, title: 'are read once, and the file is moved to the shared folder' },
  { item: 'S2-86', file: edited, title: '%s are all rejected, without failing the attempt' },
  {
    item: 'S2-87',
    file: editRuns,
    title: 'the final review inserts a fix, and the story is done only after a second review',
  },
  {
    item: 'S2-88 S2-110',
    file: editRuns,
    title: 'a step that restarts itself finds its files rolled back and gets the new description',
  },
  {
    item: 'S2-89',
    file: exported,
    title: 'are not rewritten if unchanged, and repaired if someone edited them',
  },
  { item: 'S2-90', file: 'test/dispatch/dispatcher.test.ts', title: 'runs effects only after the commit' },
  {
    item: 'S2-90',
    file: 'test/dispatch/dispatcher.test.ts',
    title: 'leaves memory equal to disk, so that the next plan is decided on the right state',
  },
  { item: 'S2-91', file: lock, title: 'is waited for no longer than the timeout' },
  { item: 'S2-92', file: lock, title: 'is taken over from a killed process' },
  { item: 'S2-93', file: lock, title: 'passes through ten waiting processes, one at a time' },
  {
    item: 'S2-94',
    file: 'test/dispatch/checkout-work.test.ts',
    title: 'notes a checkpoint before it runs, and measures the changes after it',
  },
  {
    item: 'S2-94',
    file: exported,
    title: 'include history and the commit at which each step began, read from the database',
  },
  { item: 'S2-100', file: attempts, title: 'is killed even if it prints nothing' },
  {
    item: 'S2-100',
    file: attempts,
    title: 'is killed with children in other sessions, even if they hold the pipes',
  },
  {
    item: 'S2-101',
    file: 'test/dispatch/attempt-job.test.ts',
    title: 'has a log file and an id of its own on a retry',
  },
  {
    item: 'S2-101',
    file: attempts,
    title: 'has every line with time and stream, and is appended to',
  },
  {
    item: 'S2-104 S2-105',
    file: rolling,
    title: 'a rollback reverts changes of every kind, and the saved diff restores them',
  },
  {
    item: 'S2-104',
    file: 'test/workspace/checkpoint.test.ts',
    title: 'a diff includes committed, staged, unstaged and untracked changes',
  },
  {
    item: 'S2-111',
    file: rolling,
    title: 'a rollback in a subfolder or a worktree affects that checkout only',
  },
  {
    item: 'S2-116',
    file: trees,
    title: 'opens a worktree on a new branch from the checked-out commit, idempotently',
  },
  { item: 'S2-116', file: trees, title: 'opens a worktree from a given base' },
  {
    item: 'S2-51 S2-116 S2-117 S2-121',
    file: parallelRuns,
    title: 'stories run in parallel, each in its own worktree, and each is merged as one commit',
  },
  {
    item: 'S2-118',
    file: 'test/agents/attempts/scratch.test.ts',
    title: 'exclude those of other attempts that end meanwhile',
  },
  {
    item: 'S2-119',
    file: 'test/agents/attempts/scratch.test.ts',
    title: 'are read from its own files, for all stories and for this one',
  },
  {
    item: 'S2-189',
    file: 'test/agents/attempts/scratch.test.ts',
    title: 'include its changes when it %s in the shared file',
  },
  { item: 'S2-119', file: exported, title: 'are archived when their story is done, and not created again' },
  {
    item: 'S2-120',
    file: parallelRuns,
    title: 'each step gets the notes of the steps before it and the notes that other stories share',
  },
  {
    item: 'S2-125',
    file: parallelRuns,
    title: 'a skipped story is reported as given up, and the run completes with the rest',
  },
  {
    item: 'S2-126 S2-127',
    file: merges,
    title: 'merges committed and uncommitted work as one commit, and removes the worktree',
  },
  {
    item: 'S2-128',
    file: parallelRuns,
    title: 'of two stories that change the same line, the second is rebased by its own step and reviewed again',
  },
  {
    item: 'S2-129',
    file: 'test/workspace/merge-conflict.test.ts',
    title: 'a conflict stays in the worktree, the base stays clean, and the resolution is merged as one commit',
  },
  { item: 'S2-130', file: merges, title: 'merges independent stories one after another onto a moving base' },
  { item: 'S2-132', file: merges, title: 'leaves a worktree in an unexpected state alone' },
  {
    item: 'S2-133 S2-134',
    file: 'test/dispatch/recovery.test.ts',
    title: 'is settled as crashed once, after its leftover processes were killed, and retried',
  },
  { item: 'S2-138', file: 'test/cli/say.test.ts', title: 'imports a file relative to the caller’s folder' },
  {
    item: 'S2-140',
    file: 'test/e2e/scenarios-one-shot.test.ts',
    title: 'step edits apply in a one-shot request and leave nothing behind',
  },
  {
    item: 'S2-140',
    file: 'test/e2e/scenarios-one-shot.test.ts',
    title: 'a one-shot request from chat runs the full chain and leaves nothing but its commit',
  },
  {
    item: 'S2-142',
    file: 'test/base/logging/lines.test.ts',
    title: 'each log line about an attempt names its run, item, node and attempt',
  },
  { item: 'S2-142', file: 'test/cli/reading.test.ts', title: 'has a history, one event per line' },
  {
    item: 'S2-187',
    file: 'test/dispatch/exports/prd-file.test.ts',
    title: 'a story passes once it is delivered, not when its last step passes',
  },
];

const leftOut = {
  'S2-141': 'extra: the flags and folders of another tool; runs, their limits and their exports are Bosun’s own',
  'S2-143': 'extra: an order to build in, of which the last level is what is shipped',
  'S2-152': 'extra: what stacks cost beside each other depends on the project; how many run is a setting (S2-114)',
  'S2-153': 'extra: Bosun hands no Docker socket to anybody; an executor has what its own machine gives it',
  'S2-154': 'extra: a start for each step is the price of small steps, and there is nothing to be tested',
  'S2-155': 'extra: a risk to state; citations are asked for (S2-20) and lint is checked (S2-25)',
};

const sections = {
  'concepts and stories': principles,
  'the catalogue of steps': catalogueRows,
  'the default workflow': workflowRows,
  'the states of a step': stepStates,
  'the states of a story': storyStates,
  'the state file': stateFile,
  'who edits, and how': applied,
  'guard rails': guards,
  'what is rejected': matrix,
  'running a step': protocol,
  'when a step fails': failureRows,
  'stories side by side': parallel,
  merging: merging,
  'after a crash': recovery,
  'ways to start': modes,
};

prove(sections);
proveWhole(sections, elsewhere, leftOut, 'S2');
