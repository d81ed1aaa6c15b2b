// A call of a skill, `maestro-verify 1`: a name and arguments that no shell could read as anything else.

const skillName = /^[a-z][a-z0-9]{0,40}(?:[-:_][a-z0-9]{1,40}){0,8}$/;
/** What would end or extend a command where somebody pasted the call into a shell. */
const metacharacter = /[;|&`<>\\\r\n\0]|\$[({]/;

/**
 * Why a call cannot be carried out, or null. `args` is a template: what its placeholders bring is data, which is handed
 * over as it is and meets no shell.
 */
export function whyInvalidCall(name: string, args: string): string | null {
  if (!skillName.test(name)) return `Invalid skill_call: "${name.slice(0, 60)}" is no name of a skill`;
  const own = args.replaceAll(/\{\{[^{}]*\}\}/g, 'x');
  const found = metacharacter.exec(own)?.[0];
  if (found !== undefined) return `Invalid skill_call: ${JSON.stringify(found)} in the arguments of ${name}`;
  const isOpen = (own.match(/"/g)?.length ?? 0) % 2 === 1;
  return isOpen ? `Invalid skill_call: a quote in the arguments of ${name} is never closed` : null;
}
