// Commands of antfarm, dynamic_ralph and maestro-flow.

const commands: readonly (readonly [typed: RegExp, here: string])[] = [
  [/^step stories\b/, 'bosun stories RUN'],
  [/^step (peek|next)\b/, 'bosun status PROJECT'],
  [/^(dispatch )?peek\b/, 'bosun status PROJECT'],
  [/^(orchestrator )?dispatch\b/, 'bosun say "continue PROJECT"'],
  [/^workflow run\b/, 'bosun run PROJECT "task" --workflow W'],
  [/^workflow status\b/, 'bosun status PROJECT'],
  [/^workflow runs\b/, 'bosun runs'],
  [/^workflow resume\b/, 'bosun say "continue PROJECT"'],
  [/^workflow (stop|cancel)\b/, 'bosun say "abort PROJECT"'],
  [
    /^(workflow )?(install|uninstall|ensure-crons)\b/,
    'not needed: every YAML file in the project’s .ai/workflows is a workflow',
  ],
  [/^(logs|tail)\b/, 'bosun log RUN NODE'],
  [/^dashboard\b/, 'bosun web'],
  [/^medic\b/, 'bosun doctor'],
  [/^(execute|resume|continue|next)\b/, 'bosun say "continue PROJECT"'],
  [/^(approve|reject|retry|skip|abort|stop)\b/, 'bosun say "VERB PROJECT"'],
];

export function hintForForeign(argv: readonly string[]): string | null {
  const typed = argv.filter((word) => !word.startsWith('-')).join(' ');
  const here = commands.find(([pattern]) => pattern.test(typed))?.[1];
  return here === undefined ? null : `In Bosun: ${here.replace('VERB', argv[0] ?? '')}`;
}
