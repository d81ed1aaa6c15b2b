// People who want one piece of work after the other of their projects, each in a chat of their own on Telegram.
import type { Person, Telegram } from '../bot/channels/telegram/server/index.js';
import type { Project } from './place.js';

export interface Asked {
  readonly project: string;
  readonly task: string;
  readonly at: number;
}

export interface Demand {
  readonly asked: readonly Asked[];
  /** Those whose end was told. */
  readonly told: number;
  readonly longestMs: number;
  /** No more is asked for. */
  stop(): void;
}

const lookEveryMs = 50;

/** What a chat says when a message may have been sent before. */
export const repeatMark = '(perhaps a repeat)';

export function peopleOf(telegram: Telegram, projects: readonly Project[], pauseMs: () => number): Demand {
  const asked: Asked[] = [];
  const due = new Map<string, number>();
  const waiting = new Map<string, Asked>();
  const people = new Map<string, Person>(
    projects.map(({ name, person }) => [name, telegram.person(person, `Of ${name}`)]),
  );
  let [isOver, told, longestMs] = [false, 0, 0];

  function ask(project: string, person: Person): void {
    const number = asked.filter((one) => one.project === project).length + 1;
    const one = { project, task: `Task ${number} of ${project}`, at: Date.now() };
    asked.push(one);
    waiting.set(project, one);
    person.says(person.chat, `start ${project}: ${one.task}`);
  }

  function look(): void {
    const now = Date.now();
    for (const [project, person] of people) {
      const open = waiting.get(project);
      if (open === undefined) {
        if (!isOver && now >= (due.get(project) ?? 0)) ask(project, person);
      } else if (telegram.sent(person.chat).some(({ text }) => isEndOf(text, open.task))) {
        waiting.delete(project);
        told += 1;
        longestMs = Math.max(longestMs, now - open.at);
        due.set(project, now + pauseMs());
      }
    }
    if (isOver && waiting.size === 0) clearInterval(timer);
  }

  const timer = setInterval(look, lookEveryMs);
  return {
    asked,
    get told() {
      return told;
    },
    get longestMs() {
      return longestMs;
    },
    stop() {
      isOver = true;
    },
  };
}

/** The last message of a run. */
export function isEndOf(text: string, task: string): boolean {
  return text.includes('is done') && text.split('\n').some((line) => line.includes(`${task}`));
}
