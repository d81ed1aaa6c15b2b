export interface Signals {
  readonly came: Promise<'signal'>;
  ignore(): void;
}

export function watchSignals(names: readonly NodeJS.Signals[]): Signals {
  const { promise: came, resolve } = withResolver<'signal'>();
  const onSignal = () => resolve('signal');
  for (const name of names) process.on(name, onSignal);
  return {
    came,
    ignore: () => {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

export async function endsWithin(ending: Promise<unknown>, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = withResolver<false>();
  const timer = setTimeout(() => resolve(false), limitMs);
  try {
    return await Promise.race([ending.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function withResolver<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
