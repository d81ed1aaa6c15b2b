// Handles a reply to a message that Bosun no longer knows: its subject cannot be guessed from the thread.
import type { ProjectConfig } from '../../config/index.js';
import { understand } from '../grammar/index.js';

export const lostReplyText =
  'I do not know that message any more, and did nothing: name the project, or what you mean by its code.';

/** Whether a text is clear without the message that it replies to. */
export function standsAlone(text: string, projects: readonly ProjectConfig[]): boolean {
  const { verb, project, code } = understand(text, projects);
  return verb !== null && (project !== null || code !== null || ofNoProject.has(verb));
}

const ofNoProject: ReadonlySet<string> = new Set(['projects', 'inbox', 'whoami', 'help', 'use', 'quiet', 'verbose']);
