import { type Config, mayDo, memberRole } from '../../../../../config/index.js';
import type { Interaction } from '../../../../../engine/index.js';
import type { Message, MessageReader, RunReader } from '../../../../../store/index.js';
import { evidenceAskedFor } from '../../../../commands/reading/evidence-target.js';
import { type Grammar, isAssent, isVerdict, type Parsed } from '../../../../grammar/index.js';
import { optionOfTextCard } from '../../../../views/presenter.js';

export interface AnsweredCard {
  readonly reader: MessageReader & RunReader;
  readonly config: Config;
  readonly grammar: Grammar;
  readonly threads: readonly string[];
  /** Bosun's message that starts the thread; null: another author's. */
  readonly root: string | null;
  readonly by: string;
  /** A message in a direct chat may stand alone. */
  readonly isReply: boolean;
}

export interface CardMeaning {
  readonly replyTo: string | null;
  /** True even without a mention of the bot. */
  readonly isAnswer: boolean;
}

interface Card {
  readonly project: string;
  readonly interaction: Interaction;
  readonly message: Message;
}

/** A text card follows its card soon. */
const maxLookedAt = 500;
const none: CardMeaning = { replyTo: null, isAnswer: false };

export function meaningOf(parsed: Parsed, asked: AnsweredCard): CardMeaning {
  const { reader, root } = asked;
  const under = root === null ? null : reader.message(root);
  const open = openCards(asked);
  const own = open.find(({ interaction }) => interaction.id === under?.interaction) ?? cardOf(under, reader);
  // A command under a message without a question concerns that message's run.
  if (own === undefined && open.length === 0) return { ...none, replyTo: parsed.verb !== null ? root : null };
  const [only, ...others] = own === undefined ? open : [own];
  if (only === undefined) return none;
  if (others.length > 0) return { ...none, isAnswer: isVerdict(asked.grammar.rowOf(parsed)) };
  return answerTo(parsed, only, asked);
}

function answerTo(alone: Parsed, card: Card, asked: AnsweredCard): CardMeaning {
  const { interaction, message } = card;
  const { text } = alone;
  const { grammar, config } = asked;
  const parsed = grammar.understand(text, config.projects, interaction.kind);
  if (parsed.inReply === null && parsed.verb !== null) return none;
  // Outside threads: a command first, text for a card second.
  if (!asked.isReply && alone.verb !== null && !isVerdict(grammar.rowOf(alone))) return none;
  // A request to look decides nothing.
  const asksToLook = asked.isReply && interaction.kind !== 'question' && evidenceAskedFor(text) !== null;
  if (asksToLook) return { replyTo: message.id, isAnswer: mayDo(roleOf(card.project, asked), 'read') };
  const isMember = mayDo(roleOf(card.project, asked), 'answer');
  const words = textCardOf(card, asked);
  const isOption = interaction.options.some(({ id, label }) => isSame(text, id) || isSame(text, label));
  // People say "ok" to each other: as an answer to a free question it is asked back.
  if (interaction.kind === 'question' && words === null && !isOption && isBareVerdict(alone, grammar))
    return { replyTo: null, isAnswer: isMember };
  // Free text never approves unless text was asked for.
  const isVerdictSaid = isVerdict(grammar.rowOf(parsed));
  if (isVerdictSaid && !asked.isReply) return words === null ? none : { replyTo: words, isAnswer: isMember };
  if (isVerdictSaid) return { replyTo: message.id, isAnswer: isMember };
  if (words !== null) return { replyTo: words, isAnswer: isMember };
  const isInOwnWords = interaction.kind === 'question' || parsed.target !== null;
  return { replyTo: message.id, isAnswer: isMember && (isOption || isInOwnWords) };
}

function isBareVerdict(parsed: Parsed, grammar: Grammar): boolean {
  return isAssent(parsed.text) || (isVerdict(grammar.rowOf(parsed)) && parsed.note === null);
}

function isSame(said: string, word: string): boolean {
  return said.trim().toLowerCase() === word.toLowerCase();
}

function roleOf(project: string, { config, by }: AnsweredCard) {
  const found = config.projects.find(({ name }) => name === project);
  return found === undefined ? null : memberRole(found, by);
}

function openCards({ reader, threads }: AnsweredCard): readonly Card[] {
  return reader.openInteractions(null).flatMap(({ run, interaction }): Card[] => {
    const shown = threads.map((thread) => reader.cardMessage(thread, interaction.id));
    const message = shown.find((one) => one !== null);
    return message ? [{ project: reader.run(run)?.project ?? '', interaction, message }] : [];
  });
}

function cardOf(message: Message | null, reader: RunReader): Card | undefined {
  const found = reader.openInteractions(null).find(({ interaction }) => interaction.id === message?.interaction);
  if (message === null || found === undefined) return undefined;
  return { project: reader.run(found.run)?.project ?? '', interaction: found.interaction, message };
}

function textCardOf({ interaction, message }: Card, { reader }: AnsweredCard): string | null {
  const after = reader.messages(message.thread, message.edits ?? message.id, maxLookedAt);
  const asks = (one: Message) => one.interaction === interaction.id && optionOfTextCard(one.card) !== null;
  return after.findLast(asks)?.id ?? null;
}
