// Creates a Telegram topic for a project; needs an owner, because it changes the configuration.
import { mayDo, type ProjectConfig, projectNamed } from '../../config/index.js';
import type { Plan } from '../../dispatch/index.js';
import { type MessageContext, roleIn, say, sayError } from './message-context.js';
import { livesAt, refusal } from './which-project.js';

/** Only a supergroup has topics, and only its general thread may create one. */
const general = /^tg:(-100\d+)$/;
const maxWaiting = 50;
/** How many failed deliveries are searched for a topic that was deleted. */
const maxFailures = 50;

export function topicOffers(heard: MessageContext, project: ProjectConfig) {
  const isPlace = general.test(heard.thread.id) && topicsIn(heard, project).every((topic) => isGone(heard, topic));
  if (!isPlace || !mayDo(roleIn(heard, project), 'configure')) return [];
  return [{ label: `Make a topic for ${project.name}`, says: `@topic ${project.name}` }];
}

/** Only Telegram knows whether an existing topic is still there; the request finds out when it runs. */
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
  const waiting = heard.now.wants.open();
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

/** null is the group itself. */
function topicsIn(heard: MessageContext, { chats }: ProjectConfig): readonly (number | null)[] {
  return chats.flatMap((one) => (one.channel === 'telegram' && String(one.chat) === chatOf(heard) ? [one.topic] : []));
}

/** Telegram announces no deleted topic, so a failed send is the only sign. */
function isGone({ now, thread }: MessageContext, topic: number | null): boolean {
  if (topic === null) return false;
  const place = `${thread.id}:${topic}`;
  const failures = now.deliveries.failed(maxFailures);
  return failures.some(
    ({ message, problem }) => message.thread === place && /thread not found|TOPIC_(DELETED|ID_INVALID)/i.test(problem),
  );
}
