// The entry point: hands the web server, which src/cli may not import, to the command line.

// A reader that closes the pipe early, as `head` does, is no error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const args = process.argv.slice(2);

// A coding agent waits for this server to start, so nothing else is loaded.
if (args[0] === 'mcp' && args.length === 1) {
  const { serveAgent } = await import('./cli/mcp/index.js');
  process.exitCode = await serveAgent(process);
} else {
  const { processShell, runCli } = await import('./cli/index.js');
  // Only `bosun up` serves a page; loading it takes a fifth as long as everything else together.
  const startWeb: Parameters<typeof runCli>[1]['startWeb'] = async (app, options) =>
    (await import('./web/index.js')).startWeb(app, options);
  process.exitCode = await runCli(args, { startWeb }, processShell());
}

// Exits once the output is flushed: a handle that is still open must not keep the process alive.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
