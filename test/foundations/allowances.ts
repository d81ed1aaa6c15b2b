// What the guards of the tree still let pass. A list can only shrink: the test fails when an entry is no longer needed.
export const allowances: Readonly<
  Record<
    'castJson' | 'crowdedFolders' | 'homonyms' | 'optionalParts' | 'strayLiterals' | 'kindComparisons',
    readonly string[]
  >
> = {
  // Rows that Bosun alone writes.
  castJson: ['src/queue/claimed-job.ts', 'src/store/file/json-column.ts'],
  crowdedFolders: [],
  homonyms: [],
  optionalParts: [],
  strayLiterals: [],
  kindComparisons: [],
};
