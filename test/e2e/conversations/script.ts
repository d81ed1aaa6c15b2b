// One conversation, written once and played on every channel. Who the two are depends on the place: in a chat of one
// with Bosun they are the same person.

export type Part = 'asker' | 'reviewer';

export type Deed =
  | { readonly says: string }
  /** What nobody could take for a command: said to Bosun by name where people also talk to each other. */
  | { readonly calls: string }
  /** `to`: words of the card. */
  | { readonly replies: string; readonly to: RegExp }
  | { readonly presses: string; readonly on: RegExp; readonly writes?: string }
  /** A button that was there once. */
  | { readonly pressesLate: string; readonly on: RegExp };

export type Turn = Deed & {
  readonly who: Part;
  /** Words that are new to people after it: of a new message, or of one that says something else than before. */
  readonly sees: readonly RegExp[];
};

/** The agent asks on its first try in every run, and does as it is told from then on. */
export const agentsAnswers = [
  { step: 'build', try: 1, result: { status: 'needs_human', summary: 'Which colour should the button be?' } },
  { step: 'build', append: { 'button.txt': 'a line\n' }, result: { status: 'pass', summary: 'The button is there.' } },
];

export const workflow = `
workflow: talk
version: 1
chain:
  - { id: build, kind: task, prompt: "Build it: {{task}}" }
  - { id: review, kind: human }
`;

/** Each platform has a way of its own to carry such signs. */
const answer = 'Blue, like <the logo> & co: https://example.com/logo?a=1&b=_2_';

export const firstRun: readonly Turn[] = [
  { who: 'asker', says: 'status shop', sees: [/^shop: idle/] },
  { who: 'asker', says: 'start shop: Add a button', sees: [/^Start\? · /] },
  {
    who: 'asker',
    says: 'continue shop',
    sees: [/^Question · Which colour should/],
  },
  {
    who: 'reviewer',
    ...{ replies: answer, to: /^Question/ },
    sees: [/Answered ·.*by .*: “Blue, like <the logo> & co: https:/s, /^Review · Add a button\nshop/],
  },
  {
    who: 'reviewer',
    ...{ presses: 'Request changes', on: /^Review/, writes: 'Name *each* of the tests & <why>.' },
    sees: [
      /Changes requested ·.*by .*: “Name \*each\* of the tests & <why>\.”/s,
      /^Review, 2nd round · Add a button\nshop/,
    ],
  },
  {
    who: 'reviewer',
    ...{ replies: 'LGTM, mind the docs', to: /^Review/ },
    sees: [
      /Approved ·.*by .*mind the docs/s,
      /Done · Add a button\nshop is done/,
      // The task's first card tells it too.
      /^✅ Done · Add a button\nshop · talk · .*\ntook \d/s,
    ],
  },
];

const secondRun: readonly Turn[] = [
  { who: 'asker', says: 'start shop: Drop the button', sees: [/^Start\? · /] },
  { who: 'asker', presses: 'Start', on: /^Start\? ·/, sees: [/Started ·.*by Ada/s, /^Question · Which/] },
  {
    who: 'asker',
    ...{ presses: 'Answer', on: /^Question/, writes: 'Red' },
    sees: [/Answered ·.*by Ada.*: “Red/s, /^Review · Drop the button\nshop/],
  },
  { who: 'asker', says: 'abort shop', sees: [/^Abort\? · Drop the button\nshop/] },
  {
    who: 'asker',
    presses: 'Abort it',
    on: /^Abort\?/,
    sees: [/aborted before it was done/, /^⏹ Aborted · Drop the button\nshop · talk · .*\nAborted by /s],
  },
];

const afterwards: readonly Turn[] = [
  {
    who: 'reviewer',
    pressesLate: 'Approve',
    on: /Add a button/,
    sees: [/^Too late: “Add a button” \(i1-3\) is already closed|^Too late, already decided\. /],
  },
  { who: 'asker', calls: 'sing me a song about boats', sees: [/so I did nothing/] },
  { who: 'asker', says: 'status shop', sees: [/^shop: (aborted|cancelled)/] },
];

export const conversation: readonly Turn[] = [...firstRun, ...secondRun, ...afterwards];
