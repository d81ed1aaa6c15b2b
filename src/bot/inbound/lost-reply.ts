// A reply to a message of Bosun's that nobody finds any more: what it is about cannot be guessed from where it stands.
import type { ProjectConfig } from '../../config/index.js';
import { understand } from '../grammar/index.js';

export const lostReplyText =
  'I do not know that message any more, and did nothing: name the project, or what you mean by its code.';

/** Whether a text says what it is about without the message that it replies to. */
export function standsAlone(text: string, projects: readonly ProjectConfig[]): boolean {
  const { verb, project, code } = understand(text, projects);
  return verb !== null && (project !== null || code !== null || ofNoProject.has(verb));
}

const ofNoProject: ReadonlySet<string> = new Set(['projects', 'inbox', 'whoami', 'help', 'use', 'quiet', 'verbose']);
