import { type Output, parseOutput } from '../../engine/index.js';
import type { AttemptLog } from './attempt-log.js';
import { cutLine, LineSplitter, TailText } from './text-flow.js';

const parsedChars = 256 * 1024;
const tailChars = 2048;
const shownChars = 500;
const shownPerSecond = 20;

export class AgentOutput {
  readonly #log: AttemptLog;
  readonly #now: () => number;
  readonly #show: (line: string) => void;
  readonly #out = new TailText(parsedChars);
  readonly #both = new TailText(tailChars);
  readonly #lines = { out: new LineSplitter(), err: new LineSplitter() };
  #noteText: () => void = () => undefined;
  #secondBegan = Number.NEGATIVE_INFINITY;
  #shown = 0;

  constructor(log: AttemptLog, now: () => number, show: (line: string) => void) {
    this.#log = log;
    this.#now = now;
    this.#show = show;
  }

  onText(note: () => void): void {
    this.#noteText = note;
  }

  push(stream: 'out' | 'err', text: string): void {
    this.#noteText();
    if (stream === 'out') this.#out.push(text);
    this.#both.push(text);
    this.#emit(stream, this.#lines[stream].push(text));
  }

  say(text: string): void {
    this.#noteText();
    const own = `${text.trimEnd()}\n`;
    this.#out.push(own);
    this.#both.push(own);
    this.#emit(
      'out',
      own
        .trimEnd()
        .split('\n')
        .map((line) => cutLine(line)),
    );
  }

  /** For log and watchers, never in a report. */
  note(text: string): void {
    this.#noteText();
    this.#emit(
      'out',
      text.split('\n').map((line) => cutLine(line)),
    );
  }

  record(line: string): void {
    this.#noteText();
    this.#log.write('out', [cutLine(line)]);
  }

  /** A command's output, for the log only. */
  printed(text: string): void {
    this.#noteText();
    this.#log.write(
      'tool',
      text.split('\n').map((line) => cutLine(line)),
    );
  }

  end(): void {
    this.#emit('out', this.#lines.out.end());
    this.#emit('err', this.#lines.err.end());
  }

  parse(declaredKeys: readonly string[] | null): Output {
    const output = parseOutput(this.#out.read(), declaredKeys);
    return { ...output, tail: this.#both.read().trim() };
  }

  #emit(stream: 'out' | 'err', lines: readonly string[]): void {
    this.#log.write(stream, lines);
    for (const line of lines) {
      if (line.trim() !== '' && this.#mayShow()) this.#show(line.slice(0, shownChars));
    }
  }

  #mayShow(): boolean {
    const now = this.#now();
    if (now - this.#secondBegan >= 1000) {
      this.#secondBegan = now;
      this.#shown = 0;
    }
    this.#shown += 1;
    return this.#shown <= shownPerSecond;
  }
}
