// What each program does with the permissions of the proof table, in three runs of a Bosun that really runs.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { call, type Move, run, say, scripted } from '../model/talk.js';
import { put } from '../moves.js';
import { givenStage, type Stage } from '../stage.js';
import { answerTrials, executorFor, hostileFiles, markServer, type ProofAgent, setUpUser } from './proof-agents.js';
import type { Observed, Row } from './proof-table.js';

type Seen = ReadonlyMap<Row, Observed>;
const done = say('STATUS: pass\nSUMMARY: it was built');
const line = ({ place }: ProofAgent, name: string) => `echo x >> ${place}/m-${name}`;
const step = {
  workflow: 'one',
  files: {
    '.ai/workflows/one.yaml': `workflow: one
version: 1
chain:
  - { id: build, kind: task, title: Build, prompt: Build it., max_attempts: 1, on_exhausted: ask, abandons: 5, timeout: 90s }
`,
  },
};

interface Scenario {
  readonly row: Row;
  /** In the text of its cards, and of its marker. */
  readonly name: string;
  readonly moves: readonly Move[];
  readonly answers: readonly string[];
}

/** Many scenarios in one attempt. */
export async function liveRun(agent: ProofAgent): Promise<Seen> {
  const server = await countingServer();
  const isNative = agent.executor['kind'] === undefined;
  const hostile = isNative ? hostileFiles(agent.kind) : {};
  const moves = (root: string) => [...scenarios(agent, root, server.url).flatMap((one) => one.moves), done];
  const stage = await given(agent, moves, { help: [agent.act(line(agent, 'helper')), say('helped')], files: hostile });
  await stage.run('build it');
  const all = scenarios(agent, stage.root, server.url);
  const cards = await answerCards(stage, all);
  const seen = new Map<Row, Observed>();
  for (const { row, name } of all) {
    seen.set(row, {
      cards: cards.get(name) ?? 0,
      done: row === 'the network' ? server.hits() : marks(stage, agent, name),
    });
  }
  if (isNative) seen.set('settings of a hostile checkout', { cards: 0, done: hostileMarks(stage) });
  expect(stage.model.strangers.filter((one) => !/registry|github|chatgpt/.test(one))).toEqual([]);
  return seen;
}

function scenarios(agent: ProofAgent, root: string, url: string): readonly Scenario[] {
  const { act, patch, help, hasServers } = agent;
  const twice = (move: Move) => [move, move];
  const mark = call('make_mark', {});
  const net = act(`node -e "fetch('${url}/m-net')"`);
  const script = `${JSON.stringify({ name: 'shop', scripts: { test: line(agent, 'script') } })}\n`;
  return [
    { row: 'allow once', name: 'once', moves: twice(act(line(agent, 'once'))), answers: ['Allow once', 'Deny'] },
    { row: 'allow for this run', name: 'run', moves: twice(act(line(agent, 'run'))), answers: ['Allow for this run'] },
    { row: 'deny', name: 'deny', moves: [act(line(agent, 'deny'))], answers: ['Deny'] },
    ...(help === null
      ? []
      : [{ row: 'a command of a helper', name: 'helper', moves: [help], answers: ['Allow once'] } as const]),
    ...(hasServers
      ? [{ row: 'a tool of an MCP server', name: 'mcp', moves: twice(mark), answers: ['Allow once', 'Deny'] } as const]
      : []),
    {
      row: 'a file outside the checkout',
      name: 'patch',
      moves: [patch(join(root, agent.place, 'm-patch'))],
      answers: ['Allow once', 'Allow once'],
    },
    { row: 'the network', name: 'net', moves: twice(net), answers: ['Deny', 'Allow once'] },
    {
      row: 'a rewritten test script',
      name: 'script',
      moves: [...put('package.json', script), ...twice(run('npm test'))],
      answers: ['Deny', 'Allow once'],
    },
  ];
}

/** An expired card, which a person answers after the attempt has ended. */
export async function lateRun(agent: ProofAgent): Promise<Seen> {
  const stage = await given(agent, () => [agent.act(line(agent, 'late')), done], {
    executor: { answer_within_s: 3 },
  });
  await stage.run('build it');
  const late = await stage.until('it ended without an answer', ({ interactions: [one] }) =>
    Boolean(one?.options.some(({ label }) => label === 'Go on without')),
  );
  expect(marks(stage, agent, 'late')).toBe(0);
  const [card] = late.interactions;
  if (card === undefined) throw new Error('no card');
  let asked = false;
  stage.model.think((talk) => {
    if (talk.tools.length === 0) return say('A title');
    if (asked) return done;
    asked = true;
    return agent.act(line(agent, 'late'));
  });
  await stage.press(card, 'Allow for this run');
  await stage.ended();
  return new Map([['no answer in time, allowed later', { cards: 2, done: marks(stage, agent, 'late') }]]);
}

/** The agent, then Bosun, dies while a card is open. */
export async function killRun(agent: ProofAgent): Promise<Seen> {
  const stage = await given(agent, () => [agent.act(line(agent, 'kill')), done], {});
  await stage.run('build it');
  const first = await stage.asked('permission');
  killAll(processesFor(stage));
  const second = await nextCard(stage, first.id);
  await stage.press(second, 'Allow once');
  await stage.ended();
  const agentKilled = { cards: 2, done: marks(stage, agent, 'kill') };
  await stage.run('build it again');
  const third = await stage.asked('permission');
  await stage.kill();
  await expect.poll(() => processesFor(stage), { timeout: 30_000 }).toEqual([]);
  expect(marks(stage, agent, 'kill')).toBe(agentKilled.done);
  await stage.restart();
  await stage.press(await nextCard(stage, third.id), 'Allow once');
  await stage.ended();
  const bosunKilled = { cards: 2, done: marks(stage, agent, 'kill') - agentKilled.done };
  return new Map([
    ['the agent killed while it waits', agentKilled],
    ['Bosun killed while it waits, then answered', bosunKilled],
  ]);
}

interface More {
  readonly help?: readonly Move[];
  readonly files?: Readonly<Record<string, string>>;
  readonly executor?: Readonly<Record<string, unknown>>;
}

async function given(agent: ProofAgent, moves: (root: string) => readonly Move[], more: More): Promise<Stage> {
  const { help = [], files, executor } = more;
  let root = '';
  const script = { Build: () => moves(root), Help: help };
  const stage = await givenStage(agent.kind, script, {
    ...step,
    files: {
      'package.json': `${JSON.stringify({ name: 'shop', scripts: { test: 'true' } })}\n`,
      ...step.files,
      ...files,
    },
    executor: { ...executorFor(agent), ...executor },
    project: { tests: { run: 'npm test', format: 'exit' } },
  });
  ({ root } = stage);
  answerTrials(stage, scripted(script));
  writeFileSync(join(root, '..', 'moves.json'), JSON.stringify(moves(root)));
  const server = join(stage.root, '..', 'own-mcp.cjs');
  writeFileSync(server, markServer(join(stage.root, agent.place, 'm-mcp')));
  setUpUser(agent, join(stage.root, '..', 'user'), server);
  return stage;
}

/** Answers each card as its scenario says; one too many is a failure. Gives how many there were. */
async function answerCards(stage: Stage, all: readonly Scenario[]): Promise<ReadonlyMap<string, number>> {
  const cards = new Map<string, number>();
  const isOver = (status: string | undefined) => /^(completed|failed|cancelled)$/.test(status ?? '');
  for (let last = ''; ; ) {
    const { run: now, interactions } = await stage.until(
      'a card, or the end',
      (status) => isOver(status.run?.status) || status.interactions.some(({ id }) => id !== last),
    );
    const card = interactions.find(({ id }) => id !== last);
    if (card === undefined) {
      expect(now?.status).toBe('completed');
      return cards;
    }
    const found = all.find(({ name }) => card.text.includes(name === 'mcp' ? 'make_mark' : `m-${name}`));
    const nth = cards.get(found?.name ?? '') ?? 0;
    const label = found?.answers[nth];
    if (found === undefined || label === undefined) {
      throw new Error(`nobody expects this card:\n${card.text}\n${await stage.story()}`);
    }
    cards.set(found.name, nth + 1);
    await stage.press(card, label);
    last = card.id;
  }
}

async function nextCard(stage: Stage, before: string) {
  const { interactions } = await stage.until('it asks again', ({ interactions: [one] }) =>
    Boolean(one !== undefined && one.id !== before),
  );
  const [card] = interactions;
  if (card?.kind !== 'permission') throw new Error(`it asks something else\n${await stage.story()}`);
  return card;
}

function marks({ root }: Stage, { place }: ProofAgent, name: string): number {
  const path = join(root, place, `m-${name}`);
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').length : 0;
}

function hostileMarks(stage: Stage): number {
  return readdirSync(join(stage.root, '..')).filter((name) => name.startsWith('hostile-')).length;
}

/** Agents of other tests run at the same time, with another home. */
function processesFor(stage: Stage): readonly number[] {
  const user = `HOME=${join(stage.root, '..', 'user')}\0`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && environOf(name).includes(user))
    .map(Number);
}

/** The death of one may end another before its turn comes. */
function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

function environOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

/** What reaches it got through to the network. */
async function countingServer() {
  let hits = 0;
  const server = createServer((_request, response) => {
    hits += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, hits: () => hits };
}
