// Skill calls (`maestro-verify 1`) without shell syntax.

const skillName = /^[a-z][a-z0-9]{0,40}(?:[-:_][a-z0-9]{1,40}){0,8}$/;
/** Would end or extend a command if the call were pasted into a shell. */
const metacharacter = /[;|&`<>\\\r\n\0]|\$[({]/;

/** Placeholders are data and reach no shell. */
export function whyInvalidCall(name: string, args: string): string | null {
  if (!skillName.test(name)) return `Invalid skill_call: "${name.slice(0, 60)}" is no name of a skill`;
  const own = args.replaceAll(/\{\{[^{}]*\}\}/g, 'x');
  const found = metacharacter.exec(own)?.[0];
  if (found !== undefined) return `Invalid skill_call: ${JSON.stringify(found)} in the arguments of ${name}`;
  const isOpen = (own.match(/"/g)?.length ?? 0) % 2 === 1;
  return isOpen ? `Invalid skill_call: a quote in the arguments of ${name} is never closed` : null;
}
