import type { AdapterContext, AgentSeat, AgentSession, OneShotAdapter } from './port.js';

export function oneShot(adapter: OneShotAdapter, seat: AgentSeat, context: AdapterContext): AgentSession {
  const { args, env, input } = adapter.launch(seat, context);
  const reader = adapter.reader(seat, context);
  return {
    stopSignal: adapter.stopSignal,
    launch: { args, env },
    begin(host) {
      host.send(input);
      host.close(null);
    },
    read: (line) => reader.read(line),
    hear: (line) => reader.hear(line),
    end: (exit, errors) => reader.end(exit, errors),
    answer: () => undefined,
    interrupt: () => false,
  };
}
