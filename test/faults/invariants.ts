import type { VirtualClock } from '../support/virtual-clock.ts';
import type { BookingCall } from './booking-call.ts';
import type { FailingEngine } from './engine.ts';

/** The synthesizer's. */
const MS_PER_CHARACTER = 60;
/** What may be on its way to the caller beyond the last confirmation, and the end of the word there, for each reply. */
const UNCONFIRMED_MS = 900;

/** What must hold after any call, whatever failed in it, when all of it is over and closed: the rules that do not. */
export function brokenInvariants(played: { call: BookingCall; clock: VirtualClock; engine: FailingEngine }): string[] {
  const { call, clock, engine } = played;
  const leftOpen = Object.entries(call.open).filter(([, count]) => count !== 0);
  const ends = call.events.filter(({ type }) => type === 'call.ended').length;
  const inOrder = call.events.every(({ seq }, at) => seq === at + 1);
  const lines = call.events.flatMap(({ transcript }) => transcript).filter(({ role }) => role === 'agent');
  const writtenMs = lines.reduce((sum, { text }) => sum + text.length * MS_PER_CHARACTER, 0);
  const beyondMs = Math.round(writtenMs - call.line.playedMs());
  return [
    leftOpen.length === 0 ? '' : `left open: ${leftOpen.join(' ')}`,
    ends === 1 ? '' : `the end was stored ${ends} times`,
    inOrder ? '' : 'the stored events have gaps',
    beyondMs <= lines.length * UNCONFIRMED_MS ? '' : `${beyondMs} ms in the transcript that were not played`,
    engine.errors.length === 0 ? '' : `errors in the engine: ${engine.errors.join()}`,
    clock.pending() === 0 ? '' : `${clock.pending()} timers left`,
  ].filter((problem) => problem !== '');
}
