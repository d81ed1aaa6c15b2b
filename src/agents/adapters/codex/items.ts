// Type names differ: `command_execution` in `exec`, `commandExecution` in the app-server.
import type { AgentEvent } from '../port.js';
import { actionWords, fewWords, within } from '../shared/action-words.js';
import { commandOutput } from '../shared/command-output.js';
import { type Json, numberAt, objectAt, objectsAt, textAt, textsAt } from '../shared/foreign-json.js';

const maxFinalChars = 64 * 1024;
const maxItems = 5000;

export class CodexItems {
  readonly #workdir: string;
  readonly #begun = new Set<string>();
  finalText = '';

  constructor(workdir: string) {
    this.#workdir = workdir;
  }

  /** `isHelpers`: from an agent that the agent started; its words are no answer. */
  take(item: Json | null, isDone: boolean, isHelpers = false): readonly AgentEvent[] | null {
    const type = textAt(item, 'type')?.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (item === null || type === undefined) return null;
    const text = textAt(item, 'text') ?? textAt(item, 'message') ?? textsAt(item, 'summary').join(' ');
    switch (type) {
      case 'agent_message':
        if (!isDone) return [];
        if (isHelpers) return [{ type: 'note', text }];
        this.finalText = text.slice(-maxFinalChars);
        return [{ type: 'text', text }];
      case 'user_message':
        return [];
      case 'reasoning':
        return isDone && text !== '' ? [{ type: 'note', text: `[thinks] ${fewWords(text, 300)}` }] : [];
      case 'error':
        return isDone ? [{ type: 'note', text: `[warning] ${fewWords(text, 300)}` }] : [];
      default:
        return [...this.#action(item, type), ...(isDone ? printedBy(item, type) : [])];
    }
  }

  #action(item: Json, type: string): readonly AgentEvent[] {
    const id = textAt(item, 'id') ?? '';
    if (this.#begun.has(id)) return toolError(item);
    if (this.#begun.size < maxItems) this.#begun.add(id);
    return [...this.#wordsFor(item, type).map((text): AgentEvent => ({ type: 'action', text })), ...toolError(item)];
  }

  #wordsFor(item: Json, type: string): readonly string[] {
    const workdir = this.#workdir;
    switch (type) {
      case 'command_execution':
        return [actionWords('Bash', { command: bareCommand(textAt(item, 'command') ?? '') }, workdir)];
      case 'file_change': {
        const paths = objectsAt(item, 'changes').flatMap((one) => textAt(one, 'path') ?? []);
        return paths.slice(0, 20).map((path) => fewWords(`Edit ${within(workdir, path)}`));
      }
      case 'mcp_tool_call': {
        const tool = `${textAt(item, 'server') ?? ''} ${textAt(item, 'tool') ?? ''}`;
        return [actionWords(tool, objectAt(item, 'arguments'), workdir)];
      }
      case 'dynamic_tool_call':
        return [actionWords(textAt(item, 'tool') ?? type, objectAt(item, 'arguments'), workdir)];
      case 'todo_list':
      case 'plan':
        return [];
      default:
        return [actionWords(type.replaceAll('_', ' '), item, workdir)];
    }
  }
}

/** The two programs spell the fields differently. */
function printedBy(item: Json, type: string): readonly AgentEvent[] {
  if (type !== 'command_execution') return [];
  const exit = numberAt(item, 'exit_code') ?? numberAt(item, 'exitCode');
  return commandOutput(textAt(item, 'aggregated_output') ?? textAt(item, 'aggregatedOutput') ?? '', exit);
}

function toolError(item: Json): readonly AgentEvent[] {
  const message = textAt(objectAt(item, 'error'), 'message');
  if (message !== null) return [{ type: 'note', text: `[tool] failed: ${fewWords(message, 200)}` }];
  return textAt(item, 'status') === 'declined' ? [{ type: 'note', text: '[tool] refused' }] : [];
}

/** Strips the shell wrapper by guessing: for display only. */
function bareCommand(command: string): string {
  const found = /^\S*\b(?:ba|z|)sh -l?c (?:'(.*)'|"(.*)"|(.*))$/s.exec(command);
  const bare = found?.[1]?.replaceAll(`'"'"'`, "'").replaceAll(`'\\''`, "'") ?? found?.[2] ?? found?.[3];
  return bare ?? command;
}
