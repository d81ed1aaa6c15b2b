// Detects changes to the rules while a step ran, in the project's folder and in a worktree.
import { isAbsolute, join, relative } from 'node:path';
import { type AcceptedRules, acceptedRules, noRules } from './accepted.js';
import { readRuleFiles, stepRulesPath, workflowsFolder } from './rule-files.js';

/**
 * A hash per file, keyed by its path in the working directory; in a worktree, the project folder's files are added
 * under absolute paths.
 */
export type RuleMarks = Readonly<Record<string, string>>;

interface Places {
  readonly root: string;
  readonly workdir: string;
}

export function ruleMarks({ root, workdir }: Places): RuleMarks {
  const own = [...readRuleFiles(workdir)].map(([path, { hash }]) => [path, hash] as const);
  if (root === workdir || root === '') return Object.fromEntries(own);
  const there = [...readRuleFiles(root)].map(([path, { hash }]) => [join(root, path), hash] as const);
  return Object.fromEntries([...own, ...there]);
}

/** The marks as if nothing that an owner accepted had been touched; other files count as they are. */
export function acceptedMarks(places: Places, home: string): RuleMarks {
  const { root, workdir } = places;
  const watched = [...acceptedOrNone(home, root)].filter(
    ([path]) => path === stepRulesPath || path.startsWith(`${workflowsFolder}/`),
  );
  const accepted = watched.map(([path, { hash }]) => [root === workdir ? path : join(root, path), hash] as const);
  return { ...ruleMarks(places), ...Object.fromEntries(accepted) };
}

function acceptedOrNone(home: string, root: string): AcceptedRules {
  try {
    return acceptedRules(home, root);
  } catch {
    // The next run reports the problem; until then nothing counts as accepted.
    return noRules;
  }
}

/** The files that changed, except those that an owner has since accepted in their new form. */
export function touchedRules(before: RuleMarks, places: Places, home: string | null): readonly string[] {
  const now = ruleMarks(places);
  const accepted = home === null ? noRules : acceptedOrNone(home, places.root);
  const paths = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return paths.filter((path) => {
    const name = isAbsolute(path) ? relative(places.root, path) : path;
    const isAccepted = now[path] !== undefined && accepted.get(name)?.hash === now[path];
    return before[path] !== now[path] && !isAccepted;
  });
}
