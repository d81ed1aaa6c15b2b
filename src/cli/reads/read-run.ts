import type { Command } from 'commander';
import {
  eventLine,
  recordLine,
  runFactsLine,
  statusText,
  stepLines,
  storyLines,
  summaryOfRun,
} from '../../bot/index.js';
import type { Run } from '../../engine/index.js';
import type { HistoryReader, HomeReader, RecordReader, StoredRecord } from '../../store/index.js';
import type { CommandContext } from '../command-context.js';
import { statusOfRun, withRun } from '../open-store.js';

interface JsonOption {
  readonly json?: true;
}

const eventsAtOnce = 500;

export function registerRunReads(program: Command, cli: CommandContext): void {
  const reading = (name: string, description: string, json: string) =>
    program.command(name).argument('<run>').description(description).option('--json', json);
  const show = reading('show', 'show a run with its items, nodes and open interactions', 'one JSON document');
  show.action(
    cli.act((said: string, { json }: JsonOption) => withRun(cli, said, (store, run) => showRun(cli, store, run, json))),
  );
  const stories = reading('stories', 'list the stories of a run with their status', 'one JSON document');
  stories.action(
    cli.act((said: string, { json }: JsonOption) =>
      withRun(cli, said, (store, run) => {
        if (json) cli.printJson(statusOfRun(store, run, cli.config).items);
        else cli.print(...storyLines(store, run.id));
        return 0;
      }),
    ),
  );
  const history = reading('history', 'list all events of a run', 'one event per line');
  history.action(
    cli.act((said: string, { json }: JsonOption) =>
      withRun(cli, said, (store, run) => showHistory(cli, store, run, json)),
    ),
  );
}

function showRun(cli: CommandContext, store: HomeReader, run: Run, json: true | undefined): 0 {
  const { project, level, health, run: shown, items, nodes, interactions } = statusOfRun(store, run, cli.config);
  if (json) {
    cli.printJson({ project, level, health, run: shown, items, nodes, interactions });
    return 0;
  }
  const status = statusOfRun(store, run, cli.config);
  const summary = summaryOfRun(store, run.id);
  const tail = summary === '' ? [] : ['', summary];
  cli.print(statusText(status, store.spine(run.id)), runFactsLine(status), '', ...stepLines(store, run.id), ...tail);
  return 0;
}

function showHistory(cli: CommandContext, store: HistoryReader & RecordReader, run: Run, json: true | undefined): 0 {
  const records = [...store.records(run.id)];
  const showRecords = (until: number) => {
    while ((records[0]?.at ?? until) < until) showRecord(cli, records.shift(), json);
  };
  for (const { seq, event } of eventsOf(store, run.id)) {
    showRecords(event.at);
    const at = new Date(event.at).toISOString();
    const text = eventLine(event);
    if (json)
      cli.printJson({
        seq,
        at,
        type: event.type,
        item: event.chain || null,
        by: 'by' in event ? event.by : null,
        text,
      });
    else cli.print(`${at}  ${text}`);
  }
  showRecords(Number.POSITIVE_INFINITY);
  return 0;
}

/** A chain edit's records follow its event. */
function showRecord(cli: CommandContext, stored: StoredRecord | undefined, json: true | undefined): void {
  if (!stored) return;
  const { at, by, chain, record } = stored;
  const text = recordLine(stored);
  const time = new Date(at).toISOString();
  const { action, step, details } = record;
  if (json) cli.printJson({ seq: null, at: time, type: action, item: chain || null, by, text, step, details });
  else cli.print(`${time}  ${text}`);
}

export function* eventsOf(store: HistoryReader, run: string) {
  for (let after = 0; ; ) {
    const page = store.events(run, after, eventsAtOnce);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < eventsAtOnce) return;
    after = last.seq;
  }
}
