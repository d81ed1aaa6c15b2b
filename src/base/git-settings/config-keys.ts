// Security: accepts only config files as git itself writes them, so that both read the same.

/** Key → values in order; null: any other form. */
export type ConfigKeys = ReadonlyMap<string, readonly string[]>;

const sectionLine = /^\[([A-Za-z0-9.-]+)(?: "((?:[^"\\]|\\["\\])*)")?\]$/;
const keyLine = /^([A-Za-z][A-Za-z0-9-]*)(?:\s*=\s*([^\n]*))?$/;

export function readConfigKeys(text: string): ConfigKeys | null {
  const keys = new Map<string, string[]>();
  let section: string | null = null;
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\r$/, '').trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    if (line.endsWith('\\')) return null;
    const head = sectionLine.exec(line);
    if (head !== null) {
      section = head[2] === undefined ? String(head[1]).toLowerCase() : `${String(head[1]).toLowerCase()}.${head[2]}`;
      continue;
    }
    const pair = keyLine.exec(line);
    if (pair === null || section === null) return null;
    const key = `${section}.${String(pair[1]).toLowerCase()}`;
    keys.set(key, [...(keys.get(key) ?? []), pair[2] ?? 'true']);
  }
  return keys;
}

/** Git and git-lfs write these in ordinary work; they start no program. */
const harmless = /^(branch\.|lfs\.repositoryformatversion$|lfs\..*\.access$)/;

/** The changed keys that matter; null: not parsable. */
export function changedKeys(before: string, after: string): readonly string[] | null {
  const [old, now] = [readConfigKeys(before), readConfigKeys(after)];
  if (old === null || now === null) return null;
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => !harmless.test(name));
  return names.filter((name) => (old.get(name) ?? []).join('\0') !== (now.get(name) ?? []).join('\0'));
}

/** The middle may be a URL with a password. */
export function shownKey(key: string): string {
  const [section = '', ...rest] = key.split('.');
  const name = rest.pop() ?? '';
  const middle = rest.join('.');
  if (middle === '') return `${section}.${name}`;
  return /[:/@]/.test(middle) ? `${section}.….${name}` : `${section}.${middle}.${name}`;
}
