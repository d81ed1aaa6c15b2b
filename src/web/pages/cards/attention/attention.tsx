// Snoozes a card for the viewer, or hands it over.
import { ableMembers, awaitedPeople, personName, requiredToRemind } from '../../../../bot/index.js';
import { nameInConfig } from '../../../../config/index.js';
import { type Interaction, nextNudgeAt, type Run } from '../../../../engine/index.js';
import type { WebContext } from '../../../context/web-context.js';
import { Command, mayAct } from '../../shared/commands.js';
import { Icon } from '../../shared/icons.js';
import { Ago } from '../../shared/status.js';
import { clockOf, dayOf, lineOf } from '../../shared/text.js';
import { mayAnswer, membersOf, viewerOf } from '../../shared/work-state.js';
import { SnoozeChoice } from './snooze-choice.js';

const maxOffered = 12;
const dayMs = 24 * 3_600_000;

export function AttentionRow({ web, run, interaction }: AttentionProps) {
  const { id } = interaction;
  if (!mayAnswer(web, run.project, interaction))
    return (
      <div class="row tight">
        <Remind web={web} run={run} interaction={interaction} />
      </div>
    );
  const names = ableMembers(interaction, run, { members: membersOf(web, run) })
    .map(({ name }) => name)
    .filter((name) => name !== nameInConfig(viewerOf(web)));
  return (
    <div class="row tight attention">
      <SnoozeChoice web={web} card={id} place="card" />
      {names.length === 0 ? null : (
        <details id={`hand-${id}`} class="hand" data-key={`hand-${id}`}>
          <summary class="button ghost">Hand over…</summary>
          <div class="buttons rest">
            {names.slice(0, maxOffered).map((name) => (
              <Command say={`hand ${id} to ${name}`}>{lineOf(personName(name), 40)}</Command>
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

/** Reminds the people whom the card waits for, and says when the last reminder went out. */
export function Remind({ web, run, interaction }: AttentionProps) {
  const mayStart = mayAct(web, run.project, 'start');
  const required = requiredToRemind(interaction, run, { by: viewerOf(web), mayStart });
  if (required !== null && !mayAct(web, run.project, required)) return null;
  const own = nameInConfig(viewerOf(web));
  const names = awaitedPeople(interaction, run, { members: membersOf(web, run) }).map(nameInConfig);
  if (names.every((name) => name === own)) return null;
  const { nudged } = interaction;
  const by = nudged === undefined ? '' : lineOf(personName(nameInConfig(nudged.by)), 40);
  return (
    <>
      {nudged === undefined ? null : (
        <span>
          {by} reminded <Ago at={nudged.at} now={web.now()} />
        </span>
      )}
      {nextNudgeAt(interaction) > web.now() ? null : (
        <Command say={`remind ${interaction.id}`} look="line">
          <Icon name="bell" /> Remind
        </Command>
      )}
    </>
  );
}

export function SnoozedUntil({ web, interaction }: Omit<AttentionProps, 'run'>) {
  const until = interaction.snoozes?.find(({ by }) => by === viewerOf(web))?.until ?? web.now();
  const day = until - web.now() > dayMs ? `${dayOf(until, web.now(), web.zone)}, ` : '';
  return (
    <>
      <span>
        until {day}
        {clockOf(until, web.zone)}
      </span>
      <Command say={`wake ${interaction.id}`}>Wake it now</Command>
    </>
  );
}

interface AttentionProps {
  readonly web: WebContext;
  readonly run: Run;
  readonly interaction: Interaction;
}
