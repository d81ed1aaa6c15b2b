// The one file that knows everybody: it puts the rooms together and hands over to the command line.
import { processShell, runCli } from './cli/index.js';
import { startWeb } from './web/index.js';

// Whoever stops reading, as `head` does, has what he wanted: what comes after is lost and nothing is wrong.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.exitCode = await runCli(process.argv.slice(2), { startWeb }, processShell());

// Whatever still hangs on to the process must not keep it: the work is over, and what was printed goes out first.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
