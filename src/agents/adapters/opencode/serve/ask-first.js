// A plugin that `opencode serve` loads for Bosun. OpenCode asks about the commands that its parser finds in a line, and
// runs a line in which it finds none (`> file`, `declare -p x > file`) unasked. So each line gets a first command.
delete process.env.OPENCODE_SERVER_PASSWORD;

export const AskFirst = async () => ({
  'tool.execute.before': async ({ tool }, { args }) => {
    if (tool === 'bash' && typeof args.command === 'string') args.command = `:; ${args.command}`;
  },
});
