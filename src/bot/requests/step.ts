// What agents outside ask for: the step that is due in a project, and to report on one that they were given.

import { localPerson, permit, projectNamed } from '../../config/index.js';
import { BosunError } from '../../dispatch/index.js';
import type { Desk } from '../services.js';
import type { Answered, Request } from './request.js';

type Step = Extract<Request, { do: 'step' }>;

export async function takeStep(desk: Desk, request: Step): Promise<Answered> {
  const { act, token, text } = request;
  const project = act === 'claim' ? await claim(desk, request) : null;
  if (act === 'complete') await desk.room.settleOutside(token ?? '', { report: text });
  if (act === 'fail') await desk.room.settleOutside(token ?? '', { error: text });
  return { messages: [], project, exit: 0 };
}

async function claim(desk: Desk, { project: named, role, claim: mark, as }: Step): Promise<string> {
  const config = desk.config();
  const project = projectNamed(config, named ?? '');
  if (!project || mark === null) throw new BosunError('not_found', `No project "${named ?? ''}" to claim a step of`);
  const allowed = permit(config, project.name, localPerson(config, as), 'continue');
  if (allowed.kind === 'refused') throw new BosunError('not_allowed', allowed.reason);
  await desk.room.claimOutside({ project: project.name, role, claim: mark });
  return project.name;
}
