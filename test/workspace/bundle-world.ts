// Two machines with a remote between them: Bosun's checkout, and a worker's clone with a checkout of its own.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import {
  type BundlePlace,
  fetchBundle,
  layOut,
  openClone,
  packBundle,
  pushBundle,
  remoteAddress,
  takeBundle,
} from '../../src/workspace/index.js';
import { makeFolder, makeRepository, openRepository, type Repository } from './repository.js';

export const refs = { out: 'refs/bosun/h1/r1-a1/out', back: 'refs/bosun/h1/r1-a1/back' };

export interface World {
  readonly bosun: Repository;
  readonly place: LoggedPlace;
  readonly remote: Repository;
  readonly clone: string;
  /** The worker's checkout, and the project's folder in it. */
  readonly worker: Repository;
  readonly project: Repository;
  readonly workerPlace: LoggedPlace;
  readonly prefix: string;
  /** Packs, pushes, fetches and lays out; returns what was sent. */
  send(): Promise<string>;
  lay(commit: string): ReturnType<typeof layOut>;
  /** Packs at the worker, pushes, fetches at Bosun; returns what came back. */
  giveBack(): Promise<string>;
  take(sent: string, back: string): ReturnType<typeof takeBundle>;
}

export function makeWorld(
  files: Readonly<Record<string, string>> = { 'a.txt': 'one\n', 'b.txt': 'two\n', '.gitignore': 'ignored/\n.env\n' },
  prefix = '',
): World {
  const bosun = makeRepository(files);
  const home = makeFolder();
  const remote = openRepository(join(home, 'remote.git'));
  bosun.git('init', '-q', '--bare', remote.root);
  remote.git('config', 'uploadpack.allowFilter', 'true');
  bosun.git('remote', 'add', 'origin', remote.root);
  bosun.git('push', '-q', 'origin', 'main');
  const machine = makeFolder();
  const worker = openRepository(join(machine, 'work', 'shop ü'));
  const clone = join(machine, 'clones', 'repository');
  const place = placeIn(join(bosun.root, prefix));
  const workerPlace = placeIn(join(worker.root, prefix));
  const world: World = {
    bosun,
    place,
    remote,
    clone,
    worker,
    project: openRepository(workerPlace.folder),
    workerPlace,
    prefix,
    async send() {
      const { commit } = await packBundle(place);
      good('pushed', await pushBundle(place.folder, 'origin', { ref: refs.out, commit }));
      const address = (await remoteAddress(place.folder, 'origin')) ?? '';
      good('ready', await openClone(clone, address));
      good('fetched', await fetchBundle(clone, address, { ref: refs.out, commit }));
      good('ready', await world.lay(commit));
      return commit;
    },
    lay: (commit) => layOut({ clone, checkout: worker.root, commit, prefix, shared: workerPlace.shared }),
    async giveBack() {
      const { commit } = await packBundle(workerPlace);
      good('pushed', await pushBundle(workerPlace.folder, remote.root, { ref: refs.back, commit }));
      good('fetched', await fetchBundle(place.folder, 'origin', { ref: refs.back, commit }));
      return commit;
    },
    take: (sent, back) => takeBundle(place, sent, back),
  };
  return world;
}

type LoggedPlace = BundlePlace & { readonly log: { readonly folder: string; readonly path: string } };

function placeIn(folder: string): LoggedPlace {
  const log = { folder: join(makeFolder(), 'r1'), path: 'logs/r1/step-001.jsonl' };
  return { folder, shared: join(folder, '.ai', 'runs', 'r1'), log };
}

export function good(kind: string, answer: { readonly kind: string }): void {
  if (answer.kind !== kind) throw new Error(JSON.stringify(answer));
}

/** A commit as a hostile worker may push it: `entries` are lines for `git mktree` on top of what is honest. */
export function forge(world: World, honest: string, change: (tree: Map<string, string>) => void): string {
  const tree = new Map(
    world.bosun
      .git('ls-tree', honest)
      .split('\n')
      .map((line) => [line.split('\t')[1] ?? '', line]),
  );
  change(tree);
  const made = mktree(world, [...tree.values()]);
  return world.bosun.git('commit-tree', made, '-p', `${honest}~1`, '-m', 'forged');
}

export function mktree({ bosun }: Pick<World, 'bosun'>, lines: readonly string[]): string {
  const input = lines.map((line) => `${line}\n`).join('');
  return execFileSync('git', ['-C', bosun.root, 'mktree'], { input, encoding: 'utf8' }).trim();
}

export function blob({ bosun }: Pick<World, 'bosun'>, content: string): string {
  const args = ['-C', bosun.root, 'hash-object', '-w', '--stdin'];
  return execFileSync('git', args, { input: content, encoding: 'utf8' }).trim();
}
