import { type Command, Option } from 'commander';
import {
  type ChannelKind,
  type ChannelSetup,
  channelKinds,
  type SetupDesk,
  type SetupOptions,
} from '../../bot/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { openQuestions } from '../questions.js';
import { firstPairing } from './first-pairing.js';

export function registerInitChannels(init: Command, cli: CommandContext): void {
  for (const kind of channelKinds) if (kind.setup !== null) register(init, cli, kind, kind.setup);
}

function register(init: Command, cli: CommandContext, kind: ChannelKind, setup: ChannelSetup): void {
  const command = init.command(kind.name).description(setup.description);
  for (const { flags, description, choices, usual } of setup.options) {
    const option = new Option(flags, description);
    if (choices !== undefined) option.choices(choices);
    if (usual !== undefined) option.default(usual);
    command.addOption(option);
  }
  command.action(cli.act((options: SetupOptions) => connect(cli, kind, setup, options)));
}

async function connect(
  cli: CommandContext,
  { name: channel }: ChannelKind,
  setup: ChannelSetup,
  options: SetupOptions,
): Promise<ExitCode> {
  const meeting = await setup.connect(deskOf(cli), options);
  if (meeting !== null) await firstPairing(cli, channel, meeting);
  return 0;
}

function deskOf(cli: CommandContext): SetupDesk {
  return {
    home: cli.home,
    env: cli.shell.env,
    config: cli.config,
    isTerminal: cli.isTerminal,
    print: (...lines) => cli.print(...lines),
    async asking(act) {
      const questions = openQuestions(cli);
      try {
        return await act(questions.ask);
      } finally {
        questions.close();
      }
    },
  };
}
