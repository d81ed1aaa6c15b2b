import { personName } from '../../../bot/index.js';
import { nameInConfig } from '../../../config/index.js';
import type { Run } from '../../../engine/index.js';
import { holderOf } from '../../context/outlook.js';
import type { WebContext } from '../../context/web-context.js';
import { Command, mayAct } from '../shared/commands.js';
import { Icon } from '../shared/icons.js';
import { projectPath } from '../shared/paths.js';
import { Ago, Badge, Mark, type Said } from '../shared/status.js';
import { inert, lineOf } from '../shared/text.js';
import { stateOfRun } from '../shared/work-state.js';

const shownQueued = 30;
/** A longer task would make the page large: its words change in chat. */
const maxEditedChars = 2_000;

export interface Queued {
  readonly runs: readonly Run[];
  readonly count: number;
}

/** In the order of starting, each project's together. */
export function queuedRuns({ services }: WebContext, project: string | null): Queued {
  const names = project === null ? services.config().projects.map(({ name }) => name) : [project];
  const all = names.flatMap((name) => services.runtime.reader.drafts(name));
  return { runs: all.slice(0, shownQueued), count: all.length };
}

interface QueueRowsProps {
  readonly web: WebContext;
  readonly queued: Queued;
  readonly project: string | null;
}

export function QueueRows({ web, queued, project }: QueueRowsProps) {
  const { runs, count } = queued;
  const all = new URLSearchParams({ ...(project === null ? {} : { project }), status: 'draft' });
  return (
    <>
      <Rows web={web} queued={queued} withProject={project === null} />
      {count > runs.length ? (
        <p class="more">
          <a href={`/history?${all}`}>And {count - runs.length} more</a>
        </p>
      ) : null}
    </>
  );
}

function Rows({ web, queued, withProject }: Omit<QueueRowsProps, 'project'> & { readonly withProject: boolean }) {
  const { runs, count } = queued;
  const behind = new Map(runs.map(({ project }) => [project, holderOf(web, project)]));
  const places = new Map<string, number>();
  const lasts = new Map(runs.map(({ project, id }) => [project, id]));
  const cut = count > runs.length ? (runs.at(-1)?.project ?? null) : null;
  return (
    <ol class="panel list queue">
      {runs.map((run) => {
        const place = (places.get(run.project) ?? 0) + 1;
        places.set(run.project, place);
        const live = behind.get(run.project) ?? null;
        const isNext = live === null && place === 1 && mayAct(web, run.project, 'continue');
        return (
          <li data-queued={run.id}>
            <span class="place num">{place}</span>
            <div>
              <p>
                <a class="whole" href={`/runs/${run.id}`} dir="auto">
                  {lineOf(run.task, 120) || run.id}
                </a>
              </p>
              <p class="soft row">
                <QueueState said={stateOfRun(web, run)} />
                {withProject ? <a href={projectPath(run.project)}>{lineOf(run.project, 60)}</a> : null}
                <span>{lineOf(personName(nameInConfig(run.createdBy)), 40)}</span>
                <Ago at={run.createdAt} now={web.now()} />
              </p>
            </div>
            <QueueActions
              web={web}
              run={run}
              isNext={isNext}
              isWaiting={live !== null}
              isFirst={place === 1}
              isLast={lasts.get(run.project) === run.id && run.project !== cut}
            />
          </li>
        );
      })}
    </ol>
  );
}

interface QueueActionsProps {
  readonly web: WebContext;
  readonly run: Run;
  readonly isNext: boolean;
  /** Another run has the project's folder. */
  readonly isWaiting: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function QueueActions({ web, run, isNext, isWaiting, isFirst, isLast }: QueueActionsProps) {
  if (!mayAct(web, run.project, 'start')) return null;
  const title = lineOf(run.task, 60) || run.id;
  return (
    <div class="row tight">
      {isNext ? <Command say={`start q${run.number}`}>Start</Command> : null}
      {isWaiting ? <Command say={`start q${run.number} beside`}>Start beside</Command> : null}
      {isFirst ? null : (
        <Command say={`move q${run.number} first`} look="icon" label={`First: ${title}`}>
          <Icon name="first" />
        </Command>
      )}
      {isLast ? null : (
        <Command say={`move q${run.number} down`} look="icon" label={`Down: ${title}`}>
          <Icon name="down" />
        </Command>
      )}
      {run.task.length > maxEditedChars ? null : <EditTask run={run} title={title} />}
      <Command say={`drop q${run.number}`} look="icon" label={`Drop: ${title}`}>
        <Icon name="x" />
      </Command>
    </div>
  );
}

/** The field opens below its row, with the present words. */
function EditTask({ run, title }: { readonly run: Run; readonly title: string }) {
  const id = `edit-${run.id}`;
  return (
    <details id={id} data-key={id}>
      <summary class="button icon">
        <Icon name="pencil" />
        <span class="hidden">Edit: {title}</span>
      </summary>
      <form class="words" method="post" action="/api/say" data-act="command">
        <label for={`${id}-words`}>
          The task
          <textarea id={`${id}-words`} name="note" rows={3} maxlength={20_000}>
            {inert(run.task)}
          </textarea>
        </label>
        <div class="buttons">
          <button type="submit" name="text" value={`edit q${run.number}`} data-needs-text="">
            Change the task
          </button>
        </div>
      </form>
    </details>
  );
}

/** Only a wait for a person is loud. */
function QueueState({ said }: { readonly said: Said }) {
  if (said.tone !== 'quiet') return <Badge {...said} />;
  return (
    <span dir="auto">
      <Mark {...said} /> {said.word}
    </span>
  );
}
