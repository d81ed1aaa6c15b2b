// Whether a step is for one executor or for several at once, and which of them may work side by side.
import { overlap } from '../text/globs.js';
import type { Complexity, Team } from '../workflow/definition.js';

/** From this many pieces that may be done side by side a team is worth its while. */
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

/** Roles in the order in which they are declared; one comes after every earlier one that writes where it writes. */
export function teamTurns(team: Team): readonly { readonly role: string; readonly turn: number }[] {
  const seated: { readonly role: string; readonly turn: number; readonly writes: readonly string[] }[] = [];
  for (const [role, { writes }] of Object.entries(team.roles)) {
    const before = seated.filter((other) => overlap(other.writes, writes)).map((other) => other.turn);
    seated.push({ role, writes, turn: Math.max(-1, ...before) + 1 });
  }
  return seated.map(({ role, turn }) => ({ role, turn }));
}
