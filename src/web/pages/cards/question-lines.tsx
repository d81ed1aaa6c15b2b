import type { Child } from 'hono/jsx';
import type { Interaction, Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { inPath, projectPath } from '../shared/paths.js';
import { Ago, askedSaid, Badge, Mark } from '../shared/status.js';
import { dotted, lineOf } from '../shared/text.js';
import { askedOf } from '../shared/work-state.js';
import { Remind, SnoozedUntil } from './attention/attention.js';
import type { Open } from './card.js';
import { kindNames, peopleOf, placeIn, wordsOf } from './card-words.js';
import { QuickAnswers } from './quick-answers.js';

/** A line per question, linked to its card. */
export function CardIndex({ web, open }: { readonly web: WebContext; readonly open: readonly Open[] }) {
  const { reader } = web.services.runtime;
  return (
    <ol class="panel list index">
      {open.map(({ run: id, interaction }) => {
        const run = reader.run(id);
        if (run === null) return null;
        const said = askedSaid(askedOf(web, run, interaction));
        const { kind, title, place } = wordsOf(web, run, interaction);
        return (
          <li>
            <a class="hit" href={`#card-${interaction.id}`}>
              <Mark {...said} />
              <span class="soft">
                <b class={`kind ${said.tone}`}>{said.tone === 'other' ? said.word : kind}</b> {lineOf(run.project, 40)}
              </span>
              <span class="soft num">
                <Ago at={interaction.openedAt} now={web.now()} />
              </span>
              <b class="work" dir="auto">
                {title}
              </b>
              <span class="soft where">{dotted([placeIn(place, run.project), peopleOf(web, run, interaction)])}</span>
            </a>
            <QuickAnswers web={web} run={run} interaction={interaction} />
          </li>
        );
      })}
    </ol>
  );
}

interface LinesProps {
  readonly web: WebContext;
  readonly open: readonly Open[];
}

export function SnoozedCards({ web, open }: LinesProps) {
  return (
    <QuestionLines web={web} open={open} end={(interaction) => <SnoozedUntil web={web} interaction={interaction} />} />
  );
}

/** A line for each card that waits only for other people. */
export function WaitingForOthers(props: LinesProps) {
  const { web } = props;
  return (
    <QuestionLines {...props} end={(interaction, run) => <Remind web={web} run={run} interaction={interaction} />} />
  );
}

function QuestionLines({
  web,
  open,
  end,
}: LinesProps & { readonly end: (interaction: Interaction, run: Run) => Child }) {
  const { reader } = web.services.runtime;
  return (
    <ul class="panel list">
      {open.map(({ run: id, interaction }) => {
        const run = reader.run(id);
        if (run === null) return null;
        return (
          <li>
            <p class="row">
              <Badge {...askedSaid(askedOf(web, run, interaction))} />
              <a class="whole" href={`/runs/${inPath(id)}`} dir="auto">
                {wordsOf(web, run, interaction).title}
              </a>
            </p>
            <p class="soft row">
              <a href={projectPath(run.project)}>{lineOf(run.project, 60)}</a>
              <span>{kindNames[interaction.kind]}</span>
              <Ago at={interaction.openedAt} now={web.now()} />
              {end(interaction, run)}
            </p>
          </li>
        );
      })}
    </ul>
  );
}
