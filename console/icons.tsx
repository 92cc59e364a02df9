import type { ComponentChildren } from 'preact';

/** Drawn on 24 units; always beside a label, so hidden from screen readers. */
function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const MicrophoneIcon = () => (
  <Icon>
    <rect x="9" y="3" width="6" height="11" rx="3" />
    <path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3" />
  </Icon>
);

export const MutedIcon = () => (
  <Icon>
    <path d="M9 9V6a3 3 0 0 1 6 0v5m-1 2.4A3 3 0 0 1 9 11.5M5.5 11.5a6.5 6.5 0 0 0 10.3 5.3M18.5 11.5a6 6 0 0 1-.5 2.5M12 18v3M4 4l16 16" />
  </Icon>
);

export const HangUpIcon = () => (
  <Icon>
    <path d="M3 13.2c5-4.9 13-4.9 18 0l-1.7 2.6a1 1 0 0 1-1.3.3l-2.7-1.4a1 1 0 0 1-.5-1.1l.3-1.6a10 10 0 0 0-6.2 0l.3 1.6a1 1 0 0 1-.5 1.1L6 16.1a1 1 0 0 1-1.3-.3z" />
  </Icon>
);

export const KeypadIcon = () => (
  <Icon>
    {[6, 12, 18].flatMap((y) =>
      [6, 12, 18].map((x) => <circle key={`${x} ${y}`} cx={x} cy={y} r="0.9" fill="currentColor" />),
    )}
  </Icon>
);

export const SearchIcon = () => (
  <Icon>
    <circle cx="11" cy="11" r="6.5" />
    <path d="m16 16 4.5 4.5" />
  </Icon>
);

export const MenuIcon = () => (
  <Icon>
    <path d="M4 7h16M4 12h16M4 17h16" />
  </Icon>
);

export const BackIcon = () => (
  <Icon>
    <path d="M19 12H5m6-6-6 6 6 6" />
  </Icon>
);

export const PinIcon = () => (
  <Icon>
    <path d="M9 4h6l-.8 5.5L17 12v2H7v-2l2.8-2.5zM12 14v6" />
  </Icon>
);

export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <g stroke="currentColor" stroke-width="2.8" stroke-linecap="round">
      <path d="M7 13v6M13 8v16M19 11.5v9M25 14v4" />
    </g>
  </svg>
);

export const PlayIcon = () => (
  <Icon>
    <path d="M7 5v14l12-7z" fill="currentColor" />
  </Icon>
);

export const PauseIcon = () => (
  <Icon>
    <path d="M8 5v14M16 5v14" stroke-width="3" />
  </Icon>
);
