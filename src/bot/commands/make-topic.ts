import { type ChannelConfigKind, mayDo, type ProjectConfig, projectNamed } from '../../config/index.js';
import { type Plan, withEffects } from '../../dispatch/index.js';
import { view } from '../views/view.js';
import { type MessageContext, roleIn, say, sayError } from './message-context.js';
import { livesAt, refusal } from './which-project.js';

const maxWaiting = 50;
const maxFailures = 50;

export function topicOffers(ctx: MessageContext, project: ProjectConfig) {
  const group = groupOf(ctx);
  if (group === null || !topicsIn(group, project).every((topic) => isGone(ctx, group, topic))) return [];
  if (!mayDo(roleIn(ctx, project), 'configure')) return [];
  return [{ label: `Make a topic for ${project.name}`, says: `@topic ${project.name}` }];
}

/** Only the platform knows if a topic still exists. */
export function makeTopic(ctx: MessageContext, name: string): Plan {
  const project = projectNamed(ctx.config, name);
  if (project === null || roleIn(ctx, project) === null) return sayError(ctx, `No project "${name}".`);
  const refused = refusal(ctx, project, 'configure');
  if (refused) return refused;
  const group = groupOf(ctx);
  if (group === null)
    return sayError(ctx, 'I can only create a topic from the General topic of a group that has topics.');
  if (livesAt(ctx.config, ctx.thread.id).includes(project.name)) {
    return sayError(ctx, `${project.name} already has its topic in this group.`);
  }
  const waiting = ctx.now.wants.open();
  if (waiting.some((one) => one.chat === group.chat && one.project === project.name)) {
    return say(ctx, view('ack', `I'm already creating a topic for ${project.name}.`));
  }
  if (waiting.length >= maxWaiting) return sayError(ctx, 'Too many topics are waiting to be created. Try again later.');
  const request = { type: 'topic', chat: group.chat, project: project.name, thread: ctx.thread.id } as const;
  return withEffects(say(ctx, view('ack', `Creating a topic for ${project.name} …`)), {
    type: 'want',
    request,
  });
}

interface Group {
  readonly kind: ChannelConfigKind;
  readonly chat: string;
}

function groupOf({ thread, config }: MessageContext): Group | null {
  const kind = config.channelKinds.find(({ name }) => name === thread.channel);
  const chat = kind?.topics?.hostOf(thread.id) ?? null;
  return kind === undefined || chat === null ? null : { kind, chat };
}

/** Null: the group itself. */
function topicsIn(group: Group, { chats }: ProjectConfig): readonly (number | null)[] {
  return chats.flatMap((one) =>
    one.channel === group.kind.name && String(one.chat) === group.chat ? [one.topic] : [],
  );
}

function isGone({ now }: MessageContext, { kind, chat }: Group, topic: number | null): boolean {
  if (topic === null) return false;
  const thread = kind.boundThread({ channel: kind.name, chat, topic });
  const failures = now.deliveries.failed(maxFailures);
  return failures.some(({ message, problem }) => message.thread === thread && kind.topics?.isGone(problem) === true);
}
