const shapes = {
  you: (
    <>
      <path d="M8 .9 15.1 8 8 15.1.9 8z" fill="currentColor" stroke="none" />
      <path d="M8 4.6v4M8 10.9v.1" class="cutout" stroke-width="1.7" />
    </>
  ),
  other: (
    <>
      <path d="M8 1.6 14.4 8 8 14.4 1.6 8z" stroke-width="1.7" />
      <circle cx="8" cy="8" r="1.3" fill="currentColor" stroke="none" />
    </>
  ),
  work: (
    <>
      <path d="M8 1.6a6.4 6.4 0 1 1-5.5 3.1" stroke-width="2" />
      <circle cx="8" cy="8" r="2.2" fill="currentColor" stroke="none" />
    </>
  ),
  done: (
    <>
      <circle cx="8" cy="8" r="6.9" fill="currentColor" stroke="none" />
      <path d="m4.9 8.2 2.2 2.2 4-4.5" class="cutout" stroke-width="1.7" />
    </>
  ),
  fail: (
    <>
      <path d="M5 1.2h6L14.8 5v6L11 14.8H5L1.2 11V5z" fill="currentColor" stroke="none" />
      <path d="m5.7 5.7 4.6 4.6m0-4.6-4.6 4.6" class="cutout" stroke-width="1.7" />
    </>
  ),
  queue: <path d="M2 4h12M2 8h9M2 12h6" stroke-width="1.9" />,
  pause: <path d="M5.4 3v10M10.6 3v10" stroke-width="2.6" />,
  stop: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="m3.9 3.9 8.2 8.2" />
    </>
  ),
  none: <circle cx="8" cy="8" r="5.6" stroke-dasharray="2 2.4" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <path d="M8 4.5V8l2.4 1.6" />
    </>
  ),
  home: <path d="M2.2 7.2 8 2l5.8 5.2V14H9.8v-4H6.2v4h-4z" />,
  inbox: <path d="M1.8 9h3.4l1 2h3.6l1-2h3.4M1.8 9 4 3h8l2.2 6v4.2H1.8z" />,
  plus: <path d="M8 3v10M3 8h10" stroke-width="1.9" />,
  more: <path d="M3 8h.01M8 8h.01M13 8h.01" stroke-width="2.6" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.6" />
      <path d="m10.6 10.6 3.6 3.6" />
    </>
  ),
  file: <path d="M3.4 1.6h6L12.8 5v9.4H3.4zM9.4 1.6V5h3.4" />,
  pencil: <path d="M2.4 13.6 3.2 10.2 10.8 2.6l2.6 2.6-7.6 7.6zM9.2 4.2l2.6 2.6" />,
  bell: <path d="M3.2 11.6V7.2a4.8 4.8 0 0 1 9.6 0v4.4l1.2 1H2zM6.6 14.4h2.8" />,
  comment: <path d="M2 2.8h12v8.4H7.6L4.6 14v-2.8H2z" />,
  branch: (
    <>
      <circle cx="4.4" cy="3.4" r="1.7" />
      <circle cx="4.4" cy="12.6" r="1.7" />
      <circle cx="11.6" cy="5" r="1.7" />
      <path d="M4.4 5.1v5.8M11.6 6.7c0 3-7.2 1.4-7.2 4.2" />
    </>
  ),
  first: <path d="M3 2.5h10M8 14V6M4.8 9 8 5.8 11.2 9" />,
  up: <path d="M8 13.2v-10M4.8 6.4 8 3.2l3.2 3.2" />,
  down: <path d="M8 2.8v10M4.8 9.6 8 12.8l3.2-3.2" />,
  x: <path d="m3.8 3.8 8.4 8.4m0-8.4-8.4 8.4" />,
} as const;

export type IconName = keyof typeof shapes;

export function Sprite() {
  return (
    <svg width="0" height="0" class="hidden" aria-hidden="true">
      <defs>
        {Object.entries(shapes).map(([name, shape]) => (
          <symbol id={`i-${name}`} viewBox="0 0 16 16">
            {shape}
          </symbol>
        ))}
        <Hatch id="hatch-wait" look="wait" turn={45} />
        <Hatch id="hatch-other" look="other" turn={-45} />
      </defs>
    </svg>
  );
}

/** Yours and others' differ in direction, not only colour. */
function Hatch({ id, look, turn }: { readonly id: string; readonly look: string; readonly turn: number }) {
  return (
    <pattern
      id={id}
      class={`hatch ${look}`}
      width="6"
      height="6"
      patternUnits="userSpaceOnUse"
      patternTransform={`rotate(${turn})`}
    >
      <rect width="6" height="6" />
      <path d="M0 0v6" />
    </pattern>
  );
}

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={name === 'work' ? 'i spin' : 'i'} aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}
