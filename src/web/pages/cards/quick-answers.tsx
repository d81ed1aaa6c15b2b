// The answers that one tap gives from a row of the inbox on a phone; the opened card has all of them.
import type { Interaction, Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { attemptPath, changesPath } from '../shared/paths.js';
import { OptionButton, sortedAnswers } from './answer-form.js';
import { SnoozeChoice } from './attention/snooze-choice.js';

interface QuickAnswersProps {
  readonly web: WebContext;
  readonly run: Run;
  readonly interaction: Interaction;
}

const maxListed = 3;

export function QuickAnswers({ web, run, interaction }: QuickAnswersProps) {
  const { id, kind, chain } = interaction;
  const { refused, lookOf, listed, lead, log } = sortedAnswers({ web, run: run.id, project: run.project, interaction });
  if (refused !== null) return null;
  const shown = listed.length > 0 ? listed.slice(0, maxListed) : lead;
  const links = (kind === 'review' ? 1 : 0) + (log === null ? 0 : 1);
  return (
    <div class="buttons quick">
      <form class="command" method="post" action="/api/press" data-act="press">
        {shown.map((option) => (
          <OptionButton id={id} option={option} look={kind === 'question' ? 'plain' : lookOf(option)} />
        ))}
        {kind === 'review' ? (
          <a class="button" href={changesPath(run.id, chain)}>
            See changes
          </a>
        ) : null}
        {log === null ? null : (
          <a class="button" href={attemptPath(run.id, log)}>
            Open log
          </a>
        )}
        {(shown.length + links) % 2 === 1 ? null : (
          <a class="button line" href={`#card-${id}`}>
            More…
          </a>
        )}
      </form>
      <SnoozeChoice web={web} card={id} place="row" />
    </div>
  );
}
