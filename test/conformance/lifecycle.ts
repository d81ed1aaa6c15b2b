// A run of the shipped lifecycle over a project that a test describes: where it stands, and the result files that its
// gates find. What a person has to say is said by the test.
import { session } from '../../src/dispatch/exports/session.js';
import {
  type Artifact,
  type Envelope,
  type EvidenceFile,
  type Node,
  parseEvidence,
  readProjectState,
  type Survey,
  type Workflow,
  type WorkspaceOp,
  type WorkspaceResult,
} from '../../src/engine/index.js';
import type { AttemptRow, StoredRecord } from '../../src/store/index.js';
import { readEvidence, readSurvey } from '../../src/workspace/index.js';
import { clean, Player, said } from '../engine/builders.js';
import { loadShipped, spineOf } from './given.js';

export const lifecycle = loadShipped('lifecycle');
export const done = said({ STATUS: 'done' });

export type Files = Readonly<Record<string, string>>;
export type Stages = readonly (readonly [type: string, phase: number, more?: Partial<Artifact> | object])[];

type Read = Extract<WorkspaceOp, { kind: 'read' }>;
/** What a gate finds; null: the file is not there. */
export type Find = (file: string, gate: Node) => string | null;

export const good: Files = {
  'verification.json': '{"passed": true, "gaps": []}',
  'business-test-results.json': '{"passed": true, "failures": []}',
  'review.json': '{"verdict": "PASS", "issues": []}',
  'uat.md': '---\nstatus: complete\n---\n## Tests\n### 1. Login\nresult: pass\n',
};

/** The first milestone is at work, the others are to come; phases are counted on. */
export function milestonesOf(...phases: readonly (readonly number[])[]): readonly object[] {
  const names = ['MVP', 'Beta', 'Final'];
  return phases.map((list, index) => ({
    id: `M${index + 1}`,
    name: names[index],
    status: index === 0 ? 'active' : 'pending',
    phases: list,
  }));
}

export function artifactsOf(stages: Stages): readonly object[] {
  return stages.map(([type, phase, more], index) => ({
    id: `${type.slice(0, 3).toUpperCase()}-00${index + 1}`,
    type,
    milestone: 'MVP',
    phase,
    scope: 'phase',
    path: `phases/0${phase}-shop`,
    status: 'completed',
    ...more,
  }));
}

/** A state file's text. */
export function stateText(milestones: readonly object[], stages: Stages = [], more: object = {}): string {
  return JSON.stringify({
    project_name: 'Shop',
    current_milestone: 'MVP',
    milestones,
    artifacts: artifactsOf(stages),
    ...more,
  });
}

export function surveyOf(milestones: readonly object[], stages: Stages = []): Survey {
  return {
    hasFolder: true,
    hasSources: true,
    hasRoadmap: true,
    state: readProjectState(JSON.parse(stateText(milestones, stages))),
    problem: null,
    results: {},
  };
}

export interface Given {
  readonly task?: string;
  readonly workflow?: Workflow;
  readonly context?: Readonly<Record<string, string>>;
  readonly survey?: Survey;
  readonly find?: Find;
}

export class Lifecycle {
  readonly player: Player;
  survey: Survey;
  find: Find;
  readonly attempts = new Map<string, AttemptRow>();
  readonly records: StoredRecord[] = [];
  /** What the followers of the run were told, and what they were asked, line by line. */
  readonly told: string[] = [];
  /** The calls that were dispatched, in their order. */
  readonly called: string[] = [];

  constructor({ task = 'build a shop', workflow = lifecycle, context = {}, ...more }: Given = {}) {
    this.player = Player.create(workflow, { task, context });
    this.survey = more.survey ?? surveyOf(milestonesOf([1]));
    this.find = more.find ?? ((file) => good[file] ?? null);
    this.player.do({ type: 'start', behind: null });
  }

  /** Begun, with everything in memory. */
  static start(given: Given = {}): Lifecycle {
    return new Lifecycle(given).read();
  }

  /** Begun in a project's folder: what is read is read from its files. */
  static async startIn(root: string, given: Given = {}): Promise<Lifecycle> {
    const run = new Lifecycle(given);
    await run.readIn(root);
    return run;
  }

  async readIn(root: string): Promise<this> {
    for (let op = this.player.run.ops[0]; op; op = this.player.run.ops[0]) {
      if (op.kind !== 'read') this.#take(clean);
      else if (op.files.length === 0) this.#take({ ...clean, survey: await readSurvey(root, op.survey ?? '') });
      else this.#take({ ...clean, evidence: await readEvidence(root, op) });
    }
    return this;
  }

  /** Until nothing is to be done in the checkout. */
  read(): this {
    for (let op = this.player.run.ops[0]; op; op = this.player.run.ops[0]) this.#take(this.#resultOf(op));
    return this;
  }

  #take(result: WorkspaceResult): void {
    this.player.worked(result);
    this.#keep();
  }

  #resultOf(op: WorkspaceOp): WorkspaceResult {
    if (op.kind !== 'read') return clean;
    if (op.files.length === 0) return { ...clean, survey: this.survey };
    return { ...clean, survey: this.survey, evidence: this.#evidenceOf(op) };
  }

  #evidenceOf(op: Read): Readonly<Record<string, EvidenceFile>> {
    const gate = this.player.nodes(op.chain).find((one) => one.id === op.node);
    if (!gate) throw new Error('no gate reads');
    return Object.fromEntries(op.files.map((file) => [file, evidenceOf(file, this.find(file, gate))]));
  }

  settle(envelope: Envelope = done): this {
    this.player.settle(envelope);
    this.#keep();
    return this.read();
  }

  answer(option: string): this {
    this.player.answer(option);
    this.#keep();
    return this.read();
  }

  go(): this {
    this.player.go();
    this.#keep();
    return this.read();
  }

  /** The template of the gate that stops, or of what runs. */
  get at(): string {
    const [open] = this.player.open;
    const asks = open && this.player.nodes(open.chain).find((one) => one.id === open.node)?.template;
    return asks ?? this.player.run.live[0]?.step ?? this.player.run.status;
  }

  /** On, with passes and with "continue" at gates, until there. */
  until(step: string): this {
    for (let turn = 0; turn < 1_000; turn++) {
      if (this.at === step) return this;
      this.next();
    }
    throw new Error(`never came to ${step}`);
  }

  next(): this {
    if (this.player.run.live.length > 0) return this.settle();
    if (this.player.asks[0] !== 'gate') throw new Error(`${this.player.asks.join()}: ${this.player.open[0]?.text}`);
    return this.go();
  }

  session() {
    const { player } = this;
    const chainOf = (key: string) => player.world.chains.get(key) ?? null;
    return session({ spine: spineOf(player), chainOf, attempts: [...this.attempts.values()], records: this.records });
  }

  /** The steps as calls: `maestro-plan 1`. */
  get calls(): readonly string[] {
    return this.session().file.steps.map(({ skill, args }) => `${skill} ${args}`.trim());
  }

  /** Where each step stands, beside its call. */
  get statuses(): readonly string[] {
    return this.session().file.steps.map(({ status }) => status);
  }

  #keep(): void {
    const { player } = this;
    for (const effect of player.effects) {
      if (effect.type === 'record') {
        const { record } = effect;
        this.records.push({ run: 'r12', chain: record.chain, at: player.now, by: null, record });
      }
      if (effect.type === 'notice' && effect.notice.type === 'told') this.told.push(...effect.notice.text.split('\n'));
      if (effect.type === 'notice' && effect.notice.type === 'asked')
        this.told.push(...effect.notice.interaction.text.split('\n'));
    }
    for (const [chain, { nodes }] of player.world.chains) {
      for (const node of nodes) for (const one of [node.last, node.live]) if (one) this.#keepAttempt(chain, node, one);
    }
  }

  #keepAttempt(chain: string, node: Node, attempt: AttemptRow['attempt']): void {
    if (!this.attempts.has(attempt.id)) this.called.push(node.template);
    this.attempts.set(attempt.id, { attempt, run: 'r12', chain, node: node.id, checkpoint: null });
  }
}

function evidenceOf(file: string, text: string | null): EvidenceFile {
  if (text === null) return { found: false, why: `no result file ${file}` };
  const parsed = parseEvidence(file, text);
  return parsed.ok ? { found: true, value: parsed.value } : { found: false, why: parsed.error };
}
