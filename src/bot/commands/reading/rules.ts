// A project's own rules in chat: which are not in force, and an owner's consent to exactly what was shown.
import { dirname } from 'node:path';
import {
  acceptRules,
  changedNames,
  mayDo,
  type ProjectConfig,
  projectNamed,
  projectRules,
  rulesDiff,
} from '../../../config/index.js';
import type { Plan } from '../../../dispatch/index.js';
import type { NewMessage } from '../../../store/index.js';
import { view } from '../../views/view.js';
import { answer, type MessageContext, roleIn, say, sayError } from '../message-context.js';
import { refusal } from '../which-project.js';

/** Tells everyone; only an owner gets the button that leads to accepting. */
export function pendingRules(heard: MessageContext, project: ProjectConfig): NewMessage {
  const { changes } = rulesOf(heard, project);
  const text = `${project.name}: rules in the project are not in force, an owner must accept them: ${changedNames(changes)}.`;
  const role = roleIn(heard, project);
  const isOwner = role !== null && mayDo(role, 'configure');
  const offers = isOwner ? [{ label: 'Show the rules', says: `@rules ${project.name}` }] : [];
  return answer(heard, view({ kind: 'report', text, offers }));
}

export function showRules(heard: MessageContext, name: string): Plan {
  const project = projectNamed(heard.config, name);
  if (!project) return sayError(heard, `No project "${name}".`);
  const refused = refusal(heard, project, 'configure');
  if (refused !== null) return refused;
  const { changes, id } = rulesOf(heard, project);
  if (changes.length === 0) return say(heard, { kind: 'answer', text: `${project.name}: all its rules are in force.` });
  const text = `${project.name}: these changes of its rules are not in force. Shell lines in them run as Bosun's user.\n\n${rulesDiff(changes)}`;
  const offers = [{ label: 'Accept these rules', says: `@accept-rules ${project.name} ${id}` }];
  return say(heard, { kind: 'answer', text, offers });
}

/** `id` identifies what was shown; changed rules are shown again instead of accepted. */
export function acceptShownRules(heard: MessageContext, name: string, id: string): Plan {
  const project = projectNamed(heard.config, name);
  if (!project) return sayError(heard, `No project "${name}".`);
  const refused = refusal(heard, project, 'configure');
  if (refused !== null) return refused;
  const rules = rulesOf(heard, project);
  if (rules.changes.length === 0 || rules.id !== id) return showRules(heard, name);
  acceptRules(homeOf(heard), project.root, rules.files, { by: heard.by, at: heard.now.at });
  const text = `${project.name}: accepted, in force for runs that are proposed from now on: ${changedNames(rules.changes)}.`;
  return say(heard, { kind: 'answer', text });
}

function rulesOf(heard: MessageContext, { root, workflow }: ProjectConfig) {
  return projectRules(homeOf(heard), { root, workflow });
}

function homeOf({ config }: MessageContext): string {
  return dirname(config.path);
}
