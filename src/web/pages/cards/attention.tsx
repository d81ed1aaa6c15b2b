// Snoozes a card for the viewer, or hands it over.
import { ableMembers, personName } from '../../../bot/index.js';
import { nameInConfig } from '../../../config/index.js';
import type { Interaction, Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { Command } from '../shared/commands.js';
import { clockOf, lineOf } from '../shared/text.js';
import { mayAnswer, membersOf, viewerOf } from '../shared/work-state.js';

const maxOffered = 12;
const dayMs = 24 * 3_600_000;

export function AttentionRow({ web, run, interaction }: AttentionProps) {
  const { id } = interaction;
  if (!mayAnswer(web, run.project, interaction)) return null;
  const names = ableMembers(interaction, run, { members: membersOf(web, run) })
    .map(({ name }) => name)
    .filter((name) => name !== nameInConfig(viewerOf(web)));
  return (
    <div class="row tight attention">
      <Command say={`snooze ${id} 1h`}>Snooze 1 h</Command>
      {names.length === 0 ? null : (
        <details id={`hand-${id}`} data-key={`hand-${id}`}>
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

export function SnoozedUntil({ web, interaction }: Omit<AttentionProps, 'run'>) {
  const until = interaction.snoozes?.find(({ by }) => by === viewerOf(web))?.until ?? web.now();
  const day = until - web.now() > dayMs ? `${new Date(until).toISOString().slice(0, 10)}, ` : '';
  return (
    <>
      <span>
        until {day}
        {clockOf(until)}
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
