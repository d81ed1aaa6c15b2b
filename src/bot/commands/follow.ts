// Whoever drives a run hears of it from then on, in the place where he spoke. A channel of Slack hears of a run in one
// thread only: elsewhere in it people are told where that is.
import { type Plan, threadBeside } from '../../dispatch/index.js';
import { view } from '../views/view.js';
import { answer, type Heard } from './message-context.js';

export interface Followed {
  readonly id: string;
  readonly project: string;
}

export function follow(heard: Heard, { id: run, project }: Followed): Pick<Plan, 'follows' | 'messages' | 'threads'> {
  const { thread, now } = heard;
  if (thread.channel !== 'slack') return { follows: [{ run, thread: thread.id }] };
  const followers = now.followers(run);
  const beside = followers.includes(thread.id) ? null : threadBeside(thread.id, followers);
  // What is said here is meant for it, as long as nobody chose another project.
  const threads = thread.project === null ? [{ ...thread, project }] : [];
  if (beside === null) return { follows: [{ run, thread: thread.id }], threads };
  // In a chat of two nobody has to look for it.
  if (/^[DU]/.test(thread.address['chat'] ?? '')) return { threads };
  const shown = view({ kind: 'answer', text: `What becomes of ${run} is told in the thread where it is at home.` });
  return { messages: [answer(heard, shown, { card: `elsewhere:${run}` })], threads };
}
