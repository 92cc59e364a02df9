import { type BrowserCall, type CallEvent, startCall } from '../call/call-client.ts';
import { endReasonText } from '../call/call-errors.ts';
import { clockTime } from '../call/clock-time.ts';
import type { OnToolCall } from '../call/page-tools.ts';
import { openMicrophone } from '../call-page/microphone.ts';
import { BUTTON_STYLE } from './button-style.ts';
import type { FetchedSession } from './fetch-session.ts';

export interface CallButton {
  /** Does what a click does. */
  press(): void;
  remove(): void;
}

export interface CallButtonOptions {
  label?: string | undefined;
  target: Element | null;
  fetchSession(): Promise<FetchedSession | string>;
  onEnded?(): void;
  onToolCall?: OnToolCall | undefined;
}

type State = 'idle' | 'connecting' | 'talking' | 'reconnecting';

const ICONS = {
  microphone: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3',
  hang_up:
    'M3 13.2c5-4.9 13-4.9 18 0l-1.7 2.6a1 1 0 0 1-1.3.3l-2.7-1.4a1 1 0 0 1-.5-1.1l.3-1.6a10 10 0 0 0-6.2 0l.3 1.6a1 1 0 0 1-.5 1.1L6 16.1a1 1 0 0 1-1.3-.3z',
};

/** A button in a shadow tree, so that only custom properties of the page style it (docs/embed.md). */
export function createCallButton({
  label = 'Talk to us',
  target,
  fetchSession: session,
  onEnded,
  onToolCall,
}: CallButtonOptions): CallButton {
  const host = document.createElement('antiphon-call');
  const root = host.attachShadow({ mode: 'open' });
  const style = new CSSStyleSheet();
  style.replaceSync(BUTTON_STYLE);
  // An adopted sheet works under every Content-Security-Policy of the page.
  root.adoptedStyleSheets = [style];

  const box = element('div', { class: target ? 'box' : 'box corner', role: 'group', 'aria-label': 'Voice call' });
  const status = element('p', { class: 'status', role: 'status' });
  const mute = element('button', { type: 'button', class: 'mute', 'aria-pressed': 'false' });
  mute.textContent = 'Mute';
  const main = element('button', { type: 'button', class: 'main' });
  const audio = element('audio', { autoplay: '' });
  const row = element('div', { class: 'row' });
  row.append(mute, main);
  box.append(status, row, audio);
  root.append(box);
  (target ?? document.body).append(host);

  let state: State = 'idle';
  let attempt = 0;
  let call: BrowserCall | null = null;
  let track: MediaStreamTrack | null = null;
  let startedAt = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  let muted = false;

  main.onclick = () => (state === 'idle' ? void begin() : hangUp());
  mute.onclick = () => {
    muted = !muted;
    call?.mute(muted);
    show(state, statusOf(state));
  };
  show('idle', '');

  return {
    press: () => main.click(),
    remove() {
      hangUp();
      host.remove();
    },
  };

  async function begin(): Promise<void> {
    attempt += 1;
    const thisAttempt = attempt;
    muted = false;
    show('connecting', 'Allow the microphone, please.');
    const opened = await openMicrophone();
    if (typeof opened === 'string') {
      if (attempt === thisAttempt) show('idle', opened);
      return;
    }
    const found = attempt === thisAttempt ? await session() : '';
    if (attempt !== thisAttempt || typeof found === 'string') {
      opened.stop();
      if (attempt === thisAttempt) show('idle', String(found));
      return;
    }
    track = opened;
    call = startCall({
      url: found.url,
      iceServers: found.ice_servers,
      track: opened,
      onToolCall,
      onEvent: (event) => {
        if (attempt === thisAttempt) handleEvent(event);
      },
    });
  }

  function handleEvent(event: CallEvent): void {
    switch (event.type) {
      case 'connecting':
      case 'reconnecting':
        show(event.type, statusOf(event.type));
        return;
      case 'interrupted':
        show('reconnecting', 'The connection is interrupted. Waiting for the service…');
        return;
      case 'agent_audio':
        audio.srcObject = new MediaStream([event.track]);
        // Browsers refuse to play before a user gesture; try again at the next one.
        audio.play().catch(() => addEventListener('pointerdown', () => void audio.play(), { once: true }));
        return;
      case 'talking':
        startedAt ||= performance.now();
        clearInterval(timer);
        timer = setInterval(() => show(state, statusOf(state)), 1_000);
        show('talking', statusOf('talking'));
        return;
      case 'ended':
        release();
        show('idle', endReasonText(event.reason));
        onEnded?.();
    }
  }

  function hangUp(): void {
    if (state === 'idle') return;
    if (call) {
      call.hangUp();
      return;
    }
    // The call is not placed yet: its attempt is dropped.
    attempt += 1;
    release();
    show('idle', '');
  }

  function release(): void {
    clearInterval(timer);
    track?.stop();
    track = null;
    call = null;
    startedAt = 0;
    audio.srcObject = null;
  }

  function statusOf(of: State): string {
    if (of === 'connecting') return 'Connecting…';
    if (of === 'reconnecting') return 'The connection broke. Reconnecting…';
    const time = clockTime((performance.now() - startedAt) / 1_000);
    return of === 'talking' ? `${muted ? 'Muted' : 'Connected'} · ${time}` : '';
  }

  function show(next: State, words: string): void {
    const same = state === next && status.textContent !== '';
    state = next;
    box.dataset.state = next;
    // A screen reader must not announce the timer every second.
    status.setAttribute('aria-live', same && next === 'talking' ? 'off' : 'polite');
    if (status.textContent !== words) status.textContent = words;
    mute.hidden = next !== 'talking';
    mute.setAttribute('aria-pressed', String(muted));
    const icon = next === 'idle' ? ICONS.microphone : ICONS.hang_up;
    if (main.dataset.icon !== icon) {
      main.dataset.icon = icon;
      main.replaceChildren(iconOf(icon), document.createElement('span'));
    }
    const caption = next === 'idle' ? label : next === 'connecting' ? 'Cancel' : 'Hang up';
    const span = main.lastElementChild;
    if (span && span.textContent !== caption) span.textContent = caption;
  }
}

function element<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes: Record<string, string>) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function iconOf(path: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}
