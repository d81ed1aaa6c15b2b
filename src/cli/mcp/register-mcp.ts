// `bosun mcp`: agents talk to Bosun through it.
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';

export function registerMcp(program: Command, cli: CommandContext): void {
  program
    .command('mcp')
    .description('an MCP server on stdio for agents: ask_human, permission_prompt, report_progress')
    .option('--no-permissions', 'without permission_prompt, for agents whose program asks in its own way')
    .action(
      cli.act(async ({ permissions }: { readonly permissions: boolean }) =>
        (await import('./index.js')).serveAgent(cli.shell, permissions),
      ),
    );
}
