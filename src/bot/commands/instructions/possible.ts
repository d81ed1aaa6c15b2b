// Security: the intent program chooses from this closed set, and nothing else becomes a button.
import type { ProjectConfig } from '../../../config/index.js';
import { maxInstructionLength } from '../../grammar/index.js';
import type { MessageContext } from '../message-context.js';
import { namesFor, understand } from '../which-project.js';
import { proposeInstruction, stepOffers, taskOffers } from './instruct.js';

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly says: string;
}

const maxProjects = 5;
const maxLabelChars = 60;

export function choicesFor(ctx: MessageContext, text: string): readonly Choice[] {
  const names = namesFor(ctx);
  const isUnclear = text.trim() !== '' && text.length <= maxInstructionLength && understand(ctx, text).verb === null;
  if (!isUnclear || proposeInstruction(ctx, text) !== null) return [];
  const offers = names.slice(0, maxProjects).flatMap((project) => offersOf(ctx, project, text.trim()));
  return offers.map(({ label, says }, index) => ({ id: `p${index + 1}`, label: label.slice(0, maxLabelChars), says }));
}

function offersOf(ctx: MessageContext, project: ProjectConfig, text: string) {
  const { name } = project;
  const proposed = ctx.verbs.grammar.rows.filter(({ isProposed }) => isProposed).map(({ verb }) => `${verb} ${name}`);
  const tasks = [...stepOffers(ctx, project), ...taskOffers(ctx, project, text)];
  return [
    ...proposed.map((says) => ({ label: says, says })),
    ...tasks.map(({ label, says }) => ({ label: `${name}: ${label}`, says })),
  ];
}
