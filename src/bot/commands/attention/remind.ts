// Reminds the people whom a card waits for, each in their own channel.
import { homeOwner, mayDo, nameInConfig } from '../../../config/index.js';
import type { Plan } from '../../../dispatch/index.js';
import { nextNudgeAt } from '../../../engine/index.js';
import type { Parsed } from '../../grammar/index.js';
import { awaitedPeople, requiredToRemind } from '../../views/people/awaited.js';
import { clockFrom, listed, personName, view } from '../../views/view.js';
import { type MessageContext, refuse, roleIn, toSpeaker } from '../message-context.js';
import { attentionEvent, codeMeant, type MeantCard, named, onCardFor, whichCard } from './meant-card.js';

export function planRemind(ctx: MessageContext, parsed: Parsed): Plan {
  const code = codeMeant(ctx, parsed);
  if (code === null) return whichCard(ctx, 'remind i12-3');
  return onCardFor(
    ctx,
    code,
    ({ interaction, spine, project }) =>
      requiredToRemind(interaction, spine.run, { by: ctx.by, mayStart: mayDo(roleIn(ctx, project), 'start') }),
    (card) => remind(ctx, card),
  );
}

function remind(ctx: MessageContext, card: MeantCard): Plan {
  const { interaction, spine, project } = card;
  const members = Object.entries(project.members).map(([name, role]) => ({ name, role }));
  const own = nameInConfig(ctx.by);
  const awaited = awaitedPeople(interaction, spine.run, { members });
  const others = awaited.map(nameInConfig).filter((name) => name !== own);
  if (others.length === 0)
    return refuse(ctx, `${named(card)} waits for ${awaited.length === 0 && own !== homeOwner ? 'the owner' : 'you'}.`);
  const next = nextNudgeAt(interaction);
  if (ctx.now.at < next)
    return refuse(
      ctx,
      `${listed(others.map(personName))} had a reminder of ${named(card)} within the last hour; the next may go out at ${clockFrom(next, ctx.now.at)}.`,
    );
  const reached = others.filter((name) => hasChat(ctx, name));
  const missed = others.filter((name) => !hasChat(ctx, name));
  const text = [
    reached.length === 0 ? '' : `Reminded ${listed(reached.map(personName))}: ${named(card)}.`,
    missed.length === 0
      ? ''
      : `${listed(missed.map(personName))} ${missed.length === 1 ? 'has' : 'have'} no chat with me, but an inbox on the page.`,
  ];
  const shown = toSpeaker(ctx, view('ack', text.filter((line) => line !== '').join('\n')));
  if (reached.length === 0) return shown;
  return { ...attentionEvent(ctx, card, { type: 'nudge' }), messages: shown.messages };
}

function hasChat({ config }: MessageContext, name: string): boolean {
  if (name === homeOwner) return true;
  return Object.keys(config.people.find((one) => one.name === name)?.accounts ?? {}).length > 0;
}
