// Runs git for the Bosun that started it, and ends with it.
import { runGit } from './git-process.js';
import type { StarterOrder, StarterReport } from './starter-messages.js';

const aborts = new Map<number, AbortController>();
const stuckAnswers = new Map<number, (isStuck: boolean) => void>();

function tell(report: StarterReport): void {
  if (process.connected) process.send?.(report);
}

async function run({ id, run: wanted, asksIfStuck, mayAbort }: Extract<StarterOrder, { run: unknown }>): Promise<void> {
  const controller = new AbortController();
  aborts.set(id, controller);
  const isStuck = () =>
    new Promise<boolean>((resolve) => {
      stuckAnswers.set(id, resolve);
      tell({ id, asksIfStuck: true });
    });
  const end = await runGit({
    ...wanted,
    ...(asksIfStuck && { isStuck }),
    ...(mayAbort && { signal: controller.signal }),
  });
  aborts.delete(id);
  stuckAnswers.delete(id);
  tell({ id, end });
}

process.on('message', (order: StarterOrder) => {
  if ('run' in order) void run(order);
  else if ('abort' in order) aborts.get(order.id)?.abort();
  else stuckAnswers.get(order.id)?.(order.isStuck);
});

// Without Bosun its git must not go on writing. `exit` ends those that no signal aborts.
process.on('disconnect', () => {
  for (const controller of aborts.values()) controller.abort();
  process.exit();
});

tell({ ready: true });
