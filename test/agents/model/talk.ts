// What a model is asked, and what it does next, without a word of anybody's wire format.

/** A conversation as it stands: what was asked last, and what came of everything that was called since. */
export interface Talk {
  readonly prompt: string;
  /** All that it was prompted with before in the same session. */
  readonly before: readonly string[];
  readonly results: readonly string[];
  /** All that came after the prompt, as the provider's format has it. */
  readonly since: string;
  /** Names of the tools that are offered; none: a side question, such as a title. */
  readonly tools: readonly string[];
}

/** What ends a turn. `crawl`: in words, with a pause between them. */
export type Words =
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'crawl'; readonly text: string; readonly everyMs: number };

/** What a shell could do as well. */
export type Deed =
  | { readonly do: 'run'; readonly command: string }
  | { readonly do: 'read'; readonly path: string }
  | { readonly do: 'write'; readonly path: string; readonly text: string };

/** A tool by the end of its name, so that `ask_human` is found behind any prefix. */
export interface Call {
  readonly do: 'call';
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the agent does, to come back with what came of it. */
export type Use = Deed | Call;

export type Move =
  | Words
  | Use
  | { readonly do: 'fail'; readonly status: number; readonly message: string; readonly retryAfterS: number | null }
  /** Takes the request and says nothing, until the other side goes away. */
  | { readonly do: 'hang' };

export type Brain = (talk: Talk) => Move;

/** What is done for a prompt, one move after each result; after the last one the turn is over. */
type Moves = readonly Move[];

/** By the title of the step that the prompt begins with: its moves, or what chooses them by the whole prompt. */
export type Script = Readonly<Record<string, Moves | ((talk: Talk) => Moves)>>;

export function scripted(script: Script): Brain {
  return (talk) => {
    if (talk.tools.length === 0) return say('A title');
    const step = stepOf(talk.prompt);
    const moves = step === null ? undefined : script[step];
    if (moves === undefined) return say(`The model has no script for ${step ?? 'this'}.`);
    const chosen = typeof moves === 'function' ? moves(talk) : moves;
    return chosen[talk.results.length] ?? say('It is done.');
  };
}

const opening = /^You are executing step (.+?) for /m;

export function stepOf(prompt: string): string | null {
  return opening.exec(prompt)?.[1] ?? null;
}

export const say = (text: string): Move => ({ do: 'say', text });
export const run = (command: string): Move => ({ do: 'run', command });
export const read = (path: string): Move => ({ do: 'read', path });
export const write = (path: string, text: string): Move => ({ do: 'write', path, text });
export const call = (tool: string, input: Readonly<Record<string, unknown>>): Move => ({ do: 'call', tool, input });
export const hang: Move = { do: 'hang' };

export function fail(status: number, message = 'as the test wants it', retryAfterS: number | null = null): Move {
  return { do: 'fail', status, message, retryAfterS };
}
