// Turns an agent's proposal into a valid name (git help check-ref-format).
const maxChars = 100;

export function branchNameFrom(proposed: string): string | null {
  const plain = proposed.trim().split(/\r?\n/, 1)[0]?.normalize('NFKD').replace(/\p{M}/gu, '') ?? '';
  const bare = plain.replace(/^[`'"]+|[`'"]+$/g, '').replace(/^refs\/heads\//, '');
  const parts = bare
    .replace(/[^A-Za-z0-9._/-]+/g, '-')
    .slice(0, maxChars)
    .split('/')
    .map(partOf)
    .filter((part) => part !== '');
  const name = parts.join('/');
  return name === '' || name === 'HEAD' || parts[0] === 'refs' ? null : name;
}

/** A leading dash would read as an option. */
function partOf(part: string): string {
  const inner = part.replace(/\.{2,}/g, '.').replace(/^[.-]+/, '');
  return inner.replace(/(?:\.lock|[.-])+$/i, '');
}
