// The entry point: hands the web server to src/cli, which may not import it.

// A reader may close the pipe early, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const args = process.argv.slice(2);

// An agent waits for this server to start, so nothing else is loaded.
const isBare = args[1] === undefined || (args.length === 2 && args[1] === '--no-permission-prompt');
if (args[0] === 'mcp' && isBare) {
  const { serveAgent } = await import('./cli/mcp/index.js');
  process.exitCode = await serveAgent(process, args.length === 1);
} else {
  const { processShell, runCli } = await import('./cli/index.js');
  // Only `bosun up` needs the web server; loading it costs a fifth of the time that other commands take.
  const startWeb: Parameters<typeof runCli>[1]['startWeb'] = async (app, options) =>
    (await import('./web/index.js')).startWeb(app, options);
  process.exitCode = await runCli(args, { startWeb }, processShell());
}

// Exits once the output is flushed, even if a handle is still open.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
