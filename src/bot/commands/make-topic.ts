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

export function topicOffers(ctx: MessageContext, project: ProjectConfig) {
  const isPlace = general.test(ctx.thread.id) && topicsIn(ctx, project).every((topic) => isGone(ctx, topic));
  if (!isPlace || !mayDo(roleIn(ctx, project), 'configure')) return [];
  return [{ label: `Make a topic for ${project.name}`, says: `@topic ${project.name}` }];
}

/** Only Telegram knows whether an existing topic is still there; the request finds out when it runs. */
export function makeTopic(ctx: MessageContext, name: string): Plan {
  const project = projectNamed(ctx.config, name);
  if (project === null || roleIn(ctx, project) === null) return sayError(ctx, `No project "${name}".`);
  const refused = refusal(ctx, project, 'configure');
  if (refused) return refused;
  if (!general.test(ctx.thread.id))
    return sayError(ctx, 'A topic is made in a group that has topics, outside of them.');
  if (livesAt(ctx.config, ctx.thread.id).includes(project.name)) {
    return sayError(ctx, `${project.name} has its place in this group already.`);
  }
  const waiting = ctx.now.wants.open();
  if (waiting.some((one) => one.chat === chatOf(ctx) && one.project === project.name)) {
    return say(ctx, { kind: 'ack', text: `A topic for ${project.name} is being made already.` });
  }
  if (waiting.length >= maxWaiting) return sayError(ctx, 'Too many topics wait to be made. Try again later.');
  const wants = { type: 'topic', chat: chatOf(ctx), project: project.name, thread: ctx.thread.id } as const;
  return { ...say(ctx, { kind: 'ack', text: `Making a topic for ${project.name} …` }), wants };
}

function chatOf({ thread }: MessageContext): string {
  return general.exec(thread.id)?.[1] ?? '';
}

/** null is the group itself. */
function topicsIn(ctx: MessageContext, { chats }: ProjectConfig): readonly (number | null)[] {
  return chats.flatMap((one) => (one.channel === 'telegram' && String(one.chat) === chatOf(ctx) ? [one.topic] : []));
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
