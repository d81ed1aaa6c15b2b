import { overlap } from '../text/globs.js';
import type { Complexity, Team } from '../workflow/definition.js';

/** With fewer parallel parts a team does not pay off. */
const minParallelPieces = 2;

export function dispatchMode(
  team: Team,
  item: { readonly complexity: Complexity | null; readonly parallelTags: number },
): 'single' | 'team' {
  const { S, M, L } = team.mode;
  const always = S === M && M === L ? S : 'single';
  const mode = item.complexity === null ? always : team.mode[item.complexity];
  if (mode !== 'auto') return mode;
  return item.parallelTags >= minParallelPieces ? 'team' : 'single';
}

/** In declared order; overlapping files force a later turn. */
export function teamTurns(team: Team): readonly { readonly role: string; readonly turn: number }[] {
  const seated: { readonly role: string; readonly turn: number; readonly writes: readonly string[] }[] = [];
  for (const [role, { writes }] of Object.entries(team.roles)) {
    const before = seated.filter((other) => overlap(other.writes, writes)).map((other) => other.turn);
    seated.push({ role, writes, turn: Math.max(-1, ...before) + 1 });
  }
  return seated.map(({ role, turn }) => ({ role, turn }));
}
