// `bosun mcp`: agents talk to Bosun through it.
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';

export function registerMcp(program: Command, cli: CommandContext): void {
  program
    .command('mcp')
    .description(
      'an MCP server on stdio for agents: ask_human, permission_prompt, report_progress, report, note, progress_log',
    )
    .option('--no-permission-prompt', 'leave permission_prompt out: only Claude Code calls it itself')
    .action(
      cli.act(async ({ permissionPrompt }: { permissionPrompt: boolean }) =>
        (await import('./index.js')).serveAgent(cli.shell, permissionPrompt),
      ),
    );
}
