// Words that would be a command if one of them were a project.
import type { Plan } from '../../../dispatch/index.js';
import { nearestOf } from '../../grammar/index.js';
import { view } from '../../views/view.js';
import { type MessageContext, say } from '../message-context.js';
import { namesFor } from '../which-project.js';

const maxWords = 6;
const maxOffered = 4;

/** Null: not exactly a wrong project name. */
export function offerNearestProject(ctx: MessageContext, text: string): Plan | null {
  const known = namesFor(ctx).map(({ name }) => name);
  const found = misnamedIn(ctx, text);
  if (found === null) return null;
  const { said, with: put } = found;
  const near = nearestOf(said, namesFor(ctx));
  const none = `There is no project ${said}.`;
  if (near !== null) {
    const offers = [{ label: put(near), says: put(near) }];
    return { ...say(ctx, view('answer', `${none} Did you mean ${near}?`, offers)), exit: 2 };
  }
  const offers = known.slice(0, maxOffered).map((name) => ({ label: put(name), says: put(name) }));
  return { ...say(ctx, view('answer', `${none} Your projects: ${known.join(', ')}.`, offers)), exit: 2 };
}

/** In reply to a question, a command with a misspelled project is no answer yet. Null: any other words. */
export function offerCommandOrAnswer(ctx: MessageContext, id: string, text: string): Plan | null {
  const asked = ctx.now.interaction(id)?.interaction;
  const found = asked?.kind === 'question' && asked.state === 'open' ? misnamedIn(ctx, text) : null;
  const near = found && nearestOf(found.said, namesFor(ctx));
  if (found === null || near === null) return null;
  const command = found.with(near);
  const offers = [
    { label: command, says: command },
    { label: 'Use it as the answer', says: `@answer ${id} answer ${text.trim()}` },
  ];
  const said = `I did nothing yet. There is no project ${found.said}. Did you mean ${near}, or is that the answer?`;
  return { ...say(ctx, view('answer', said, offers)), exit: 2 };
}

interface Misnamed {
  readonly said: string;
  readonly with: (project: string) => string;
}

function misnamedIn(ctx: MessageContext, text: string): Misnamed | null {
  const names = namesFor(ctx);
  const [first] = names;
  const body = text.trim().replace(/^[/!](?=\p{L})/u, '');
  const colon = body.search(/[:：]/);
  const head = colon < 0 ? body.replace(/[.!?…]+$/, '') : body.slice(0, colon);
  const words = [...head.matchAll(/[\p{L}\p{N}_-]+/gu)];
  if (first === undefined || body.includes('\n') || words.length > maxWords) return null;
  const { grammar } = ctx.verbs;
  const found = words.flatMap(({ 0: said, index }): Misnamed[] => {
    const put = (project: string) => `${body.slice(0, index)}${project}${body.slice(index + said.length)}`;
    if (ordinary.has(said.toLowerCase())) return [];
    const read = grammar.parse(put(first.name), names);
    // A word before a colon may be a heading: only near names count.
    const isBareTask = words.length === 1 && colon >= 0;
    const isMeant =
      read.verb !== null && read.project === first.name && !(isBareTask && nearestOf(said, names) === null);
    return isMeant ? [{ said, with: put }] : [];
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}

const ordinary: ReadonlySet<string> = new Set(
  'a an the it this that these those all everything now later today tomorrow again over then server run please bosun me'.split(
    ' ',
  ),
);
