// Finds rule changes while a step ran, in project and worktree.
import { isAbsolute, join, relative } from 'node:path';
import { type AcceptedRules, acceptedRules, noRules } from './accepted.js';
import { readRuleFiles, stepRulesPath, workflowsFolder } from './rule-files.js';

/** By path in the working directory; a worktree adds the project's, with absolute paths. */
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

/** As if no accepted rule had been touched. */
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
    // The next run reports it; until then nothing is accepted.
    return noRules;
  }
}

/** Leaves out files whose new form has been accepted since. */
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
