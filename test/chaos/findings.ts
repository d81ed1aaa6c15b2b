// What came of it all: whether everything was done, counted once and told, by the database, the projects, the agents' own
// log and what arrived on Telegram.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Runtime } from '../../src/dispatch/index.js';
import type { Telegram } from '../bot/channels/telegram/server/index.js';
import { bosun } from '../cli/given.js';
import { openStore } from '../open-store.js';
import { type Asked, isEndOf, repeatMark } from './people.js';
import { git, type Place } from './place.js';

type Store = Runtime['store'];

export interface Findings {
  readonly problems: readonly string[];
  /** Figures, for people. */
  readonly lines: readonly string[];
}

interface Seen {
  readonly place: Place;
  readonly telegram: Telegram;
  readonly asked: readonly Asked[];
}

const most = 100_000;

/** Not yet done, as far as can be known while it goes on. */
export async function whatIsLeft(place: Place, asked: readonly Asked[], redis: Redis): Promise<readonly string[]> {
  const left = reading(place, (store) => {
    const runs = allRuns(store);
    const open = runs.filter(({ status }) => status !== 'completed').map(({ id, status }) => `${id} is ${status}`);
    const unsent = store.deliveries.open('telegram', 0, most).map(({ message }) => `${message.id} has not arrived`);
    const unheard = store.pendingInbox().map(({ id }) => `what came in as ${id} is not worked on`);
    return [
      ...(runs.length < asked.length ? [`${runs.length} runs of ${asked.length}`] : []),
      ...open,
      ...unsent,
      ...unheard,
    ];
  });
  return left.length > 0 ? left : leftInRedis(redis);
}

async function leftInRedis(redis: Redis): Promise<readonly string[]> {
  try {
    const left: string[] = [];
    for (const key of await redis.keys('bosun-*:results'))
      left.push(...(await redis.hkeys(key)).map((one) => `result ${one}`));
    for (const kind of ['wait', 'active', 'prioritized', 'delayed', 'paused']) {
      for (const key of await redis.keys(`bull:bosun-*:${kind}`)) left.push(`${key} is not empty`);
    }
    return left;
  } catch (error) {
    return [String(error)];
  }
}

export async function findingsOf(seen: Seen): Promise<Findings> {
  const { place } = seen;
  const problems: string[] = [];
  const effects = effectsOf(place);
  const counts = reading(place, (store) => {
    const runs = allRuns(store);
    problems.push(
      ...oncePerWish(
        runs.map(({ task }) => task),
        seen.asked,
      ),
    );
    let [attempts, interrupted] = [0, 0];
    for (const { id } of runs) {
      const told = attemptsOf(store, id, effects);
      attempts += told.attempts;
      interrupted += told.interrupted;
      problems.push(...told.problems);
    }
    problems.push(...store.deliveries.failed(most).map(({ message, problem }) => `${message.id} failed: ${problem}`));
    return { runs: runs.length, attempts, interrupted };
  });
  problems.push(...effects.problems, ...worksOf(seen), ...leftovers(place));
  const { code, out } = await bosun(['verify'], { home: place.home });
  if (code !== 0) problems.push(`verify: ${out}`);
  const mail = mailOf(seen);
  problems.push(...mail.problems);
  const { runs, attempts, interrupted } = counts;
  return {
    problems,
    lines: [
      `${runs} runs of ${place.projects.length} projects in ${attempts} attempts, ${interrupted} of them interrupted`,
      `${effects.begun} agents began, ${effects.ended} came to their end`,
      `${mail.sent} messages arrived, ${mail.marked} of them marked as perhaps a repeat`,
    ],
  };
}

function oncePerWish(tasks: readonly string[], asked: readonly Asked[]): readonly string[] {
  return asked.flatMap(({ task }) => {
    const times = tasks.filter((one) => one === task).length;
    return times === 1 ? [] : [`"${task}" was begun ${times} times`];
  });
}

function attemptsOf(store: Store, run: string, effects: Effects) {
  const rows = store.attemptsOfRun(run, most);
  const odd = rows.flatMap(({ attempt: { id, state, outcome, summary } }) => {
    if (state !== 'settled') return [`${id} is ${state}`];
    return outcome === 'pass' || outcome === 'crashed' ? [] : [`${id} is ${outcome}: ${summary}`];
  });
  const passes = rows
    .filter(({ attempt }) => attempt.outcome === 'pass')
    .map(({ attempt, node, chain }) => `${chain} ${node} ${attempt.generation}`);
  const ends = store
    .events(run, 0, most)
    .flatMap(({ event }) => (event.type === 'attempt_settled' ? [event.attempt] : []));
  const undone = store.nodes(run).filter(({ state }) => state !== 'passed');
  return {
    problems: [
      ...odd,
      ...repeated(passes).map((key) => `${run}: ${key} passed more than once`),
      ...repeated(ends).map((id) => `${id} was settled more than once`),
      ...steps.filter((step) => effects.endedOf(run, step) === 0).map((step) => `${run}: no agent did ${step}`),
      ...undone.map(({ id, state }) => `${run}: ${id} is ${state}`),
    ],
    attempts: rows.length,
    interrupted: rows.filter(({ attempt }) => attempt.outcome === 'crashed').length,
  };
}

function repeated(all: readonly string[]): readonly string[] {
  return [...new Set(all.filter((one, at) => all.indexOf(one) !== at))];
}

const steps = ['one', 'two'];

interface Effects {
  readonly begun: number;
  readonly ended: number;
  readonly problems: readonly string[];
  endedOf(run: string, step: string): number;
}

function effectsOf({ effects }: Place): Effects {
  const lines = readFileSync(effects, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '));
  const of = (kind: string) => lines.filter(([what]) => what === kind);
  const begun = of('begin');
  const byToken = new Map<string, number>();
  for (const [, , , , token = ''] of begun) byToken.set(token, (byToken.get(token) ?? 0) + 1);
  const twice = [...byToken].filter(([, times]) => times > 1);
  return {
    begun: begun.length,
    ended: of('end').length,
    problems: [
      ...of('overlap').map(([, project, run, step]) => `${project} ${run} ${step}: another agent was at work there`),
      ...twice.map(
        ([token, times]) =>
          `an attempt's agent was started ${times} times: ${begun
            .find((one) => one[4] === token)
            ?.slice(1, 4)
            .join(' ')}`,
      ),
    ],
    endedOf: (run, step) => of('end').filter((one) => one[2] === run && one[3] === step).length,
  };
}

/** In each project every step of every run has left its line once, in their order, in a commit of the run's. */
function worksOf({ place, asked }: Seen): readonly string[] {
  return place.projects.flatMap(({ name, root }) => {
    const problems: string[] = [];
    const runs = asked.filter(({ project }) => project === name).length;
    const work = git(root, 'ls-tree', 'HEAD', 'work.txt') === '' ? '' : git(root, 'show', 'HEAD:work.txt');
    const left = work
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ')[1] ?? '');
    const expected = Array.from({ length: runs }, () => steps).flat();
    if (left.join() !== expected.join()) problems.push(`${name}: work.txt of ${runs} runs is ${JSON.stringify(work)}`);
    const commits = Number(git(root, 'rev-list', '--count', 'HEAD')) - 1;
    if (commits !== runs) problems.push(`${name}: ${commits} commits for ${runs} runs`);
    const unclean = git(root, 'status', '--porcelain');
    if (unclean !== '') problems.push(`${name} is not clean: ${unclean}`);
    return problems;
  });
}

function leftovers({ home, folder }: Place): readonly string[] {
  const remotes = existsSync(join(folder, 'remotes')) ? readdirSync(join(folder, 'remotes')) : [];
  const refs = remotes.flatMap((remote) =>
    git(join(folder, 'remotes', remote), 'for-each-ref', '--format=%(refname)', 'refs/bosun')
      .split('\n')
      .filter((ref) => ref !== '')
      .map((ref) => `${ref} was left at ${remote}`),
  );
  const notes = readdirSync(`${home}/attempts`).map((file) => `attempts/${file} was left`);
  const agents = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`CHAOS_FOLDER=${folder}\0`);
    } catch {
      return false;
    }
  });
  return [...notes, ...refs, ...agents.map((pid) => `the agent ${pid} is still at work`)];
}

/** What every chat got, against what was said to it. */
function mailOf({ place, telegram, asked }: Seen) {
  const problems: string[] = [];
  let [sent, marked] = [0, 0];
  for (const { name, person } of place.projects) {
    // Word joiners, which keep addresses from being tapped, show nothing.
    const texts = telegram.sent(telegram.world.chat(person)).map(({ text }) => text.replaceAll('\u2060', ''));
    const isMarked = (text: string) => text.includes(repeatMark);
    sent += texts.length;
    marked += texts.filter(isMarked).length;
    for (const { task } of asked.filter(({ project }) => project === name)) {
      const ends = texts.filter((text) => isEndOf(text, task));
      if (ends.length === 0) problems.push(`nobody was told that "${task}" is done`);
      if (ends.filter((text) => !isMarked(text)).length > 1)
        problems.push(`the end of "${task}" was told twice without a word`);
    }
    const said = reading(place, (store) => store.messages(`tg:${person}`, null, most));
    for (const { id, view } of said.filter(({ card, edits }) => card === null && edits === null)) {
      const [first = ''] = view.text.split('\n');
      if (!texts.some((text) => text.includes(first))) problems.push(`${id} never arrived: ${first}`);
    }
    const cards = texts.filter((text) => /failed|Retry|asks/i.test(text));
    problems.push(...cards.map((text) => `${name} needed a person: ${text}`));
  }
  return { problems, sent, marked };
}

function allRuns(store: Store) {
  return store.runs(null, most, null);
}

function reading<T>({ db }: Place, act: (store: Store) => T): T {
  const store = openStore(db, { readonly: true });
  try {
    return act(store);
  } finally {
    store.close();
  }
}
