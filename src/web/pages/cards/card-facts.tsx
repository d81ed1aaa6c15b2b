import type { Interaction, Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { Ago } from '../shared/status.js';
import { lineOf } from '../shared/text.js';
import { Remind } from './attention/attention.js';
import { answeredBefore, decisionOf, workOf } from './settled.js';
import { silenceOf } from './silence.js';
import { standsStill, waitsFor } from './waits.js';

interface CardFactsProps {
  readonly web: WebContext;
  readonly run: Run;
  readonly interaction: Interaction;
}

export function CardFacts({ web, run, interaction }: CardFactsProps) {
  const before = answeredBefore(web, run, interaction);
  const work = workOf(web, run, interaction);
  return (
    <dl class="facts besides">
      <dt>Waits for</dt>
      <dd class="row">
        {waitsFor(web, run, interaction)}
        <Remind web={web} run={run} interaction={interaction} />
      </dd>
      <dt>Stands still</dt>
      <dd dir="auto">{standsStill(web, run, interaction)}</dd>
      <dt>If nobody answers</dt>
      <dd>{silenceOf(web, run, interaction)}</dd>
      {before.length === 0 ? null : (
        <>
          <dt>Asked before</dt>
          <dd>
            <ol>
              {before.map((one) => (
                <li>
                  {workOf(web, run, one) === work ? null : (
                    <span dir="auto">{lineOf(workOf(web, run, one), 120)} </span>
                  )}
                  <span class="soft" dir="auto">
                    {decisionOf(web, run, one)}
                  </span>{' '}
                  <span class="soft">
                    <Ago at={one.answer?.at ?? one.openedAt} now={web.now()} />
                  </span>
                </li>
              ))}
            </ol>
          </dd>
        </>
      )}
    </dl>
  );
}
