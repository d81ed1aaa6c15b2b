const recoveries = {
  E002: 'Say where it stands, or mend the state file.',
  E003: 'Name the phase, or restore the folder of its artifacts.',
  E004: 'It is taken as a failure.',
  E005: 'Retry the step, or give it more time.',
  W001: 'The chain grows.',
  W002: 'A person is asked.',
} as const;

type Code = keyof typeof recoveries;

export function coded(code: Code, what: string): string {
  return `${code}: ${what}. ${recoveries[code]}`;
}
