// The line inside `/bin/bash -lc '…'`.

/** null: not surely a system shell with one quoted argument, so the whole command is what runs. */
export function bareLine(command: string): string | null {
  const quoted = /^(?:\/usr)?\/bin\/(?:ba|z|)sh -l?c '([^']*)'$/s.exec(command)?.[1];
  return quoted ?? /^(?:\/usr)?\/bin\/(?:ba|z|)sh -l?c ([\w./:=@%+,-]+)$/.exec(command)?.[1] ?? null;
}
