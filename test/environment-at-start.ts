/** The environment of this process before its first test file. */
export const environmentAtStart: Readonly<Record<string, string | undefined>> = { ...process.env };
