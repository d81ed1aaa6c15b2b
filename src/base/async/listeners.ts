export class Listeners<T> {
  readonly #all = new Set<(news: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(listen: (news: T) => void): () => void {
    this.#all.add(listen);
    return () => this.#all.delete(listen);
  }

  tell(news: T): void {
    for (const listen of this.#all) {
      try {
        listen(news);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
