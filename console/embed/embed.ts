import { type CallButton, createCallButton } from './call-button.ts';
import { fetchSession } from './fetch-session.ts';

/**
 * One script tag for the pages of others:
 *
 *     <script src="https://voice.example.com/embed.js" data-token-url="/start-call"></script>
 *
 * `data-token-url` is an address of the page's own server, which asks `POST /api/v1/agents/{agent_id}/web-call` with its key and
 * hands the answer on. Further: `data-label` (of the button), `data-target` (a selector: the button stands in that element
 * instead of the corner). As `window.Antiphon` there are `button()` and `call()`. See docs/embed.md.
 */

export interface ButtonOptions {
  /** Answers a POST with what `web-call` answered, or with its `session` alone. */
  tokenUrl: string;
  label?: string;
  /** Where the button stands; without it, in the lower right corner. */
  target?: Element | null;
}

export interface CallSession {
  url: string;
  /** Part of `url`; taken where `url` does not end with it. */
  token?: string;
  ice_servers?: RTCIceServer[];
}

/** A button that opens a call each time it is pressed. `remove()` takes it away, and ends its call. */
export function button({ tokenUrl, label, target }: ButtonOptions): CallButton {
  return createCallButton({ label, target: target ?? null, fetchSession: () => fetchSession(tokenUrl) });
}

/** Begins this call now: after a click, for browsers play no sound before one. The button shows it, and is gone after the end. */
export function call(session: CallSession): CallButton {
  const { url, token = '', ice_servers = [] } = session;
  const whole = token !== '' && !url.endsWith(token) ? `${url.replace(/\/+$/, '')}/${token}` : url;
  const made = createCallButton({
    target: null,
    fetchSession: async () => ({ url: whole, ice_servers }),
    onEnded: () => setTimeout(() => made.remove(), 6_000),
  });
  made.press();
  return made;
}

const script = document.currentScript;
if (script instanceof HTMLScriptElement && script.dataset.tokenUrl) {
  const { tokenUrl, label, target } = script.dataset;
  const place = () => void button({ tokenUrl, label, target: target ? document.querySelector(target) : null });
  if (document.body && !target) place();
  else document.addEventListener('DOMContentLoaded', place, { once: true });
}
