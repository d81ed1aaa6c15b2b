// Hands a card to another person who may decide it. The right to answer does not change.
import { homeOwner, nameInConfig } from '../../../config/index.js';
import type { Plan } from '../../../dispatch/index.js';
import { nearestWord } from '../../../engine/index.js';
import type { Parsed } from '../../grammar/index.js';
import { ableMembers } from '../../views/people/awaited.js';
import { personName, view } from '../../views/view.js';
import { type MessageContext, say, sayError, toSpeaker } from '../message-context.js';
import { attentionEvent, codeMeant, type MeantCard, named, onCard, whichCard } from './meant-card.js';

const maxOffered = 8;

export function planHandOver(ctx: MessageContext, parsed: Parsed): Plan {
  const code = codeMeant(ctx, parsed);
  if (code === null) return whichCard(ctx, 'hand i12-3 to bob');
  return onCard(ctx, code, (card) => (parsed.target === null ? askWhom(ctx, card) : handTo(ctx, card, parsed.target)));
}

/** `to` empty: asks for the person. */
export function pressHandOver(ctx: MessageContext, code: string, to: string): Plan {
  return onCard(ctx, code, (card) => (to === '' ? askWhom(ctx, card) : handTo(ctx, card, to, true)));
}

function askWhom(ctx: MessageContext, card: MeantCard): Plan {
  const names = receivers(ctx, card);
  if (names.length === 0) return sayError(ctx, `No other member of ${card.project.name} may decide ${named(card)}.`);
  const offers = names
    .slice(0, maxOffered)
    .map((name) => ({ label: personName(name), says: `@hand ${card.interaction.id} ${name}` }));
  return say(ctx, view('answer', `Hand ${named(card)} to whom?`, offers));
}

function handTo(ctx: MessageContext, card: MeantCard, said: string, isPress = false): Plan {
  const to = receiverCalled(ctx, card, said);
  if (to === null) return sayError(ctx, whyNot(ctx, card, said));
  if ((card.interaction.handed?.to ?? null) === to)
    return toSpeaker(ctx, view('ack', `${personName(to)} has ${named(card)} already.`));
  const hasChat = to === homeOwner || Object.keys(personIn(ctx, to)?.accounts ?? {}).length > 0;
  const where = hasChat ? '' : `\n${personName(to)} has no chat with me and finds it in the inbox of the page.`;
  const told = toSpeaker(ctx, view('ack', `Handed to ${personName(to)}: ${named(card)}.${where}`), isPress);
  return { ...attentionEvent(ctx, card, { type: 'hand', to }), messages: told.messages };
}

function personIn({ config }: MessageContext, name: string) {
  return config.people.find((one) => one.name === name);
}

/** People whose answer counts, without the speaker. */
function receivers({ by }: MessageContext, { interaction, spine, project }: MeantCard): readonly string[] {
  const members = Object.entries(project.members).map(([name, role]) => ({ name, role }));
  const able = ableMembers(interaction, spine.run, { members }).map(({ name }) => name);
  return able.filter((name) => name !== nameInConfig(by));
}

/** The home's owner is no member, but gets back a card that they handed over. */
function receiverCalled(ctx: MessageContext, card: MeantCard, said: string): string | null {
  const isCalled = (name: string) => name.toLowerCase() === said.toLowerCase();
  const { handed } = card.interaction;
  const own = nameInConfig(ctx.by);
  const mayTakeBack = handed !== undefined && isCalled(own);
  const giver = handed?.by === homeOwner ? [homeOwner] : [];
  return [...receivers(ctx, card), ...giver, ...(mayTakeBack ? [own] : [])].find(isCalled) ?? null;
}

function whyNot(ctx: MessageContext, card: MeantCard, said: string): string {
  const { project, spine } = card;
  const names = receivers(ctx, card);
  const member = Object.entries(project.members).find(([name]) => name.toLowerCase() === said.toLowerCase());
  const others = names.length === 0 ? 'No other member may.' : `It can go to: ${names.map(personName).join(', ')}.`;
  if (member === undefined) {
    const near = nearestWord(said, Object.keys(project.members));
    return `No member of ${project.name} is called "${said}"${near === null ? '.' : `; did you mean ${near}?`} ${others}`;
  }
  const [name, role] = member;
  if (name === nameInConfig(ctx.by)) return `You have ${named(card)} already.`;
  const why =
    name === nameInConfig(spine.run.createdBy) && card.interaction.approvals?.notRequester === true
      ? `${personName(name)} asked for this work, so someone else decides it.`
      : `${personName(name)} is ${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role} in ${project.name} and can't decide this.`;
  return `${why} ${others}`;
}
