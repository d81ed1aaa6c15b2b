// Security: problems never quote the address, in which a password may be anywhere.
import { z } from 'zod';

const maxChars = 4096;

export const redisAddress = z
  .string()
  .trim()
  .max(maxChars, 'is too long')
  .superRefine((said, context) => {
    const problem = problemIn(said);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

const spelling = 'has special characters in its user name or password: write them as % and two hex digits';
const examples = '(/ is %2F, # is %23, ? is %3F, @ is %40, % is %25)';

/** Null: valid. */
function problemIn(said: string): string | null {
  const [, rest = null] = /^rediss?:\/\/(.*)$/is.exec(said) ?? [];
  if (rest === null) return 'must be an address that begins with redis:// or rediss://';
  if (/[\s\p{Cc}]/u.test(rest)) return 'must be an address without spaces';
  const [authority = ''] = rest.split(/[/?#]/, 1);
  // An @ after the host: the login has an unescaped /, ? or #.
  if (rest.slice(authority.length).includes('@')) return `${spelling} ${examples}`;
  const at = authority.lastIndexOf('@');
  const [login, host] = [authority.slice(0, Math.max(0, at)), authority.slice(at + 1)];
  if (!isEncoded(login)) return `${spelling} ${examples}`;
  const [, name = '', port = null] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(host) ?? [];
  if (name === '') return 'must include a host, such as redis://127.0.0.1:6379';
  if (port !== null && !isPort(port)) return 'must have a port from 1 to 65535';
  return (
    problemBehind(rest.slice(authority.length)) ??
    (URL.canParse(said) ? null : 'must be an address such as redis://127.0.0.1:6379')
  );
}

function problemBehind(tail: string): string | null {
  if (tail.includes('#')) return `must end with its database number, without #; ${examples}`;
  const [path = ''] = tail.split('?', 1);
  return /^(?:\/\d{0,9})?$/.test(path) ? null : 'must give its database as a number, such as redis://127.0.0.1:6379/0';
}

function isPort(said: string): boolean {
  return /^\d{1,5}$/.test(said) && Number(said) >= 1 && Number(said) <= 65_535;
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
