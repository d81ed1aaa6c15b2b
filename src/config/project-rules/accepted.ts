// Full texts of accepted rules, in the home, where agents do not write.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { BosunError, replaceFile } from '../../base/index.js';
import { hashOfText, type RuleFiles } from './rule-files.js';

const accepted = z.strictObject({ text: z.string(), hash: z.string(), by: z.string(), at: z.number() });
const schema = z.strictObject({ root: z.string(), files: z.record(z.string(), accepted) });

export type AcceptedFile = Readonly<z.infer<typeof accepted>>;
export type AcceptedRules = ReadonlyMap<string, AcceptedFile>;

export const noRules: AcceptedRules = new Map();

/** Drops texts that do not match their hash. */
export function acceptedRules(home: string, root: string): AcceptedRules {
  const path = pathOf(home, root);
  if (!existsSync(path)) return noRules;
  const read = schema.safeParse(jsonOf(path));
  if (!read.success)
    throw new BosunError('bad_config', `${path} is damaged: it does not contain accepted rules`, {
      hint: 'Restore it from a backup, or delete it and accept the rules again: bosun rules accept PROJECT.',
    });
  return new Map(Object.entries(read.data.files).filter(([, { text, hash }]) => hashOfText(text) === hash));
}

/** Unusable files keep their last accepted text. */
export function acceptRules(home: string, root: string, files: RuleFiles, who: { by: string; at: number }): void {
  const before = acceptedRules(home, root);
  const kept = [...files].flatMap(([path, { text, hash }]) => {
    if (text === null) return [];
    const known = before.get(path);
    return [[path, known?.hash === hash ? known : { text, hash, ...who }] as const];
  });
  const path = pathOf(home, root);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFile(path, `${JSON.stringify({ root, files: Object.fromEntries(kept) }, null, 1)}\n`);
  } catch (cause) {
    throw new BosunError('disk', `Cannot write the accepted rules to ${path}`, {
      hint: 'Check that the disk is not full and that the folder is writable.',
      cause,
    });
  }
}

/** Another project at the same path shows as changed. */
function pathOf(home: string, root: string): string {
  return join(home, 'rules', `${createHash('sha256').update(root).digest('hex').slice(0, 16)}.json`);
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
