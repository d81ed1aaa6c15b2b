import { createHash } from 'node:crypto';
import { endProcessesOf, runProcess } from '../../agents/index.js';
import { plainEnvironment } from '../../base/index.js';
import type { ProjectConfig } from '../../config/index.js';
import { isFit, linkShared, noteFit } from '../../workspace/index.js';

export interface WorktreeSetup {
  readonly root: string;
  readonly folder: string;
  readonly settings: ProjectConfig['worktree'];
  readonly name: string;
}

export type WorktreeReady =
  | { readonly kind: 'fit'; readonly note: string | null }
  /** `why` ends with the output's last lines. */
  | { readonly kind: 'failed'; readonly why: string };

const setupMs = 15 * 60_000;
const killGraceMs = 5_000;
const tailChars = 2_000;

export async function prepareWorktree(
  { root, folder, settings, name }: WorktreeSetup,
  limitMs = setupMs,
  signal: AbortSignal = new AbortController().signal,
): Promise<WorktreeReady> {
  const note = await linkShared(root, folder, settings.link);
  const line = settings.setup?.trim();
  if (!line || (await isFit(folder, line))) return { kind: 'fit', note };
  const token = `setup-${createHash('sha256').update(`${name}\n${folder}`).digest('hex').slice(0, 24)}`;
  // A Bosun that died may have left its setup running.
  await endProcessesOf([token]);
  let printed = '';
  const end = await runProcess(
    {
      argv: ['sh', '-c', line],
      cwd: folder,
      env: { ...plainEnvironment(process.env), BOSUN_ROOT: root, BOSUN_WORKDIR: folder, BOSUN_TOKEN: token },
      input: '',
      mark: `BOSUN_TOKEN=${token}`,
      attemptMark: null,
      timeoutMs: limitMs,
      killGraceMs,
      now: Date.now,
    },
    {
      signal,
      onStart: () => undefined,
      onText: (_stream, text) => {
        printed = `${printed}${text}`.slice(-2 * tailChars);
      },
      onExpiring: () => undefined,
      onDeadline: () => undefined,
    },
  );
  if (end.exit === 0) {
    await noteFit(folder, line);
    return { kind: 'fit', note };
  }
  const how =
    end.killed === 'timeout' ? `took longer than ${Math.ceil(limitMs / 60_000)} min` : `ended with exit ${end.exit}`;
  const tail = end.fault?.message ?? printed.trim().slice(-tailChars);
  return {
    kind: 'failed',
    why: `Cannot use the worktree ${folder}: its setup "${line}" ${how}\n${tail}`.trim(),
  };
}
