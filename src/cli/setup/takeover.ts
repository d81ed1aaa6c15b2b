import { BosunError } from '../../base/index.js';
import type { ProjectConfig } from '../../config/index.js';
import { takeSnapshot, type Where } from '../../config/index.js';
import { type ForeignState, findForeignState, settleFiles, workflowOfStateIn } from '../../dispatch/index.js';
import type { Workflow } from '../../engine/index.js';
import type { CommandContext } from '../command-context.js';
import { withStore } from '../open-store.js';
import { openQuestions } from '../questions.js';
import { perform, speaker } from '../service/say.js';

export interface TakeoverOptions {
  readonly yes?: true;
  readonly afresh?: true;
}

const threadTimeoutS = 60;

export async function offerTakeover(
  cli: CommandContext,
  project: ProjectConfig,
  options: TakeoverOptions,
): Promise<void> {
  if (workflowOfStateIn(project.root) === null) return;
  const { found, place } = await foreignIn(cli, project);
  if (found === null) return;
  cli.tell(...found.words);
  const choice = await choose(cli, found, options);
  if (choice === 'later') {
    cli.tell(`Nothing of it is overwritten. To decide: bosun say "continue ${project.name}"`);
  } else if (choice === 'resume') {
    const request = { do: 'takeover' as const, project: project.name, ...speaker(cli, { thread: 'local' }) };
    await perform(cli, request, { timeout: threadTimeoutS });
  } else {
    settleFiles(place, found.files);
    cli.tell('Starting afresh.');
  }
}

async function foreignIn(cli: CommandContext, { name, root, workflow: configured }: ProjectConfig) {
  const home = cli.home.dir;
  const workflow = workflowOf(configured, { root, cwd: root, home, opens: 'any', configured });
  const hasRuns = await withStore(cli, (store) => (store?.runs(name, 1, null).length ?? 0) > 0);
  const place = { home, root, hasRuns };
  return { place, found: workflow && findForeignState({ ...place, workflow }) };
}

/** Null: does not load; the first run reports that. */
function workflowOf(name: string, where: Where): Workflow | null {
  try {
    return takeSnapshot(name, where).workflow;
  } catch (error) {
    if (error instanceof BosunError) return null;
    throw error;
  }
}

async function choose(
  cli: CommandContext,
  { resume }: ForeignState,
  options: TakeoverOptions,
): Promise<'resume' | 'afresh' | 'later'> {
  const best = resume === null ? 'afresh' : 'resume';
  if (options.afresh) return 'afresh';
  if (options.yes) return best;
  if (!cli.isTerminal) return 'later';
  const questions = openQuestions(cli);
  try {
    const said = await questions.ask(`${resume === null ? '' : '[r]esume there, '}start [a]fresh, or [l]ater? [l]: `);
    if (/^r/i.test(said) && resume !== null) return 'resume';
    return /^a/i.test(said) ? 'afresh' : 'later';
  } finally {
    questions.close();
  }
}
