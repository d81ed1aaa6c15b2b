// Rules not in force, and an owner's consent to exactly the shown ones.
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

/** Only owners get the button. */
export function pendingRules(ctx: MessageContext, project: ProjectConfig): NewMessage {
  const { changes } = rulesOf(ctx, project);
  const text = `${project.name}: some rules in the project are not in force until an owner accepts them: ${changedNames(changes)}.`;
  const role = roleIn(ctx, project);
  const isOwner = role !== null && mayDo(role, 'configure');
  const offers = isOwner ? [{ label: 'Show the rules', says: `@rules ${project.name}` }] : [];
  return answer(ctx, view('report', text, offers));
}

export function showRules(ctx: MessageContext, name: string): Plan {
  const project = projectNamed(ctx.config, name);
  if (!project) return sayError(ctx, `No project "${name}".`);
  const refused = refusal(ctx, project, 'configure');
  if (refused !== null) return refused;
  const { changes, id } = rulesOf(ctx, project);
  if (changes.length === 0) return say(ctx, view('answer', `${project.name}: all its rules are in force.`));
  const text = `${project.name}: these changes to its rules are not in force. Their shell commands would run as Bosun's user.\n\n${rulesDiff(changes)}`;
  const offers = [{ label: 'Accept these rules', says: `@accept-rules ${project.name} ${id}` }];
  return say(ctx, view('answer', text, offers));
}

/** `id`: the shown rules; changed ones are shown again. */
export function acceptShownRules(ctx: MessageContext, name: string, id: string): Plan {
  const project = projectNamed(ctx.config, name);
  if (!project) return sayError(ctx, `No project "${name}".`);
  const refused = refusal(ctx, project, 'configure');
  if (refused !== null) return refused;
  const rules = rulesOf(ctx, project);
  if (rules.changes.length === 0 || rules.id !== id) return showRules(ctx, name);
  acceptRules(homeOf(ctx), project.root, rules.files, { by: ctx.by, at: ctx.now.at });
  const text = `${project.name}: accepted, and in force for runs proposed from now on: ${changedNames(rules.changes)}.`;
  return say(ctx, view('answer', text));
}

function rulesOf(ctx: MessageContext, { root, workflow }: ProjectConfig) {
  return projectRules(homeOf(ctx), { root, workflow });
}

function homeOf({ config }: MessageContext): string {
  return dirname(config.path);
}
