// Workflows, envelopes and a player of events, as the dispatcher plays them: raised events right after their cause.
import {
  type AgentAnswer,
  type Ask,
  apply,
  definitions,
  type Effect,
  type Envelope,
  type Event,
  emptyEnvelope,
  emptyOutput,
  emptyWorld,
  type Fragment,
  type Gate,
  type Interaction,
  type JobDef,
  type NewItem,
  type Node,
  type NodeDef,
  type NodeFields,
  type NodeKind,
  type Notice,
  type Reply,
  type Report,
  type Run,
  type RunCreated,
  type Spending,
  type State,
  type Workflow,
  type World,
} from '../../src/engine/index.js';
import { defaultLimits, defaultPolicy } from '../../src/engine/workflow/read/defaults.js';

/** A node as files and snapshots hold it: every field is there, whatever its kind. */
export interface NodeRecord extends Omit<NodeFields, 'body' | 'stepTypes'> {
  readonly gate: Gate | null;
  readonly body: readonly WholeNode[];
  readonly stepTypes: readonly WholeNode[];
}
export type WholeNode = NodeDef & NodeRecord;

export interface WholeWorkflow extends Omit<Workflow, 'chain' | 'fragments'> {
  readonly chain: readonly WholeNode[];
  readonly fragments: Readonly<Record<string, Omit<Fragment, 'defs'> & { readonly defs: readonly WholeNode[] }>>;
}

/** Shows the fields of every kind, which every node has at run time. */
export function whole(node: NodeDef): WholeNode;
export function whole(workflow: Workflow): WholeWorkflow;
export function whole(node: NodeDef | Workflow): WholeNode | WholeWorkflow {
  return node as WholeNode | WholeWorkflow;
}

export function nodesOf(workflow: Workflow | WholeWorkflow): readonly WholeNode[] {
  return definitions(workflow).map((node) => whole(node));
}

export type NodePatch = Partial<Omit<NodeFields, 'body' | 'stepTypes'> & { kind: NodeKind; gate: Gate | null }> & {
  readonly body?: readonly NodeDef[];
  readonly stepTypes?: readonly NodeDef[];
};

export function def(id: string, patch?: Omit<NodePatch, 'kind'>): JobDef & NodeRecord;
export function def(id: string, patch: NodePatch): WholeNode;
export function def(id: string, patch: NodePatch = {}): WholeNode {
  const node: NodeFields & { kind: NodeKind; gate: Gate | null } = {
    id,
    kind: 'task',
    title: id,
    role: null,
    prompt: null,
    reads: [],
    writes: [],
    expects: { status: null, keys: [], items: 'any', red: false },
    outputs: null,
    check: null,
    tests: null,
    timeoutMs: 30 * 60_000,
    maxAttempts: 3,
    abandons: 2,
    maxLoops: 3,
    rollback: false,
    mandatory: false,
    onPass: { type: 'next' },
    onFail: { default: retry },
    onStatus: {},
    decisionKey: null,
    onDecision: {},
    onExhausted: 'ask',
    onTimeout: 'abandon',
    call: null,
    args: null,
    freshSession: true,
    editable: false,
    insertBy: 'anyone',
    pinLast: false,
    afterAny: [],
    barrier: false,
    needs: null,
    when: null,
    gate: null,
    onAnswer: null,
    team: null,
    maxRestarts: 3,
    body: [],
    maxRejections: 2,
    over: 'items',
    parallel: 1,
    isolate: 'shared',
    stepTypes: [],
    onItemDone: null,
    ...patch,
  };
  return node as WholeNode;
}

export const retry = { type: 'retry', budget: 'attempts' } as const;

export function goto(target: string, patch: Partial<Extract<NodeDef['onPass'], { type: 'goto' }>> = {}) {
  return { type: 'goto', target, budget: 'loops', carry: {}, clear: [], ...patch } as const;
}

export function loop(id: string, body: readonly NodeDef[], patch: NodePatch = {}): WholeNode {
  return def(id, { kind: 'loop', body, timeoutMs: 0, ...patch });
}

export function workflow(chain: readonly NodeDef[], patch: Partial<Workflow> = {}): Workflow {
  return {
    name: 'test',
    title: 'Test',
    version: '1',
    inputs: {},
    context: {},
    roles: {},
    policy: defaultPolicy,
    limits: { ...defaultLimits, insertions: defaultLimits.dispatches },
    fragments: {},
    survey: null,
    positions: [],
    exports: ['state'],
    chain,
    ...patch,
  };
}

export function policy(patch: Partial<Workflow['policy']>): Pick<Workflow, 'policy'> {
  return { policy: { ...workflow([]).policy, ...patch } };
}

export function item(key: string, dependsOn: readonly string[] = []): NewItem {
  return { key, title: `Title of ${key}`, description: `About ${key}`, criteria: [`${key} works`], dependsOn };
}

export function report(status: string | null, reason: string | null = null, summary: string | null = null): Report {
  return { status, reason, summary };
}

export function envelope(patch: Partial<Envelope> = {}): Envelope {
  return { ...emptyEnvelope, exit: 0, ...patch };
}

/** What an agent prints. */
export function said(keys: Readonly<Record<string, string>>, patch: Partial<Envelope> = {}): Envelope {
  return envelope({ output: { ...emptyOutput, isEmpty: false, keys, tail: 'said' }, ...patch });
}

export const pass = said({ STATUS: 'pass' });
export const failing = said({ STATUS: 'failing' });
export const crash = envelope({ exit: 1 });
export const timeout = envelope({ exit: null, killed: 'timeout' });
export const killed = envelope({ exit: null, killed: 'cancel' });
export const interrupted = envelope({ exit: null, killed: 'interrupted' });
export const permissionAsk: Ask = {
  kind: 'permission',
  text: 'Bash: npm publish',
  options: [],
  permission: { tool: 'Bash', what: 'npm publish', mark: 'abc123' },
};
export const questionAsk: Ask = {
  kind: 'question',
  text: 'Which colour?',
  options: ['red', 'blue'],
  permission: null,
};
export const question = envelope({ result: report('needs_human', null, 'Which colour?') });

export function handoff(
  patch: Partial<NonNullable<NonNullable<Envelope['handoff']>['front']>>,
  body = '',
): NonNullable<Envelope['handoff']> {
  const front = { ...report(null), filesChanged: [], tests: null, reviewDigest: null, questions: [] };
  return { front: { ...front, ...patch }, body };
}

export function check(
  name: 'tests' | 'check',
  ok: boolean,
  failed: readonly string[] = [],
): Envelope['checks'][number] {
  const tests = name === 'tests' ? { pass: 2, fail: failed.length, skip: 0, failing: failed } : null;
  return {
    name,
    command: `run ${name}`,
    ok,
    exit: ok ? 0 : 1,
    timedOut: false,
    tests,
    tail: ok ? '' : `${name} broke`,
  };
}

export const clean = { ok: true, note: null, diffStat: null, commit: null, stash: null } as const;

type Given<T> = T extends Event
  ? Omit<T, 'run' | 'chain' | 'at' | 'by'> & { chain?: string; at?: number; by?: string }
  : never;

export interface Options {
  readonly items?: readonly NewItem[];
  readonly level?: Run['level'];
  readonly afterStory?: Run['afterStory'];
  readonly task?: string;
  readonly context?: Run['context'];
  readonly budgetUsd?: number | null;
  readonly propose?: boolean;
  /** Its first event is one that an earlier version wrote. */
  readonly isOld?: boolean;
  /** Of an earlier version; otherwise the newest. */
  readonly rules?: 2 | 5;
  readonly purse?: Spending;
  readonly deliver?: Run['deliver'];
  readonly resume?: RunCreated['resume'];
  readonly takeover?: RunCreated['takeover'];
  /** How many stories at once, and the one to begin with. */
  readonly parallel?: number;
  readonly firstStory?: string;
}

/** One run and everything that happened to it. */
export class Player {
  readonly workflow: Workflow;
  world: World = emptyWorld;
  readonly events: Event[] = [];
  /** Of the last event and of what it raised. */
  effects: Effect[] = [];
  ignored: string | null = null;
  now = 1_000;

  constructor(workflow: Workflow) {
    this.workflow = workflow;
  }

  static create(workflow: Workflow, options: Options = {}): Player {
    const player = new Player(workflow);
    const { items = [], task = 'Make it', budgetUsd = null } = options;
    // As the product does for a project whose config.yaml sets neither.
    const { level = workflow.policy.level ?? 'auto', afterStory = workflow.policy.afterStory ?? 'propose' } = options;
    const created: Given<RunCreated> = {
      type: 'run_created',
      number: 12,
      home: 'h1',
      project: 'shop',
      workflow: workflow.name,
      snapshot: 's1',
      task,
      items,
      context: options.context ?? {},
      level,
      afterStory,
      budgetUsd,
      propose: options.propose ?? false,
      ...(items.length > 0 && options.isOld !== true ? { keepsItems: true } : {}),
      ...(options.isOld !== true && { rules: options.rules ?? 4 }),
      ...(options.purse ? { purse: options.purse } : {}),
      ...(options.deliver ? { deliver: options.deliver } : {}),
      ...(options.resume ? { resume: options.resume } : {}),
      ...(options.takeover ? { takeover: options.takeover } : {}),
      ...(options.parallel ? { parallel: options.parallel } : {}),
      ...(options.firstStory ? { firstStory: options.firstStory } : {}),
    };
    player.do(created);
    return player;
  }

  /** Begun, with the checkout prepared. */
  static start(workflow: Workflow, options: Options = {}): Player {
    return Player.create(workflow, options).do({ type: 'start', behind: null }).worked();
  }

  do(given: Given<Event>): this {
    this.now += 1_000;
    const first = { run: 'r12', chain: '', at: this.now, by: 'ada', ...given } as Event;
    this.effects = [];
    const queue = [first];
    // What one event raises is bounded by what the run holds; a hundred is far beyond it.
    for (let turn = 0; queue.length > 0; turn++) {
      if (turn > 100) throw new Error('raises without end');
      const event = queue.shift() as Event;
      const { world, decision } = apply(this.world, event, this.workflow);
      if (event === first) this.ignored = decision.ignored;
      this.world = world;
      this.events.push(event);
      this.effects.push(...decision.effects);
      queue.unshift(...decision.effects.flatMap((effect) => (effect.type === 'raise' ? [effect.event] : [])));
    }
    return this;
  }

  /** The checkout's work is done. */
  worked(result: Extract<Event, { type: 'workspace_done' }>['result'] = clean): this {
    const [op] = this.run.ops;
    if (!op) throw new Error('nothing is being worked on');
    return this.do({ type: 'workspace_done', chain: 'chain' in op ? op.chain : '', op: op.id, result });
  }

  /** What is live begins, where it has not, and comes back. */
  settle(envelope: Envelope = pass): this {
    const [live] = this.run.live;
    if (!live) throw new Error('nothing is live');
    if (live.startedAt === null) {
      this.do({ type: 'attempt_started', chain: live.chain, attempt: live.attempt, worker: 'w1' });
    }
    return this.do({ type: 'attempt_settled', chain: live.chain, attempt: live.attempt, envelope });
  }

  /** Each in turn; where work on the checkout comes between, it succeeds. */
  walk(...envelopes: readonly Envelope[]): this {
    for (const one of envelopes) {
      this.settle(one);
      if (this.run.ops.length > 0) this.worked();
    }
    return this;
  }

  /** What is live begins, where it has not, and its agent asks. */
  agentAsks(ask: Ask = questionAsk, key = 'k1'): this {
    const [live] = this.run.live;
    if (!live) throw new Error('nothing is live');
    if (live.startedAt === null) {
      this.do({ type: 'attempt_started', chain: live.chain, attempt: live.attempt, worker: 'w1' });
    }
    const waitsUntil = this.now + 600_000;
    return this.do({ type: 'agent_asked', chain: live.chain, attempt: live.attempt, key, ask, waitsUntil });
  }

  get told(): readonly AgentAnswer[] {
    return this.effects.flatMap((effect) => (effect.type === 'tell_agent' ? [effect.answer] : []));
  }

  answer(option: string, text: string | null = null, type?: Interaction['subject']['type']): this {
    const open = type ? this.open.find((one) => one.subject.type === type) : this.open[0];
    if (!open) throw new Error('nothing is open');
    return this.do({ type: 'answered', chain: open.chain, interaction: open.id, option, text, behind: null });
  }

  go(): this {
    return this.do({ type: 'continue', node: null, instruction: null, behind: null });
  }

  get state(): State {
    if (!this.world.state) throw new Error('no run');
    return this.world.state;
  }

  get run(): Run {
    return this.state.run;
  }

  get open(): readonly Interaction[] {
    return this.state.interactions.filter((one) => one.state === 'open');
  }

  /** The subject types of what is open. */
  get asks(): readonly string[] {
    return this.open.map((one) => one.subject.type);
  }

  get live(): string | null {
    const [live] = this.run.live;
    return live ? `${live.chain}/${live.step}` : null;
  }

  get replies(): readonly Reply[] {
    return this.effects.flatMap((effect) => (effect.type === 'reply' ? [effect.reply] : []));
  }

  get refusal(): string | null {
    const found = this.replies.find((one) => one.type === 'refused');
    return found?.type === 'refused' ? found.why : null;
  }

  get notices(): readonly Notice[] {
    return this.effects.flatMap((effect) => (effect.type === 'notice' ? [effect.notice] : []));
  }

  nodes(chain = ''): readonly Node[] {
    return this.world.chains.get(chain)?.nodes ?? [];
  }

  node(template: string, chain = ''): Node {
    const found = this.nodes(chain).find((one) => one.template === template);
    if (!found) throw new Error(`no node ${template} in "${chain}"`);
    return found;
  }

  /** `bdd:passed impl:queued`, to compare a chain at a glance. */
  line(chain = ''): string {
    return this.nodes(chain)
      .map((one) => `${one.template}:${one.state}`)
      .join(' ');
  }

  stories(): string {
    return this.state.items.map((one) => `${one.key}:${one.status}`).join(' ');
  }

  /** The state as the dispatcher loads it to look at one chain. */
  stateOf(chain: string): State {
    const found = this.world.chains.get(chain);
    if (!found) throw new Error(`no chain ${chain}`);
    return { ...this.state, chain: found };
  }
}
