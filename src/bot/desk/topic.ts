// A topic of its own for a project, in a group that has topics. It changes the configuration, so it takes an owner.
import { mayDo, type Plan, type ProjectConfig, projectNamed } from '../../dispatch/index.js';
import { type Heard, roleIn, say, sayError } from './heard.js';
import { livesAt, refusal } from './which-project.js';

/** Only a large group can have topics, and only outside of them is another one made. */
const general = /^tg:(-100\d+)$/;

export function topicOffers(heard: Heard, project: ProjectConfig) {
  const isPlace = general.test(heard.thread.id) && !livesIn(project, chatOf(heard));
  if (!isPlace || !mayDo(roleIn(heard, project), 'configure')) return [];
  return [{ label: `Make a topic for ${project.name}`, says: `@topic ${project.name}` }];
}

export function makeTopic(heard: Heard, name: string): Plan {
  const project = projectNamed(heard.config, name);
  if (project === null || roleIn(heard, project) === null) return sayError(heard, `No project "${name}".`);
  const refused = refusal(heard, project, 'configure');
  if (refused) return refused;
  if (!general.test(heard.thread.id))
    return sayError(heard, 'A topic is made in a group that has topics, outside of them.');
  if (livesAt(heard.config, heard.thread.id).includes(project.name) || livesIn(project, chatOf(heard))) {
    return sayError(heard, `${project.name} has its place in this group already.`);
  }
  const wants = { type: 'topic', chat: chatOf(heard), project: project.name, thread: heard.thread.id } as const;
  return { ...say(heard, { kind: 'ack', text: `Making a topic for ${project.name} …` }), wants };
}

function chatOf({ thread }: Heard): string {
  return general.exec(thread.id)?.[1] ?? '';
}

function livesIn({ chats }: ProjectConfig, chat: string): boolean {
  return chats.some((one) => one.channel === 'telegram' && String(one.chat) === chat);
}
