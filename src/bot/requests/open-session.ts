// `bosun open`: the run waits for the session's end.
import { hostname } from 'node:os';
import { BosunError } from '../../base/index.js';
import { homeOwner, localSource, type Surface } from '../../config/index.js';
import { emptyPlan } from '../../dispatch/index.js';
import { newThread } from '../commands/message-context.js';
import type { BotServices } from '../services.js';
import type { Request, RequestResult } from './request.js';

type Open = Extract<Request, { do: 'open' }>;

export async function openSession(services: BotServices, request: Open, surface: Surface): Promise<RequestResult> {
  const { run, chain, node, key, processes, host, thread, as } = request;
  // A session has the rights of the home's owner.
  if (as !== null || surface !== localSource)
    throw new BosunError('not_allowed', 'Only the owner of this Bosun may open sessions, on its own computer');
  if (host !== hostname()) {
    throw new BosunError('not_allowed', `Bosun runs on ${hostname()} and cannot see processes of ${host}`, {
      hint: 'Open the session there, or print its command with --print.',
    });
  }
  const submitted = await services.runtime.submit((now) => ({
    ...emptyPlan,
    events: [{ type: 'session_opened', run, chain, at: now.at, by: homeOwner, node, key, processes }],
    effects: newThread(now.reader, thread),
  }));
  const [why] = submitted.ignored;
  if (why)
    throw new BosunError('not_now', `The session cannot be opened: ${why}`, { hint: `See "bosun show ${run}".` });
  const messages = submitted.messages.filter((one) => one.thread === thread);
  return { messages, project: services.runtime.reader.run(run)?.project ?? null, exit: 0 };
}
