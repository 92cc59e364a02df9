import type { OnToolCall } from '../call/page-tools.ts';
import { type CallButton, createCallButton } from './call-button.ts';
import { fetchSession } from './fetch-session.ts';

/**
 * The script tag for other websites:
 *
 *     <script src="https://voice.example.com/embed.js" data-token-url="/start-call"></script>
 *
 * `data-token-url` is a URL of the page's own server, which requests `POST /api/v1/agents/{agent_id}/web-call` with its API key
 * and returns the response. Optional: `data-label` (text of the button), `data-target` (selector of the element that holds the
 * button instead of the corner). `window.Antiphon` has `button()` and `call()`. See docs/embed.md.
 */

export interface ButtonOptions {
  /** Responds to a POST with the response of `web-call`, or with its `session` alone. */
  tokenUrl: string;
  label?: string;
  /** The element that holds the button; without it, the lower right corner. */
  target?: Element | null;
  /** Runs the agent's tools of kind `client` in this page. */
  onToolCall?: OnToolCall;
}

export interface CallSession {
  url: string;
  /** Appended to `url` where `url` does not end with it. */
  token?: string;
  ice_servers?: RTCIceServer[];
}

/** Adds a button that starts a call when it is pressed. `remove()` removes it and ends its call. */
export function button({ tokenUrl, label, target, onToolCall }: ButtonOptions): CallButton {
  return createCallButton({ label, target: target ?? null, onToolCall, fetchSession: () => fetchSession(tokenUrl) });
}

/** Starts a call now, which needs a user gesture for audio. Shows a button that is removed after the end of the call. */
export function call(session: CallSession, { onToolCall }: { onToolCall?: OnToolCall } = {}): CallButton {
  const { url, token = '', ice_servers = [] } = session;
  const whole = token !== '' && !url.endsWith(token) ? `${url.replace(/\/+$/, '')}/${token}` : url;
  const made = createCallButton({
    target: null,
    onToolCall,
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
