// Hands the web server to src/cli, which may not import it.

// A reader may close the pipe early (`head`).
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const args = process.argv.slice(2);

// An agent waits for this server, so load nothing else.
const isBare = args[1] === undefined || (args.length === 2 && args[1] === '--no-permission-prompt');
if (args[0] === 'mcp' && isBare) {
  const { serveAgent } = await import('./cli/mcp/index.js');
  process.exitCode = await serveAgent(process, args.length === 1);
} else {
  const { processShell, runCli } = await import('./cli/index.js');
  // Only `bosun up` needs it; loading costs other commands a fifth of their time.
  const startWeb: Parameters<typeof runCli>[1]['startWeb'] = async (app, options) =>
    (await import('./web/index.js')).startWeb(app, options);
  process.exitCode = await runCli(args, { startWeb }, processShell());
}

// Open handles must not keep the process alive.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
