// What a conversation came to, in a form in which two of them can be compared: times, ids and hashes are taken out, and
// crashed attempts are counted apart.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/file/read-config.js';
import { projectStatus } from '../../src/dispatch/index.js';
import type { Event } from '../../src/engine/index.js';
import { attemptToken } from '../../src/jobs/attempt-token.js';
import type { Message } from '../../src/store/messages/message-types.js';
import type { Store } from '../../src/store/store.js';
import { openHome } from '../open-home.js';
import { openStore } from '../open-store.js';
import type { Running } from './conversation.js';
import type { LogLine, Stage } from './stage.js';
import type { Listener } from './wire.js';

export interface Outcome {
  /** Equal for each conversation, whatever was killed. */
  readonly state: Readonly<Record<string, unknown>>;
  readonly rings: readonly string[];
  readonly crashed: number;
  /** What is wrong by itself, with nothing to compare it with. */
  readonly problems: readonly string[];
}

export function outcomeOf(stage: Stage, heard: Listener): Outcome {
  const home = openHome(stage.home);
  const store = openStore(home.dbPath, { readonly: true });
  try {
    const attempts = attemptsOf(store);
    const messages = store.messages('local', null, 10_000);
    const settled = attempts.filter((one) => !one.isCrashed);
    return {
      state: {
        status: statusOf(store, stage),
        attempts: settled.map(({ chain, step, outcome }) => `${chain} ${step} ${outcome}`).sort(byChain),
        ...gitOf(stage),
        exported: stage.scene.exported(stage.shop),
      },
      rings: messages.filter((one) => one.view.rings).map(normalised),
      crashed: attempts.length - settled.length,
      problems: [
        ...callProblems(attempts, stage, home.secret),
        ...deliveryProblems(messages, heard),
        ...eventProblems(store),
        ...leftOver(stage),
      ],
    };
  } finally {
    store.close();
  }
}

interface Settled {
  readonly id: string;
  readonly chain: string;
  readonly step: string;
  readonly outcome: string;
  readonly isCrashed: boolean;
}

function eventsOf(store: Store): readonly Event[] {
  return store.runs('demo', 10, null).flatMap((run) => store.events(run.id, 0, 10_000).map((one) => one.event));
}

/** Those of one chain stay in their order; which of two stories is ahead is chance. */
function byChain(one: string, other: string): number {
  return (one.split(' ')[0] ?? '').localeCompare(other.split(' ')[0] ?? '');
}

/** In the order in which they were settled. */
function attemptsOf(store: Store): readonly Settled[] {
  return eventsOf(store).flatMap((event) => {
    if (event.type !== 'attempt_settled') return [];
    const row = store.attempt(event.attempt);
    const node = store.chain(event.run, event.chain)?.nodes.find((one) => one.id === row?.node);
    const { outcome = null, reason = null } = row?.attempt ?? {};
    const isCrashed = outcome === 'crashed' && reason === 'interrupted';
    return [
      { id: event.attempt, chain: event.chain, step: node?.template ?? '?', outcome: String(outcome), isCrashed },
    ];
  });
}

function statusOf(store: Store, stage: Stage) {
  const project = loadConfig(openHome(stage.home), process.env).projects[0];
  if (!project) throw new Error('the demo is not configured');
  const { run, items, nodes, interactions } = projectStatus(store, project, 0);
  return {
    run: { ...run, started_at: null, ended_at: null },
    items,
    nodes,
    interactions: interactions.map((one) => ({ ...one, text: plain(one.text) })),
  };
}

function gitOf({ shop }: Stage) {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: shop, encoding: 'utf8' }).trimEnd();
  return {
    tree: git('ls-tree', '-r', 'HEAD').split('\n'),
    uncommitted: git('status', '--porcelain'),
    commits: git('log', '--reverse', '--format=%s').split('\n'),
    delivered: git('log', '--format=%B')
      .split('\n')
      .filter((line) => line.startsWith('Bosun: ')).length,
    stashes: git('stash', 'list'),
    branches: git('branch', '--list').split('\n'),
  };
}

/** What work on the project may leave nowhere: worktrees and their branches, half a merge, locks, markers, edits. */
function leftOver({ shop, home }: Stage): readonly string[] {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: shop, encoding: 'utf8' }).trimEnd();
  const names = (folder: string) => (existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : []);
  const begun = /(^|\/)(rebase-merge|rebase-apply|MERGE_HEAD|CHERRY_PICK_HEAD|.*\.lock|bosun-rebase-begun)$/;
  const lines = (text: string) => text.split('\n').filter((line) => line !== '');
  const marked = lines(git('ls-files')).filter((file) => /^(<{7}|>{7})/m.test(readFileSync(join(shop, file), 'utf8')));
  return [
    ...lines(git('worktree', 'list')).slice(1),
    ...names(join(home, 'worktrees', 'demo')).filter((name) => name.includes('agent-')),
    ...names(join(shop, '.git')).filter((name) => begun.test(name)),
    ...names(join(shop, 'workflow_edits')).map((name) => `workflow_edits/${name}`),
    ...marked.map((file) => `markers in ${file}`),
  ].map((what) => `left over: ${what}`);
}

export function runningIn({ home }: Stage): readonly Running[] {
  const opened = openHome(home);
  if (!existsSync(opened.dbPath)) return [];
  const store = openStore(opened.dbPath, { readonly: true });
  try {
    const running = store.openAttempts().filter(({ attempt }) => attempt.state === 'running');
    return running.map(({ attempt, node }) => ({ attempt: attempt.id, node }));
  } finally {
    store.close();
  }
}

/** No attempt starts twice, one that was settled has run to its end, and none runs that nobody knows. */
function callProblems(attempts: readonly Settled[], stage: Stage, secret: string): readonly string[] {
  const log = stage.log();
  const count = (what: LogLine['what'], token: string) =>
    log.filter((line) => line.what === what && line.token === token).length;
  const known = new Set(attempts.map(({ id }) => attemptToken(secret, id)));
  const strangers = log.filter((line) => line.token !== undefined && !known.has(line.token));
  const wrong = attempts.flatMap(({ id, isCrashed }) => {
    const token = attemptToken(secret, id);
    const [starts, ends] = [count('agent_started', token), count('agent_ended', token)];
    const isRight = isCrashed ? starts <= 1 : starts === 1 && ends === 1;
    return isRight ? [] : [`attempt ${id} started ${starts} times and ended ${ends} times`];
  });
  return [...wrong, ...strangers.map((line) => `an unknown attempt of ${line.step} ran`)];
}

/** Whoever listens and comes back after each death has got every message once, in order. */
function deliveryProblems(messages: readonly Message[], heard: Listener): readonly string[] {
  const ids = heard.messages.map((one) => one.id);
  const wanted = messages.map((one) => one.id).slice(0, ids.length);
  const isWhole = messages.length - ids.length === 0;
  if (isWhole && ids.join() === wanted.join()) return [];
  return [`posted were ${messages.map((one) => one.id).join()}, heard were ${ids.join()}`];
}

function eventProblems(store: Store): readonly string[] {
  const ids = eventsOf(store).flatMap((event) => (event.type === 'attempt_settled' ? [event.attempt] : []));
  return ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} was settled twice`);
}

function normalised({ view }: Message): string {
  return `${view.kind}: ${plain(view.text)}`;
}

function plain(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{7,64}\b/g, '<hash>')
    .replaceAll(/\b\d+(\.\d+)? ?(ms|s|min|m|h)\b/g, '<time>')
    .replaceAll(/<time>( <time>)+/g, '<time>')
    .replaceAll(/\b\d\d:\d\d\b/g, '<clock>')
    .replaceAll(/\bi\d+-\d+\b/g, '<code>');
}

export interface Difference {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly problems: readonly string[];
}

/** What differs from the conversation in which nothing was killed. */
export function compare(wanted: Outcome, found: Outcome): Difference {
  const lost = without(wanted.rings, found.rings);
  const doubled = without(found.rings, wanted.rings);
  const keys = Object.keys(wanted.state).filter((key) => !isSame(wanted.state[key], found.state[key]));
  return {
    lost,
    doubled,
    problems: [
      ...lost.map((text) => `lost: ${text}`),
      ...doubled.map((text) => `said beside what was expected: ${text}`),
      ...keys.map((key) => `${key} differs:\n${differing(wanted.state[key], found.state[key])}`),
      ...found.problems,
    ],
  };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function differing(wanted: unknown, found: unknown): string {
  const lines = (value: unknown) => JSON.stringify(value, null, 1).split('\n');
  const [was, is] = [lines(wanted), lines(found)];
  return [...without(was, is).map((line) => `- ${line}`), ...without(is, was).map((line) => `+ ${line}`)].join('\n');
}

/** Each as often as it is left when those of the other list are taken away. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = [...other];
  return list.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
