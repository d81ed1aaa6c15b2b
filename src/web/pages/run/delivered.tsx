import { personName, pullRequestOf } from '../../../bot/index.js';
import { nameInConfig } from '../../../config/index.js';
import { type Interaction, type Item, isRunOver, type Run } from '../../../engine/index.js';
import type { HistoryReader } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { Icon } from '../shared/icons.js';
import { changesPath } from '../shared/paths.js';
import { Ago } from '../shared/status.js';
import { channelName, lineOf } from '../shared/text.js';

const maxEvents = 200;
const maxShown = 30;
const maxNoteLines = 4;
const maxAddress = 500;

interface DeliveredProps {
  readonly web: WebContext;
  readonly run: Run;
  readonly interactions: readonly Interaction[];
  readonly items: readonly Item[];
}

export function Delivered({ web, run, interactions, items }: DeliveredProps) {
  const titleOf = (chain: string) => [chain, items.find(({ key }) => key === chain)?.title ?? ''].join(' ').trim();
  const notes = deliveriesOf(web.services.runtime.reader, run.id);
  const approvals = interactions.flatMap(({ kind, chain, answer }) =>
    kind === 'review' && answer?.option === 'approve' ? [{ chain, answer }] : [],
  );
  const pullRequest = pullRequestOf({ run });
  if (notes.length + approvals.length === 0 && run.branch === null && !isRunOver(run.status)) return null;
  return (
    <>
      <div class="headline">
        <h2 id="delivered-title">Delivered</h2>
        <a href={changesPath(run.id, '')}>All changes</a>
      </div>
      <ul class="panel list delivered">
        {notes.map(({ chain, commit, first, rest, at }) => (
          <li>
            <p dir="auto">
              <span class="mark ok">
                <Icon name="done" />
              </span>{' '}
              {lineOf([titleOf(chain), first].filter((one) => one !== '').join(': ') || 'Committed', 300)}
            </p>
            {rest.map((line) => (
              <p dir="auto">
                <LinkedLine line={line} />
              </p>
            ))}
            <p class="soft row">
              {commit === null ? null : <code>{lineOf(commit, 10)}</code>}
              <Ago at={at} now={web.now()} />
              {chain === '' ? null : <a href={changesPath(run.id, chain)}>Changes</a>}
            </p>
          </li>
        ))}
        {run.branch === null ? null : (
          <li>
            <p>
              <Icon name="branch" /> <code>{lineOf(run.branch.name, 80)}</code>
            </p>
            <p class="soft">from {lineOf(run.branch.base, 80)}</p>
          </li>
        )}
        {pullRequest === '' ? null : (
          <li dir="auto">
            <LinkedLine line={pullRequest} />
          </li>
        )}
        {approvals.map(({ chain, answer }) => (
          <li>
            <p dir="auto">
              {chain === '' ? 'Approved' : `${lineOf(chain, 60)} approved`} by{' '}
              {lineOf(personName(nameInConfig(answer.by)), 40)}
              {answer.text === null ? '' : `: “${lineOf(answer.text, 120)}”`}
            </p>
            <p class="soft">
              <Ago at={answer.at} now={web.now()} />
              {answer.where === undefined ? '' : ` · ${channelName(answer.where)}`}
            </p>
          </li>
        ))}
        {notes.length + approvals.length === 0 && run.branch === null ? <li class="soft">No commit</li> : null}
      </ul>
    </>
  );
}

/** A line that ends with an address, such as that of a pull request. */
function LinkedLine({ line }: { readonly line: string }) {
  const [, before, address] = /^(|[^\n]*\s)(https:\/\/[^\s<>"]+)$/.exec(line.trim()) ?? [];
  if (address === undefined || !URL.canParse(address) || address.length > maxAddress) return <>{lineOf(line, 300)}</>;
  return (
    <>
      {lineOf(before ?? '', 200)}{' '}
      <a href={address} rel="noreferrer">
        {lineOf(address.replace('https://', ''), 120)}
      </a>
    </>
  );
}

function deliveriesOf(reader: HistoryReader, run: string) {
  return reader
    .newestEvents(run, maxEvents)
    .flatMap(({ event }) => {
      if (event.type !== 'workspace_done' || !event.result.ok) return [];
      const { commit, note } = event.result;
      const [first = '', ...rest] = (note ?? '').split('\n', maxNoteLines);
      return commit === null && !/^\d+ commits?\b|^commit/.test(first)
        ? []
        : [{ chain: event.chain, commit, first, rest, at: event.at }];
    })
    .sort((a, b) => a.at - b.at)
    .slice(-maxShown);
}
