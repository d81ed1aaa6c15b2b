import { isRunOver, type Run } from '../../../engine/index.js';
import { holderOf } from '../../context/outlook.js';
import type { WebContext } from '../../context/web-context.js';
import { Command, maxSentenceChars, mayAct, WordedCommand } from './commands.js';
import { Icon } from './icons.js';

/** A project's name in a command means its first run; a run beside that has a name of its own. */
export function RunActions({ web, run }: { readonly web: WebContext; readonly run: Run }) {
  const { reader } = web.services.runtime;
  const { project } = run;
  if (run.status === 'completed' || run.status === 'cancelled') return <RunAgain web={web} run={run} />;
  if (!isMeant(web, run)) return null;
  const called = calledBy(run);
  const asked = reader.browsing.oldestOpen(run.id);
  const may = (action: 'stop' | 'continue' | 'retry' | 'skip' | 'abort') => mayAct(web, project, action);
  const isStuck = run.status === 'failed' || run.pauseReason === 'failure' || asked?.kind === 'escalation';
  const isDraft = run.status === 'draft';
  return (
    <div class="actions">
      {run.live.some(({ startedAt }) => startedAt !== null) && may('continue') ? (
        <WordedCommand
          id="note"
          say={`note for ${called}`}
          label="Note to the agent"
          asks="What should the running step know?"
          needsText
        />
      ) : null}
      <StopRun web={web} run={run} />
      {(isDraft || (run.status === 'paused' && asked === null)) && may('continue') ? (
        <Command say={`continue ${called}`} look="first">
          {isDraft ? 'Start' : 'Continue'}
        </Command>
      ) : null}
      {isStuck && may('retry') ? (
        <WordedCommand
          id="retry"
          say={`retry ${called}`}
          label="Retry"
          asks="A note for the agent (optional)"
          needsText={false}
        />
      ) : null}
      {(isStuck || asked?.kind === 'review') && may('skip') ? (
        <WordedCommand id="skip" say={`skip ${called}`} label="Skip" asks="Why this step is skipped" needsText />
      ) : null}
      {!isRunOver(run.status) && may('abort') ? (
        <Command
          say={`abort ${called}`}
          look="danger"
          confirm="Abort this run? Bosun asks once more before it stops what runs."
        >
          <Icon name="x" /> Abort
        </Command>
      ) : null}
    </div>
  );
}

/** Empty unless the run works and this person may stop it. */
export function StopRun({ web, run }: { readonly web: WebContext; readonly run: Run }) {
  if (run.status !== 'running' || !mayAct(web, run.project, 'stop')) return null;
  return (
    <Command say={`stop ${calledBy(run)}`} look="line">
      <Icon name="pause" /> Stop
    </Command>
  );
}

function RunAgain({ web, run }: { readonly web: WebContext; readonly run: Run }) {
  const say = `start ${run.project} with ${run.workflow}: ${run.task}`;
  if (run.task.trim() === '' || say.length > maxSentenceChars || !mayAct(web, run.project, 'start')) return null;
  return (
    <div class="actions">
      <Command say={say} look="line">
        Run again
      </Command>
    </div>
  );
}

function isMeant(web: WebContext, { id, project, beside }: Run): boolean {
  if (beside) return true;
  const { reader } = web.services.runtime;
  const failed = reader.failedRuns(project).find((one) => !one.beside);
  return (holderOf(web, project) ?? failed ?? reader.drafts(project)[0])?.id === id;
}

/** A project's first run goes by the project's name. */
export function calledBy({ id, project, beside }: Run): string {
  return beside ? id : project;
}
