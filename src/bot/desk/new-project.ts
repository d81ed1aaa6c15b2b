import type { Plan } from '../../dispatch/index.js';
import type { Instruction } from '../grammar/index.js';
import { type Heard, sayError } from './heard.js';

export function proposeNewProject(heard: Heard, _read: Extract<Instruction, { kind: 'new_project' }>): Plan {
  return sayError(heard, 'not yet');
}
