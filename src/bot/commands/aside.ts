// What was done for a message before it is planned, because it takes time or touches the world outside the database.

export type Aside =
  | { readonly kind: 'nothing' }
  /** The folder of this new project is made, and config.yaml has it. */
  | { readonly kind: 'made'; readonly project: string }
  | { readonly kind: 'not_made'; readonly why: string }
  /** What the configured program chose of Bosun's own proposals, by what their buttons say. */
  | { readonly kind: 'chosen'; readonly says: readonly string[] };

export const nothingAside: Aside = { kind: 'nothing' };
