// The server has its agent's rights, so the path checks only guard against mistaken links.
import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentFiles, FileAccess } from '../../jobs/asks/index.js';

type Environment = Readonly<Record<string, string | undefined>>;

export function filesIn(env: Environment): AgentFiles | null {
  const { BOSUN_HANDOFF_FILE: handoff, BOSUN_SCRATCH_FILE: scratch, BOSUN_ITEM_SCRATCH_FILE: itemScratch } = env;
  if (!handoff || !scratch || !itemScratch) return null;
  const progress = env['BOSUN_PROGRESS_FILE'] || null;
  const { BOSUN_STEP: step = '', BOSUN_ATTEMPT: attempt = '' } = env;
  return { handoff, scratch, itemScratch, progress, step, attempt };
}

export const plainFiles: FileAccess = {
  read: (path) => {
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return null;
    if (!facts.isFile()) throw new Error(`${path} is no plain file`);
    return readFileSync(path, 'utf8');
  },
  write: (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    if (realpathSync(dirname(path)) !== dirname(path) && lstatSync(dirname(path)).isSymbolicLink()) {
      throw new Error(`${dirname(path)} is a link`);
    }
    const draft = `${path}.${process.pid}.tmp`;
    try {
      writeFileSync(draft, text, { flag: 'wx' });
      renameSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  },
};
