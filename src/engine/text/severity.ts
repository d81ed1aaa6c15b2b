const severityWords: readonly (readonly [words: RegExp, severity: string])[] = [
  [/^(critical|blocker|blocking|p0)$/, 'critical'],
  [/^(high|major|severe|p1)$/, 'high'],
  [/^(medium|moderate|minor|p2)$/, 'medium'],
  [/^(low|cosmetic|trivial|info|none|p3)$/, 'low'],
];

export function severityOf(word: string): string | null {
  const text = word.trim().toLowerCase();
  return severityWords.find(([words]) => words.test(text))?.[1] ?? null;
}
