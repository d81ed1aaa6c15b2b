import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import { type Parsed, type ParsedJson, parse, parsedJson, type ReplyKind, replyKinds } from '../../bot/index.js';
import type { CommandContext } from '../command-context.js';

interface ParseOptions {
  readonly replyTo?: ReplyKind;
  readonly json?: true;
}

export function registerParse(program: Command, cli: CommandContext): void {
  program
    .command('parse')
    .argument('[text...]', 'the sentence (default: each line of standard input)')
    .description('show how Bosun would read a sentence, without acting on it')
    .addOption(
      new Option('--reply-to <kind>', 'read the text as a reply to an open interaction of this kind').choices(
        replyKinds,
      ),
    )
    .option('--json', 'one JSON object per sentence')
    .action(
      cli.act(async (words: readonly string[], options: ParseOptions) => {
        const names = cli.config.projects;
        const tell = (text: string): Parsed => {
          const parsed = options.replyTo === undefined ? parse(text, names) : parse(text, names, options.replyTo);
          const shown = parsedJson(parsed);
          if (options.json) cli.printJson(shown);
          else cli.print(inWords(shown));
          return parsed;
        };
        if (words.length > 0) return tell(words.join(' ')).verb === null ? 2 : 0;
        const lines = createInterface({ input: cli.shell.stdin, crlfDelay: Number.POSITIVE_INFINITY });
        for await (const line of lines) tell(line);
        return 0;
      }),
    );
}

function inWords(parsed: ParsedJson): string {
  const { text, verb, candidates = [], ...rest } = parsed;
  const facts = Object.entries(rest).flatMap(([key, value]) => (typeof value === 'string' ? [`${key}: ${value}`] : []));
  const meant =
    candidates.length === 0 ? [] : [`did you mean ${candidates.map((one) => `"${one.text}"`).join(' or ')}?`];
  return `${text} → ${[verb ?? 'unclear', ...facts, ...meant].join('  ')}`;
}
