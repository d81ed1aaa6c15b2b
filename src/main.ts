// The one file that knows everybody: it puts the rooms together and hands over to the command line.

// Whoever stops reading, as `head` does, has what he wanted: what comes after is lost and nothing is wrong.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const args = process.argv.slice(2);

// An agent waits for this one, which needs nothing of the rest.
if (args[0] === 'mcp' && args.length === 1) {
  const { serveAgent } = await import('./cli/mcp/index.js');
  process.exitCode = await serveAgent(process);
} else {
  const { processShell, runCli } = await import('./cli/index.js');
  // One command of thirty has a page, and to load it takes a fifth of what the others take.
  const startWeb: Parameters<typeof runCli>[1]['startWeb'] = async (app, options) =>
    (await import('./web/index.js')).startWeb(app, options);
  process.exitCode = await runCli(args, { startWeb }, processShell());
}

// Whatever still hangs on to the process must not keep it: the work is over, and what was printed goes out first.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
