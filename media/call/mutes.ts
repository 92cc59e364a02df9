import type { Clock, Timer } from '../../shared/clock.ts';
import type { LiveOrder, LiveOrderResult } from '../../shared/live-control.ts';
import type { Reporter } from '../report/reporter.ts';
import type { AgentControl } from './agent-control.ts';
import type { CallerAudio } from './caller-audio.ts';
import type { Participants } from './participants.ts';

/**
 * Mutes agent and caller by order. A mute that nobody ends does so by itself, which is on the timeline; an order to mute within a mute
 * starts its time again. The agent stays silent for as long as a person speaks in its place.
 */
export interface Mutes {
  set(order: Extract<LiveOrder, { action: 'mute' }>): LiveOrderResult;
  close(): void;
}

export interface MutesOptions {
  agent: Pick<AgentControl, 'muteAgent' | 'onCallerMuted'>;
  callerAudio: Pick<CallerAudio, 'setMuted'>;
  participants: Pick<Participants, 'hasTakenOver'>;
  reporter: Pick<Reporter, 'report'>;
  clock: Clock;
}

type Side = 'agent' | 'caller';

export function createMutes({ agent, callerAudio, participants, reporter, clock }: MutesOptions): Mutes {
  const timers: Partial<Record<Side, Timer>> = {};

  function mute(side: Side, muted: boolean): LiveOrderResult {
    if (side === 'agent') return agent.muteAgent(muted);
    callerAudio.setMuted(muted);
    agent.onCallerMuted(muted);
    return { done: true, detail: '' };
  }

  function end(side: Side): void {
    // The person who took over hands the caller back to an agent that may speak.
    if (side === 'agent' && participants.hasTakenOver()) return;
    mute(side, false);
    const data = { action: 'mute', side, muted: false, by: 'service', by_id: '' };
    reporter.report('call.control', `the mute of the ${side} ended by itself`, { data });
  }

  return {
    set({ side, muted, max_seconds }) {
      const result = mute(side, muted);
      if (!result.done) return result;
      timers[side]?.cancel();
      delete timers[side];
      if (muted) timers[side] = clock.after(max_seconds * 1_000, () => end(side));
      return result;
    },
    close() {
      for (const timer of Object.values(timers)) timer.cancel();
    },
  };
}
