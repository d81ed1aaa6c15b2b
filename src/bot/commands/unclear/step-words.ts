// Words reach an agent only by a press, or by the project's `words` setting.
import { hashOf } from '../../../base/index.js';
import { projectNamed } from '../../../config/index.js';
import type { Plan } from '../../../dispatch/index.js';
import { isRunOver } from '../../../engine/index.js';
import { readNote } from '../../grammar/index.js';
import { type Offer, oneLine, view } from '../../views/view.js';
import { event, spineOf } from '../drive.js';
import {
  answeredByReply,
  besideMeant,
  type MessageContext,
  projectsOf,
  roleIn,
  say,
  sayError,
} from '../message-context.js';
import { meantProject, refusal } from '../which-project.js';

/** A button stores its text. */
const maxChars = 4_000;
const maxSteps = 4;
const deaf = "takes no words while it works: its agent can't, or is only starting.";

type When = 'now' | 'next';

interface LiveStep {
  readonly attempt: string;
  readonly name: string;
  readonly hears: boolean;
}

/** "note for shop: …", or a reply about a run; null: neither. */
export function offerWords(ctx: MessageContext, text: string): Plan | null {
  const noted = readNote(text);
  const replied = answeredByReply(ctx) === null ? (ctx.repliesTo?.run ?? null) : null;
  if (noted === null) {
    const project = replied === null ? null : (ctx.now.spine(replied)?.run.project ?? null);
    return project === null ? null : wordsFor(ctx, project, text.trim());
  }
  const run = noted.project?.toLowerCase() ?? null;
  const other = projectsOf(ctx).find((project) => besideMeant({ ...ctx, run }, project) !== null);
  if (other !== undefined) return wordsFor({ ...ctx, run }, other.name, noted.text);
  const parsed = { ...ctx.verbs.grammar.parse('', []), project: noted.project };
  const meant = meantProject(ctx, parsed, (name) => `note for ${name}: ${noted.text}`);
  if ('plan' in meant) return meant.plan;
  const { name } = meant.project;
  const none = `${name}: no step is running, so nothing hears that. Say "retry ${name}: <your words>" or give it a task.`;
  return wordsFor(ctx, name, noted.text) ?? sayError(ctx, none);
}

function wordsFor(ctx: MessageContext, name: string, text: string): Plan | null {
  const project = projectNamed(ctx.config, name);
  const steps = liveSteps(ctx, name);
  const [first, ...others] = steps;
  if (project === null || roleIn(ctx, project) === null || first === undefined) return null;
  const refused = refusal(ctx, project, 'continue');
  if (refused !== null) return refused;
  if (text.length > maxChars) {
    return sayError(ctx, `A running step takes at most ${maxChars} characters, and these are ${text.length}.`);
  }
  const { words } = project;
  if (words !== 'ask' && others.length === 0) {
    return speak(ctx, first.attempt, words === 'now' && first.hears ? 'now' : 'next', text);
  }
  const to = (step: LiveStep) => (others.length === 0 ? '' : ` to ${step.name}`);
  const offer = (step: LiveStep, label: string, when: When): Offer => ({
    label: `${label}${to(step)}`,
    says: `@words ${step.attempt} ${when} ${text}`,
  });
  const offers = steps.flatMap((step) => [
    ...(step.hears ? [offer(step, 'Send now', 'now')] : []),
    offer(step, 'With the next try', 'next'),
  ]);
  const cancel: Offer = { label: 'Cancel', says: `@words ${first.attempt} cancel` };
  const told = [
    `${name}: ${steps.map((step) => step.name).join(', ')} ${others.length === 0 ? 'is' : 'are'} running. Pass on “${oneLine(text, 300)}”?`,
    ...steps.filter(({ hears }) => !hears).map((step) => `${step.name} ${deaf}`),
  ];
  return say(ctx, view('answer', told.join('\n'), [...offers, cancel]));
}

/** For unclear words while one step runs. */
export function offersToRunning(ctx: MessageContext, text: string): readonly Offer[] {
  const said = text.trim();
  const mine = projectsOf(ctx).filter((project) => refusal(ctx, project, 'continue') === null);
  const [only, ...others] = mine.flatMap(({ name }) => liveSteps(ctx, name));
  if (only === undefined || others.length > 0 || said.length > maxChars || !/\s/.test(said)) return [];
  const { attempt, name, hears } = only;
  const now: Offer = { label: `Tell ${name} now`, says: `@words ${attempt} now ${said}` };
  return [
    ...(hears ? [now] : []),
    { label: `Note for the next try of ${name}`, says: `@words ${attempt} next ${said}` },
  ];
}

function liveSteps(ctx: MessageContext, project: string): readonly LiveStep[] {
  const spine = spineOf(ctx, { name: project });
  const started = spine?.run.live.filter(({ startedAt }) => startedAt !== null) ?? [];
  return started.slice(0, maxSteps).map(({ attempt, chain, step }) => ({
    ...{ attempt, name: chain === '' ? step : `${chain} ${step}` },
    hears: ctx.now.hears(attempt),
  }));
}

/** If the attempt has ended, the words wait for the next prompt. */
export function takeWords(ctx: MessageContext, [attempt = '', when = '', ...words]: readonly string[]): Plan {
  if (when === 'cancel') return say(ctx, view('ack', 'OK, I passed nothing on.'));
  return speak(ctx, attempt, when === 'now' ? 'now' : 'next', words.join(' '));
}

function speak(ctx: MessageContext, attempt: string, when: When, text: string): Plan {
  const row = ctx.now.reader.attempt(attempt);
  const spine = row && ctx.now.spine(row.run);
  const project = spine && projectNamed(ctx.config, spine.run.project);
  if (!row || !spine || !project) return sayError(ctx, 'I no longer know that step. Nothing was passed on.');
  const refused = refusal(ctx, project, 'continue');
  if (refused !== null) return refused;
  if (isRunOver(spine.run.status)) return sayError(ctx, `${spine.run.id} is over, so nothing was passed on.`);
  const key = hashOf([attempt, ctx.by, ctx.now.at, text].join('\n')).slice(0, 16);
  const { node, chain } = row;
  return event(ctx, spine, chain, { type: 'words_said', node, attempt, key, text, isSent: when === 'now' });
}
