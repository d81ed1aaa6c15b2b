// The people whom a project's questions concern: who may answer, their private threads, and whether quiet hours are on.

import { type Config, memberRole, type Role } from '../../config/index.js';
import { placedThread } from '../../store/index.js';
import type { ProjectAudience } from '../plans/presenter.js';
import { quietUntil } from './quiet-hours.js';
import { type DirectRows, directThread, privateThreads } from './subscribers.js';

export function projectAudience(
  config: Config,
  name: string,
  at: number,
  rows: DirectRows | null = null,
): ProjectAudience | null {
  const project = config.projects.find((one) => one.name === name);
  if (project === undefined) return null;
  const members = Object.entries(project.members).map(([member, role]: [string, Role]) => {
    const person = config.people.find((one) => one.name === member);
    return { name: member, role, isGroup: person !== undefined && person.slackGroup !== null };
  });
  return {
    members,
    isQuiet: quietUntil(project.quietHours, at) !== null,
    threadsOf: (person) => {
      const found = config.people.find((one) => one.name === person);
      // A person who has left the project gets nothing.
      if (found === undefined || memberRole(project, person) === null) return [];
      const { slack } = found;
      const chat = slack === null || rows === null ? slack : directThread(rows, slack).slice('sl:'.length);
      return privateThreads({ ...found, slack: chat }).filter((thread) => isOn(config, thread));
    },
  };
}

function isOn({ channels }: Config, thread: string): boolean {
  const channel = placedThread(thread, null)?.channel;
  return (channel === 'telegram' || channel === 'slack') && channels[channel] !== null;
}
