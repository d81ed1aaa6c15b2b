// Conversations with kills, two at a time, each held against the one in which nothing was killed.
import { PassThrough } from 'node:stream';
import { type Rooms, runCli } from '../../src/cli/index.js';
import { hold } from './conversation.js';
import { type Plan, undisturbed } from './plan.js';
import { compare, type Outcome, outcomeOf, runningIn } from './record.js';
import type { Scene } from './scene.js';
import { demo } from './scene-demo.js';
import { killAll } from './service.js';
import { type Installed, install, type Stage, setStage } from './stage.js';

export interface Figures {
  kills: number;
  restarts: number;
  conversations: number;
  crashedAttempts: number;
  lost: number;
  doubled: number;
  /** Each with the seed to play it again with. */
  readonly problems: string[];
}

export interface Wanted {
  readonly plans: readonly Plan[];
  readonly scene?: Scene;
  /** How many conversations are held at once. */
  readonly atOnce: number;
}

const agentMs = 20;

export async function playAll({ plans, scene = demo, atOnce }: Wanted): Promise<Figures> {
  const startedAt = Date.now();
  const installed = install();
  const figures: Figures = {
    kills: 0,
    restarts: 0,
    conversations: 0,
    crashedAttempts: 0,
    lost: 0,
    doubled: 0,
    problems: [],
  };
  try {
    const { outcome, problems } = await play(installed, scene, undisturbed);
    figures.problems.push(...problems, ...outcome.problems);
    const waiting = [...plans];
    const work = async () => {
      for (let plan = waiting.shift(); plan; plan = waiting.shift())
        await playOne({ installed, scene, plan, wanted: outcome }, figures);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    console.log(lineOf(scene, figures, startedAt));
    return figures;
  } finally {
    killAll();
    installed.remove();
  }
}

function lineOf(scene: Scene, { problems, ...figures }: Figures, startedAt: number): string {
  const told = Object.entries({ ...figures, problems: problems.length }).map(([name, count]) => `${name} ${count}`);
  return `crash, ${scene.name}: ${told.join(', ')}, in ${Math.round((Date.now() - startedAt) / 1000)} s`;
}

interface Task {
  readonly installed: Installed;
  readonly scene: Scene;
  readonly plan: Plan;
  readonly wanted: Outcome;
}

async function playOne({ installed, scene, plan, wanted }: Task, figures: Figures): Promise<void> {
  const report = (problems: readonly string[]) => {
    const where = `CRASH_SCENE=${scene.name} CRASH_SEED=${plan.seed} ${JSON.stringify(plan.kills)} hooks ${plan.hookMs} ms`;
    for (const problem of problems) console.error(`${where}: ${problem}`);
    figures.problems.push(...problems.map((problem) => `${where}: ${problem}`));
  };
  try {
    const played = await play(installed, scene, plan);
    const { lost, doubled, problems } = compare(wanted, played.outcome);
    figures.kills += played.kills;
    figures.restarts += played.restarts;
    figures.conversations += 1;
    figures.crashedAttempts += played.outcome.crashed;
    figures.lost += lost.length;
    figures.doubled += doubled.length;
    report([...problems, ...played.problems]);
  } catch (error) {
    report([error instanceof Error ? (error.stack ?? error.message) : String(error)]);
  }
}

interface Played {
  readonly kills: number;
  readonly restarts: number;
  readonly outcome: Outcome;
  readonly problems: readonly string[];
}

async function play(installed: Installed, scene: Scene, plan: Plan): Promise<Played> {
  const stage = setStage(installed, scene, { hookMs: plan.hookMs, slowStep: plan.slowStep, agentMs });
  try {
    const verified = () => verify(stage);
    const { kills, restarts, heard, problems } = await hold(installed.main, stage, plan, {
      whenDead: verified,
      running: () => runningIn(stage),
    });
    const outcome = outcomeOf(stage, heard);
    return { kills, restarts, outcome, problems: [...problems, ...(await verified())] };
  } finally {
    if (process.env['CRASH_KEEP'] === undefined) stage.remove();
    else console.log(`${scene.name}, seed ${plan.seed}: ${stage.folder}`);
  }
}

const noRooms: Rooms = { startWeb: () => Promise.reject(new Error('nothing is started here')) };

/** `bosun verify`, in this process. */
async function verify(stage: Stage): Promise<readonly string[]> {
  const stdout = new PassThrough();
  const [stderr, stdin] = [new PassThrough(), new PassThrough()];
  const shell = { env: process.env, cwd: stage.folder, stdin, stdout, stderr };
  const code = await runCli(['verify', '--home', stage.home], noRooms, shell);
  return code === 0 ? [] : [`verify exits ${code}: ${String(stdout.read() ?? '')}${String(stderr.read() ?? '')}`];
}
