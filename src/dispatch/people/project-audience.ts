// For a project's questions: people who may answer, their threads, quiet hours.

import { type Config, memberRole, nameInConfig, projectWithName, type Role } from '../../config/index.js';
import { placeOf } from '../../store/index.js';
import type { ProjectAudience } from '../plans/presenter.js';
import { quietUntil } from './quiet-hours.js';
import { type DirectRows, isConnected, privateThreads } from './subscribers.js';

export function projectAudience(
  config: Config,
  name: string,
  at: number,
  opensSession: ProjectAudience['opensSession'],
  rows: DirectRows | null = null,
): ProjectAudience | null {
  const project = projectWithName(config, name);
  if (project === null) return null;
  const members = Object.entries(project.members).map(([member, role]: [string, Role]) => {
    const person = config.people.find((one) => one.name === member);
    return { name: member, role, isGroup: person !== undefined && person.group !== null };
  });
  return {
    members,
    isQuiet: quietUntil(project.quietHours, at) !== null,
    questionsRing: project.quietHours?.questionsRing === true || quietUntil(project.quietHours, at) === null,
    isCarried: (thread) => placeOf(config.channelKinds, thread) !== null,
    threadsOf: (person) => {
      const found = config.people.find((one) => one.name === person);
      if (found === undefined || memberRole(project, person) === null) return [];
      return privateThreads(config.channelKinds, found, rows)
        .filter(({ channel }) => isConnected(config, channel))
        .map(({ thread }) => thread);
    },
    isShared: (thread) => isSharedThread(config, thread),
    accountIn: (person, thread) => accountIn(config, person, thread),
    isPreferred: (person, thread) => {
      const prefers = config.people.find(({ name }) => name === nameInConfig(person))?.prefers ?? null;
      return prefers === null || placeOf(config.channelKinds, thread)?.channel === prefers;
    },
    asideFor: (person, thread) => asideThread(config, person, thread),
    asksPrivately: project.asksPrivately,
    opensSession,
  };
}

export function isSharedThread({ channelKinds }: Config, thread: string): boolean {
  const place = placeOf(channelKinds, thread);
  const kind = channelKinds.find(({ name }) => name === place?.channel);
  return (
    kind !== undefined && place?.address['only'] === undefined && !kind.isPrivateChat(place?.address['chat'] ?? '')
  );
}

function accountIn({ channelKinds, people }: Config, person: string, thread: string): string | null {
  const channel = placeOf(channelKinds, thread)?.channel ?? '';
  const found = people.find(({ name }) => name === nameInConfig(person));
  const [, one] = person.split('/');
  const group = found?.group?.channel === channel ? found.group.id : undefined;
  const account = found?.accounts[channel] ?? (group === undefined ? undefined : (one ?? group));
  return account === undefined ? null : String(account);
}

/** Shows a message in a shared chat to one person only; null: impossible. */
export function asideThread(config: Config, person: string, thread: string): string | null {
  const place = placeOf(config.channelKinds, thread);
  const kind = config.channelKinds.find(({ name }) => name === place?.channel);
  const account = accountIn(config, person, thread);
  const isOfGroup = config.people.some(({ name, group }) => name === person && group !== null);
  if (kind?.asideThread === undefined || account === null || isOfGroup || !isSharedThread(config, thread)) return null;
  return kind.asideThread(place?.address['chat'] ?? '', account);
}
