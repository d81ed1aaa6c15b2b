import { createHash } from 'node:crypto';
import type { types } from '@slack/bolt';
import type { Clock } from '../../../../base/index.js';
import { type Config, mayDo, memberRole, type ProjectConfig } from '../../../../config/index.js';
import { type NodeJson, nodeNamed, type ProjectStatus, projectStatus } from '../../../../dispatch/index.js';
import { asksPerson, hasBody, isRunOver, type NodeState, type Run } from '../../../../engine/index.js';
import type { HomeReader, RunReader } from '../../../../store/index.js';
import { askCard } from '../../../views/cards.js';
import { attentionOf } from '../../../views/people/awaited.js';
import { stateFor, stateInWords } from '../../../views/people/work-state.js';
import { oneLine, testsInWords } from '../../../views/view.js';
import { nthTry } from '../../../views/work/live-lines.js';
import { continuePress } from '../inbound/index.js';
import { type Home, type HomeAsk, type HomeProject, type HomeWork, renderHome } from './render-home.js';

export interface HomeTabParts {
  readonly reader: HomeReader;
  readonly config: () => Config;
  readonly clock: Clock;
  /** Null: a stranger, or not allowed; undefined: not known yet. */
  readonly nameOf: (user: string) => string | null | undefined;
  /** False: skipped, because it never queues. */
  readonly publish: (user: string, view: types.HomeView) => Promise<boolean>;
  readonly log: (message: string) => void;
}

const everyMs = 10_000;
const currentMs = 24 * 60 * 60_000;
const maxLookers = 200;
/** Later failures wait for the next change. */
const maxTries = 5;

interface Looker {
  readonly openedAt: number;
  readonly shown: string | null;
  readonly at: number;
  readonly failures: number;
  readonly cancel: (() => void) | null;
}

export class HomeTab {
  readonly #parts: HomeTabParts;
  readonly #lookers = new Map<string, Looker>();
  readonly #calls = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: HomeTabParts) {
    this.#parts = parts;
  }

  opened(user: string): void {
    const { clock } = this.#parts;
    const before = this.#lookers.get(user);
    before?.cancel?.();
    this.#lookers.delete(user);
    // Slack forgets old tabs, so an opened one is always published.
    const at = before?.at ?? Number.NEGATIVE_INFINITY;
    this.#lookers.set(user, { openedAt: clock.now(), shown: null, at, failures: 0, cancel: null });
    const [oldest] = this.#lookers.keys();
    if (this.#lookers.size > maxLookers && oldest !== undefined) this.#drop(oldest);
    this.#due(user);
  }

  changed(): void {
    for (const [user, { openedAt }] of [...this.#lookers]) {
      if (this.#parts.clock.now() - openedAt > currentMs) this.#drop(user);
      else this.#due(user);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const user of [...this.#lookers.keys()]) this.#drop(user);
    await Promise.all(this.#calls);
  }

  #drop(user: string): void {
    this.#lookers.get(user)?.cancel?.();
    this.#lookers.delete(user);
  }

  #due(user: string): void {
    const { clock } = this.#parts;
    const looker = this.#lookers.get(user);
    if (this.#isClosed || looker === undefined || looker.cancel !== null) return;
    const cancel = clock.after(Math.max(0, looker.at + everyMs - clock.now()), () => this.#show(user));
    this.#lookers.set(user, { ...looker, cancel });
  }

  #show(user: string): void {
    const { clock, log } = this.#parts;
    const looker = this.#lookers.get(user);
    if (looker === undefined || this.#isClosed) return;
    const at = clock.now();
    this.#lookers.set(user, { ...looker, cancel: null });
    try {
      const name = this.#parts.nameOf(user);
      // The next change tries again.
      if (name === undefined) return;
      const home = homeOf(name, at, this.#parts);
      const { at: _, ...lasting } = home;
      const look = createHash('sha256').update(JSON.stringify(lasting)).digest('base64url');
      if (look === looker.shown) return;
      this.#lookers.set(user, { ...looker, cancel: null, shown: look, at });
      this.#publish(user, renderHome(home));
    } catch (error) {
      log(`slack: a home tab is not shown: ${String(error).slice(0, 300)}`);
    }
  }

  #shown(user: string): void {
    const looker = this.#lookers.get(user);
    if (looker !== undefined) this.#lookers.set(user, { ...looker, failures: 0 });
  }

  #publish(user: string, view: types.HomeView): void {
    const { publish, log } = this.#parts;
    const failed = (why: string | null) => {
      const looker = this.#lookers.get(user);
      if (looker !== undefined) {
        this.#lookers.set(user, { ...looker, shown: null, failures: looker.failures + 1 });
        if (looker.failures < maxTries) this.#due(user);
      }
      if (why !== null && !this.#isClosed) log(`slack: a home tab is not shown: ${why}`);
    };
    const call = publish(user, view)
      .then((isShown) => (isShown ? this.#shown(user) : failed(null)))
      .catch((error: unknown) => failed(String(error).slice(0, 300)))
      .finally(() => this.#calls.delete(call));
    this.#calls.add(call);
  }
}

function homeOf(name: string | null, at: number, { reader, config }: Pick<HomeTabParts, 'reader' | 'config'>): Home {
  if (name === null) return { isMember: false, needsYou: [], working: [], projects: [], at };
  const projects = config().projects.filter((one) => memberRole(one, name) !== null);
  const known = projects.map((project) => ({ project, status: projectStatus(reader, project, at) }));
  return {
    isMember: true,
    needsYou: asksFor(name, projects, reader),
    working: projects.flatMap((project) =>
      reader
        .liveRuns(project.name)
        .filter(({ live, ops }) => live.length + ops.length > 0)
        .map((run) => workOf(run, project, at, reader)),
    ),
    projects: known.map(({ project, status }) => projectOf(name, project, status, reader)),
    at,
  };
}

function asksFor(name: string, projects: readonly ProjectConfig[], reader: RunReader): readonly HomeAsk[] {
  return projects
    .flatMap((project) => reader.openInteractions(project.name).map((open) => ({ ...open, project })))
    .flatMap(({ run, interaction, project }): HomeAsk[] => {
      const spine = reader.spine(run);
      const chain = reader.chain(run, interaction.chain);
      const members = Object.entries(project.members).map(([one, role]) => ({ name: one, role }));
      const viewer = { by: name, role: memberRole(project, name), members };
      if (spine === null || chain === null || attentionOf(interaction, spine.run, viewer) !== 'theirs') return [];
      return [{ view: askCard(interaction, { ...spine, chain }), openedAt: interaction.openedAt }];
    })
    .sort((one, other) => one.openedAt - other.openedAt);
}

function workOf(run: Run, project: ProjectConfig, at: number, reader: HomeReader): HomeWork {
  const nodes = projectStatus(reader, project, at).nodes.filter((node) => !hasBody(node));
  const { task, startedAt, costUsd } = run;
  return {
    project: project.name,
    task: task.split('\n')[0] ?? '',
    doing: nodes
      .filter(({ state }) => current.has(state))
      .map(doingOf)
      .join('; '),
    startedAt,
    costUsd,
  };
}

const current = new Set(['queued', 'running']);

function doingOf(node: NodeJson): string {
  const { item, template, title, state, attempt, max_attempts: most, tests } = node;
  const tries = asksPerson(node) ? '' : nthTry(attempt, most);
  const step = `${item ?? ''} ${oneLine(title, 60) || template}${tries}`.trim();
  const word = state === 'running' ? '' : `: ${nodeNamed(state as NodeState).word}`;
  return `${step}${word}${tests === null ? '' : `, ${testsInWords({ ...tests, failing: [] })}`}`;
}

function projectOf(
  name: string,
  project: ProjectConfig,
  status: ProjectStatus,
  reader: Pick<HomeReader, 'spine'>,
): HomeProject {
  const { run, health } = status;
  const spine = run && reader.spine(run.id);
  const by = { by: name, role: memberRole(project, name), members: project.members };
  const isLive = run !== null && !isRunOver(run.status as 'running');
  const mayGoOn = isLive && mayDo(memberRole(project, name), 'continue');
  return {
    name: project.name,
    state: spine === null ? 'idle' : stateInWords(stateFor(spine.run, { ...spine, health, behind: null }, by)),
    note: oneLine(run?.task.split('\n', 1)[0] ?? ''),
    button: mayGoOn ? { label: 'Continue', press: continuePress(project.name) } : null,
  };
}
