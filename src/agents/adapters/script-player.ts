/** The program that plays one prepared answer; it is handed to `node -e` and reads the answer from standard input. */
export const PLAYER_SOURCE = `
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const answer = JSON.parse(fs.readFileSync(0, 'utf8'));

function put(files, flag) {
  for (const [file, text] of files) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, { flag });
  }
}

function run(argv) {
  const ended = spawnSync(argv[0], argv.slice(1), { input: answer.prompt, stdio: ['pipe', 'inherit', 'inherit'] });
  if (ended.error && ended.error.code !== 'EPIPE') {
    process.stderr.write(ended.error.message + '\\n');
    return 127;
  }
  return ended.status === null ? 1 : ended.status;
}

// Not on standard output, so that an answer can be silence.
process.stderr.write(answer.banner + '\\n');
setTimeout(() => {
  put(answer.write, 'w');
  put(answer.append, 'a');
  const exit = answer.run === null ? 0 : run(answer.run);
  put(answer.reports, 'w');
  if (answer.output !== '') process.stdout.write(answer.output.endsWith('\\n') ? answer.output : answer.output + '\\n');
  process.exitCode = answer.exit === null ? exit : answer.exit;
}, answer.delayMs);
`;
