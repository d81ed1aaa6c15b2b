// Commit and pull request texts, from the steps' reports.

import type { DecisionDraft } from '../model/draft/draft.js';
import type { Chain, Digest, Item } from '../model/model.js';
import { latestEvidence } from '../prompts/latest-evidence.js';
import { itemValues } from '../prompts/prompt.js';
import { cutAtWord } from '../text/cut-text.js';
import { fill, paragraphs } from '../text/template.js';

const subjectMaxChars = 72;
const digestMaxChars = 2_000;
const questionsMax = 20;

export function commitMessage(tx: DecisionDraft): string {
  const { item, run, chain } = tx;
  const whole = item ? subjectOf(tx, item) : firstLine(run.task);
  const subject = cutAtWord(whole, subjectMaxChars);
  const isTold = item === null || item.description.trim() === item.title.trim();
  const story = isTold ? '' : cutAtWord(item.description.trim(), digestMaxChars);
  const rest = subject === whole ? '' : whole;
  return paragraphs([subject, rest, story, factsOf(chain, chain.costUsd ?? 0)]);
}

/** A step may propose it as its output PR. */
export function pullText({ run, items, chain }: DecisionDraft): { readonly title: string; readonly text: string } {
  const done = items.filter((item) => item.status === 'done').map(({ key, title }) => `- ${key}: ${title}`);
  const proposed = firstLine(run.context['pr'] ?? '');
  const isTitle = proposed !== '' && !/^(?:none\b|https?:)/i.test(proposed);
  const stories = done.length === 0 ? '' : `Stories:\n${done.join('\n')}`;
  return {
    title: cutAtWord(isTitle ? proposed : firstLine(run.task), subjectMaxChars),
    text: paragraphs([run.task.trim(), stories, factsOf(chain, run.costUsd)]),
  };
}

function subjectOf(tx: DecisionDraft, item: Item): string {
  const template = tx.loop(item).onItemDone?.squash ?? '{{item.key}}: {{item.title}}';
  return firstLine(fill(template, itemValues(item)).text);
}

function factsOf(chain: Chain, costUsd: number): string {
  const { tests } = latestEvidence(chain);
  const counts = tests && `Tests: ${tests.pass} passed, ${tests.fail} failed, ${tests.skip} skipped`;
  const cost = costUsd > 0 ? `Cost: $${costUsd.toFixed(2)}` : null;
  const lines = [counts, cost].filter((line) => line !== null);
  return paragraphs([digestOf(chain.digests), questionsOf(chain.digests), lines.join('\n')]);
}

/** Indents agents' lines that would read as trailers. */
function digestOf(digests: readonly Digest[]): string {
  const texts = digests.flatMap(({ text }) => (text?.trim() ? [text.trim()] : []));
  return cutAtWord([...new Set(texts)].join('\n\n'), digestMaxChars).replaceAll(/^(?=Bosun:|Co-authored-by:)/gim, '  ');
}

function questionsOf(digests: readonly Digest[]): string {
  const questions = [...new Set(digests.flatMap((digest) => digest.questions))].slice(0, questionsMax);
  if (questions.length === 0) return '';
  return `Questions:\n${questions.map((question) => `- ${question.replaceAll(/\s+/g, ' ')}`).join('\n')}`;
}

export function agentsOf(chain: Chain): readonly string[] {
  const kinds = chain.nodes.flatMap(({ last }) => last?.session?.split(':', 1)[0] ?? []);
  return [...new Set(kinds)].sort();
}

function firstLine(text: string): string {
  return text.trim().replace(/\r?\n.*/s, '');
}
