import type { Command } from 'commander';
import { BosunError } from '../../base/index.js';
import type { Finding } from '../../bot/index.js';
import type { CommandContext } from '../command-context.js';
import { checkAgents } from './agents.js';
import { checkChannels } from './channels.js';
import { checkDelivery } from './delivery.js';
import { checkHome, checkLease } from './home.js';
import { checkMachine } from './machine.js';
import { checkProjects } from './projects.js';
import { checkQueue } from './queue.js';
import { checkWebhooks } from './webhooks.js';

export function registerDoctor(program: Command, cli: CommandContext): void {
  program
    .command('doctor')
    .description('check every part and say how to fix what is broken')
    .option('--json', 'one JSON document')
    .option('--probe', 'let ACP agents run a harmless command, to see whether they ask (calls their model)')
    .action(
      cli.act(async ({ json, probe }: { readonly json?: true; readonly probe?: true }) => {
        const findings = [
          ...(await checkHome(cli)),
          ...(await checkQueue(cli)),
          ...(await unlessDamaged(() => checkLease(cli))),
          ...(await checkProjects(cli)),
          ...(await checkAgents(cli, probe === true)),
          ...(await unlessDamaged(() => checkWebhooks(cli))),
          ...(await checkChannels(cli)),
          ...(await unlessDamaged(() => checkDelivery(cli))),
          ...(await checkMachine(cli)),
        ];
        const ok = findings.every(({ state }) => state !== 'bad');
        if (json) cli.printJson({ ok, checks: findings });
        for (const { name, state, text, mend } of json ? [] : findings) {
          cli.print(`${state.padEnd(4)}  ${name}: ${text}`);
          if (mend !== null) cli.print(`      → ${mend}`);
        }
        return ok ? 0 : 1;
      }),
    );
}

/** checkHome reports a damaged database. */
async function unlessDamaged(check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof BosunError && error.code === 'bad_database') return [];
    throw error;
  }
}
