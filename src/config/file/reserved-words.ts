// Words of the chat grammar: a project with such a name could not be told from the command.

export const reservedWords: ReadonlySet<string> = new Set([
  ...['abort', 'all', 'approve', 'approved', 'bosun', 'budget', 'build', 'cancel', 'changes', 'continue', 'cost'],
  ...[
    'diff',
    'do',
    'everything',
    'execute',
    'go',
    'help',
    'history',
    'how',
    'inbox',
    'lgtm',
    'log',
    'needs',
    'next',
    'no',
  ],
  ...['of', 'ok', 'okay', 'on', 'pause', 'please', 'proceed', 'projects', 'quiet', 'reject', 'resume', 'retry'],
  ...['rollback', 'skip', 'st', 'start', 'status', 'steps', 'stop', 'stories', 'to', 'use', 'verbose', 'what'],
  ...['where', 'whoami', 'why', 'with', 'yes'],
]);
