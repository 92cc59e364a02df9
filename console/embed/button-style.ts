/** Styles of the embedded button. Pages may set the custom properties that begin with `--antiphon-`. */
export const BUTTON_STYLE = `
:host {
  all: initial;
  --accent: var(--antiphon-accent, #0b7a6c);
  --on-accent: var(--antiphon-on-accent, #ffffff);
  --ground: var(--antiphon-ground, light-dark(#ffffff, #1b1e1d));
  --ink: var(--antiphon-ink, light-dark(#1c1d1b, #edeeec));
  --radius: var(--antiphon-radius, 999px);
  color-scheme: inherit;
  display: inline-block;
  font: var(--antiphon-font, 1rem / 1.4 system-ui, sans-serif);
  color: var(--ink);
}
* { box-sizing: border-box; }
.box { display: grid; justify-items: start; gap: 0.5rem; max-width: min(20rem, calc(100vw - 2rem)); }
.corner {
  position: fixed;
  right: var(--antiphon-right, max(1.25rem, env(safe-area-inset-right)));
  bottom: var(--antiphon-bottom, max(1.25rem, env(safe-area-inset-bottom)));
  z-index: var(--antiphon-layer, 2147483000);
  justify-items: end;
}
.status {
  margin: 0;
  padding: 0.5rem 0.875rem;
  border-radius: 12px;
  background: var(--ground);
  box-shadow: 0 1px 2px rgb(0 0 0 / 12%), 0 6px 24px rgb(0 0 0 / 14%);
  font-size: 0.9375rem;
  font-variant-numeric: tabular-nums;
}
.status:empty { display: none; }
.row { display: flex; gap: 0.5rem; }
button {
  display: inline-flex;
  align-items: center;
  gap: 0.5rem;
  min-height: 3rem;
  padding: 0.5rem 1.25rem;
  border: 1px solid transparent;
  border-radius: var(--radius);
  box-shadow: 0 1px 2px rgb(0 0 0 / 16%), 0 6px 20px rgb(0 0 0 / 16%);
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button:hover { filter: brightness(1.07); }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
button[hidden] { display: none; }
.box:not([data-state="idle"]) .main, .mute { background: var(--ground); color: var(--ink); }
.mute[aria-pressed="true"] { border-color: var(--accent); color: var(--accent); }
svg {
  width: 1.25rem;
  height: 1.25rem;
  fill: none;
  stroke: currentColor;
  stroke-width: 1.75;
  stroke-linecap: round;
  stroke-linejoin: round;
}
`;
