// A topic of its own for a project, in a group that has topics. It changes the configuration, so it takes an owner.
import { mayDo, type ProjectConfig, projectNamed } from '../../config/index.js';
import type { Plan } from '../../dispatch/index.js';
import { type MessageContext, roleIn, say, sayError } from './message-context.js';
import { livesAt, refusal } from './which-project.js';

/** Only a large group can have topics, and only outside of them is another one made. */
const general = /^tg:(-100\d+)$/;
const maxWaiting = 50;
/** Of what could not be delivered, so much is looked through for a topic that is gone. */
const maxFailures = 50;

export function topicOffers(heard: MessageContext, project: ProjectConfig) {
  const isPlace = general.test(heard.thread.id) && topicsIn(heard, project).every((topic) => isGone(heard, topic));
  if (!isPlace || !mayDo(roleIn(heard, project), 'configure')) return [];
  return [{ label: `Make a topic for ${project.name}`, says: `@topic ${project.name}` }];
}

/** Whether a topic that it has is still there only the platform knows: that is found out when its turn comes. */
export function makeTopic(heard: MessageContext, name: string): Plan {
  const project = projectNamed(heard.config, name);
  if (project === null || roleIn(heard, project) === null) return sayError(heard, `No project "${name}".`);
  const refused = refusal(heard, project, 'configure');
  if (refused) return refused;
  if (!general.test(heard.thread.id))
    return sayError(heard, 'A topic is made in a group that has topics, outside of them.');
  if (livesAt(heard.config, heard.thread.id).includes(project.name)) {
    return sayError(heard, `${project.name} has its place in this group already.`);
  }
  const waiting = heard.now.store.wants.open();
  if (waiting.some((one) => one.chat === chatOf(heard) && one.project === project.name)) {
    return say(heard, { kind: 'ack', text: `A topic for ${project.name} is being made already.` });
  }
  if (waiting.length >= maxWaiting) return sayError(heard, 'Too many topics wait to be made. Try again later.');
  const wants = { type: 'topic', chat: chatOf(heard), project: project.name, thread: heard.thread.id } as const;
  return { ...say(heard, { kind: 'ack', text: `Making a topic for ${project.name} …` }), wants };
}

function chatOf({ thread }: MessageContext): string {
  return general.exec(thread.id)?.[1] ?? '';
}

/** Of a project in this group; null: the group itself. */
function topicsIn(heard: MessageContext, { chats }: ProjectConfig): readonly (number | null)[] {
  return chats.flatMap((one) => (one.channel === 'telegram' && String(one.chat) === chatOf(heard) ? [one.topic] : []));
}

/** Nobody tells a bot that a topic was deleted; it learns so when it writes there. */
function isGone({ now, thread }: MessageContext, topic: number | null): boolean {
  if (topic === null) return false;
  const place = `${thread.id}:${topic}`;
  const failures = now.store.deliveries.failed(maxFailures);
  return failures.some(
    ({ message, problem }) => message.thread === place && /thread not found|TOPIC_(DELETED|ID_INVALID)/i.test(problem),
  );
}
