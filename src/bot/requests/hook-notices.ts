// For hooks while no step waits. Text is quoted: data, never a request.
import type { ProjectConfig } from '../../config/index.js';
import type { AgentKind } from '../../jobs/index.js';
import type { Request } from './request.js';

type Hook = Extract<Request, { do: 'hook' }>;

export interface HookNews {
  readonly text: string;
  readonly card: string | null;
  readonly rings: boolean;
}

const maxLines = 12;
const maxLineChars = 300;

export function newsOf(project: ProjectConfig, request: Hook, agents: readonly AgentKind[]): HookNews | null {
  const { session, delivery } = request;
  if (session !== undefined) {
    const said = quoted(session.text);
    const text = `${named(session.agent, agents)} session in ${project.name} ended${said === '' ? '.' : `:\n${said}`}`;
    // A session goes idle again and edits its message.
    return { text, card: `session:${session.agent}:${session.id}`, rings: false };
  }
  const status = oneLine(request.status ?? '');
  const said = quoted(lines(request.reason, request.summary));
  if (delivery === undefined || (status === '' && said === '')) return null;
  const head = `${project.name}: a report from outside${status === '' ? '' : ` says "${status}"`}.`;
  return { text: lines(head, said, link(delivery.url)), card: null, rings: true };
}

function named(agent: string, agents: readonly AgentKind[]): string {
  const title = agents.find(({ kind }) => kind === agent)?.title ?? agent;
  return `${/^[AEIOU]/i.test(title) ? 'An' : 'A'} ${title}`;
}

/** The outcome is at the end. */
function quoted(text: string): string {
  const all = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const shown = all.slice(-maxLines).map((line) => `> ${cut(line, maxLineChars)}`);
  return lines(all.length > shown.length ? '> …' : null, ...shown);
}

function link(url: string | null): string | null {
  return url !== null && /^https?:\/\/[^\s\p{Cc}]+$/u.test(url) ? url : null;
}

function oneLine(text: string): string {
  return cut(text.replaceAll(/\s+/g, ' ').trim(), 80);
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}

function lines(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join('\n');
}
