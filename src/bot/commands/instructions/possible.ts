// Everything that Bosun may propose for a sentence that it does not understand: the closed set that a configured program
// chooses from, and nothing else ever becomes a button.
import type { ProjectConfig } from '../../../config/index.js';
import { MAX_INSTRUCTION_LENGTH, parse } from '../../grammar/index.js';
import type { MessageContext } from '../message-context.js';
import { namesFor } from '../which-project.js';
import { proposeInstruction, stepOffers, taskOffers } from './instruct.js';

export interface Choice {
  /** Within one list alone. */
  readonly id: string;
  readonly label: string;
  /** What its button says. */
  readonly says: string;
}

const maxProjects = 5;
const maxLabelChars = 60;

/** None where the sentence is understood without it. */
export function choicesFor(heard: MessageContext, text: string): readonly Choice[] {
  const names = namesFor(heard);
  const isUnclear = text.trim() !== '' && text.length <= MAX_INSTRUCTION_LENGTH && parse(text, names).verb === null;
  if (!isUnclear || proposeInstruction(heard, text) !== null) return [];
  const offers = names.slice(0, maxProjects).flatMap((project) => offersOf(heard, project, text.trim()));
  return offers.map(({ label, says }, index) => ({ id: `p${index + 1}`, label: label.slice(0, maxLabelChars), says }));
}

function offersOf(heard: MessageContext, project: ProjectConfig, text: string) {
  const { name } = project;
  const reads = ['continue', 'status', 'stories', 'why'].map((verb) => `${verb} ${name}`);
  const tasks = [...stepOffers(heard, project), ...taskOffers(heard, project, text)];
  return [
    ...reads.map((says) => ({ label: says, says })),
    ...tasks.map(({ label, says }) => ({ label: `${name}: ${label}`, says })),
  ];
}
