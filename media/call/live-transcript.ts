import type { Clock } from '../../shared/clock.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import type { Leg, LiveTranscriptLine } from '../leg/leg.ts';
import type { Reporter } from '../report/reporter.ts';

/** Shows the talk to the caller's own page while it goes on: words as they are understood and heard, then the transcript's lines. */
export interface LiveTranscript {
  /** The call's reporter, listened to: the lines its events carry are final. */
  readonly reporter: Reporter;
  /** The caller is saying this. */
  onCallerPartial(text: string): void;
  /** Every beat: what of the agent's reply was heard meanwhile. */
  tick(nowMs: number): void;
  /** The last lines of the call. */
  close(lines: readonly TranscriptItem[]): void;
}

/** Words of a reply are told this often. */
const AGENT_UPDATE_EVERY_MS = 200;

/** Null where nobody looks. `heardOfAgent`: what was heard so far of the reply that lives, empty without one. */
export function createLiveTranscript(options: {
  leg: Pick<Leg, 'transcript'>;
  reporter: Reporter;
  clock: Clock;
  heardOfAgent(): string;
}): LiveTranscript | null {
  const { leg, reporter, clock, heardOfAgent } = options;
  if (!leg.transcript) return null;
  let nextMs = 0;
  let heard = '';
  let hearing = '';

  const show = (words: LiveTranscriptLine) => leg.transcript?.(words);

  function showLines(lines: readonly TranscriptItem[]): void {
    for (const { role, text, at_ms } of lines) {
      if (role === 'user') hearing = '';
      else heard = '';
      show({ role, text, final: true, at_ms });
    }
  }

  return {
    reporter: {
      ...reporter,
      report(type, message, details) {
        reporter.report(type, message, details);
        showLines(details?.transcript ?? []);
      },
    },
    onCallerPartial(text) {
      if (text === hearing || text === '') return;
      hearing = text;
      show({ role: 'user', text, final: false, at_ms: clock.wall() });
    },
    tick(nowMs) {
      if (nowMs < nextMs) return;
      nextMs = nowMs + AGENT_UPDATE_EVERY_MS;
      const text = heardOfAgent();
      if (text === heard || text === '') return;
      heard = text;
      show({ role: 'agent', text, final: false, at_ms: clock.wall() });
    },
    close: showLines,
  };
}
