import type { JobControl } from '../../jobs/index.js';
import type { AgentOutput } from '../processes/agent-output.js';
import type { Fault } from '../processes/run-process.js';
import { LineSplitter, TailText } from '../processes/text-flow.js';
import type { AgentEvent, AgentOutcome, AgentReader, AgentRequest } from './port.js';
import { fewWords } from './shared/action-words.js';
import type { UsageTally } from './shared/usage.js';

/** A line may hold a whole file; a longer one is cut and not parsed. */
const maxLineChars = 16 * 1024 * 1024;
const maxErrorChars = 16 * 1024;
/** Time for a turn to end after its last words. */
const turnEndMs = 2_000;

export interface RequestListener {
  open(request: AgentRequest): void;
  withdraw(id: string): void;
  progress(text: string): void;
  /** The turn accepts words from now on. */
  listens(): void;
}

export interface ListenerParts {
  readonly reader: AgentReader;
  readonly requests: RequestListener;
  readonly output: AgentOutput;
  readonly control: JobControl;
  readonly tally: UsageTally;
}

export class AgentListener {
  readonly #parts: ListenerParts;
  readonly #lines = { out: new LineSplitter(maxLineChars), err: new LineSplitter() };
  readonly #errors = new TailText(maxErrorChars);
  readonly #account: ReturnType<UsageTally['open']>;
  #isCompleted = false;
  /** Its turn may be about to end. */
  #hasSpoken = false;
  #dueStop: NodeJS.Timeout | undefined;
  #stop: (why: 'budget' | Fault) => void = () => undefined;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
    this.#account = parts.tally.open(() => {
      // A turn that ends is paid for: stopping it would only lose the result.
      if (this.#isCompleted) return;
      if (this.#hasSpoken) this.#dueStop ??= setTimeout(() => this.#goesOn(), turnEndMs);
      else this.#stop('budget');
    });
  }

  onStop(stop: (why: 'budget' | Fault) => void): void {
    this.#stop = stop;
  }

  push(stream: 'out' | 'err', text: string): void {
    if (stream === 'err') {
      this.#parts.output.push('err', text);
      this.#errors.push(text);
    }
    this.#take(stream, this.#lines[stream].push(text));
  }

  end(exit: number | null): AgentOutcome {
    this.#take('out', this.#lines.out.end());
    this.#take('err', this.#lines.err.end());
    this.#parts.output.end();
    clearTimeout(this.#dueStop);
    this.#account.close();
    return this.#parts.reader.end(exit, this.#errors.read());
  }

  emit(events: readonly AgentEvent[]): void {
    for (const event of events) this.#handle(event);
  }

  #take(stream: 'out' | 'err', lines: readonly string[]): void {
    const { reader, output } = this.#parts;
    for (const line of lines) {
      const events = stream === 'out' ? reader.read(line) : reader.hear(line);
      if (events === null && line.trim() !== '') output.note(line);
      this.emit(events ?? []);
    }
  }

  #handle(event: AgentEvent): void {
    const { output, control, requests } = this.#parts;
    if (event.type === 'action' || event.type === 'request') this.#goesOn();
    switch (event.type) {
      case 'started':
        output.record(`[session] ${event.program}${event.session === null ? '' : `, ${event.session}`}`);
        return;
      case 'action':
        output.record(`[tool] ${event.text.replace(/^(\S+): /, '$1 ')}`);
        control.report({ type: 'action', text: event.text });
        return;
      case 'text':
        output.say(event.text);
        this.#hasSpoken = true;
        control.report({ type: 'text', text: fewWords(event.text) });
        return;
      case 'note':
        output.note(event.text);
        return;
      case 'printed':
        output.printed(event.text);
        return;
      case 'question':
        output.note(`[asks] ${fewWords(event.text, 300)}`);
        return;
      case 'request':
        output.record(`[asks] ${requestWords(event.request)}`);
        requests.open(event.request);
        return;
      case 'withdrawn':
        requests.withdraw(event.id);
        return;
      case 'progress':
        requests.progress(event.text);
        return;
      case 'listens':
        requests.listens();
        return;
      case 'usage':
        this.#account.note({ costUsd: event.costUsd, tokensIn: event.tokensIn, tokensOut: event.tokensOut });
        this.#hasSpoken = false;
        return;
      case 'stuck':
        this.#stop(event.fault);
        return;
      case 'completed':
        this.#isCompleted = true;
        return;
    }
  }

  #goesOn(): void {
    this.#hasSpoken = false;
    if (this.#dueStop !== undefined && !this.#isCompleted) this.#stop('budget');
  }
}

function requestWords(request: AgentRequest): string {
  if (request.kind === 'question') return fewWords(request.text, 300);
  return fewWords(`${request.tool}: ${JSON.stringify(request.input)}`, 300);
}
