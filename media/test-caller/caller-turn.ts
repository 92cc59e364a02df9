/**
 * What the caller of a test does on the line during one turn, as a function of what is heard there: says the text, waits for the
 * agent, interrupts it where that is asked for, and is done when the agent has finished.
 */

export interface CallerTurn {
  readonly hangsUp: boolean;
  readonly interrupts: boolean;
  phase: 'speaking' | 'waiting' | 'listening' | 'interrupting' | 'done';
  /** Since when it is in this phase. */
  sinceMs: number;
  /** The agent has spoken after the caller. */
  agentSpoke: boolean;
  interrupted: boolean;
}

export interface Line {
  nowMs: number;
  /** The caller's words are not all said. */
  saying: boolean;
  /** For how long the agent has been silent; 0 while it speaks. */
  agentSilentMs: number;
}

/** What to do now, besides listening. */
export type CallerStep = 'interrupt' | 'hang up' | 'done' | null;

/** Longer than the pauses inside the agent's speech: this much silence means that it has finished. */
const AGENT_DONE_MS = 900;
/** Shorter silences are pauses between words. */
export const AGENT_PAUSE_MS = 250;
/** An interruption begins this long after the agent began to speak. */
const INTERRUPT_AFTER_MS = 1_200;
const ANSWER_DEADLINE_MS = 15_000;
const LISTEN_DEADLINE_MS = 90_000;

interface RequestedTurn {
  says: boolean;
  interrupts: boolean;
  hangsUp: boolean;
  /** The agent has spoken since the last turn: it may have said all before a turn without words was asked for. */
  agentSpoke: boolean;
}

export function startTurn({ says, interrupts, hangsUp, ...heard }: RequestedTurn, nowMs: number): CallerTurn {
  const agentSpoke = heard.agentSpoke && !says && !hangsUp;
  const phase = says || hangsUp ? 'speaking' : agentSpoke ? 'listening' : 'waiting';
  return { hangsUp, interrupts, phase, sinceMs: nowMs, agentSpoke, interrupted: false };
}

export function nextStep(turn: CallerTurn, { nowMs, saying, agentSilentMs }: Line): CallerStep {
  const enter = (phase: CallerTurn['phase']) => Object.assign(turn, { phase, sinceMs: nowMs });
  const spentMs = nowMs - turn.sinceMs;
  const agentSpeaks = agentSilentMs < AGENT_PAUSE_MS;
  const done = () => {
    enter('done');
    return 'done' as const;
  };

  switch (turn.phase) {
    case 'speaking':
    case 'interrupting':
      if (saying) return null;
      if (turn.hangsUp) {
        enter('done');
        return 'hang up';
      }
      enter('waiting');
      return null;
    case 'waiting':
      if (agentSpeaks) {
        turn.agentSpoke = true;
        enter('listening');
      } else if (spentMs >= ANSWER_DEADLINE_MS) return done();
      return null;
    case 'listening':
      if (turn.interrupts && !turn.interrupted && agentSpeaks && spentMs >= INTERRUPT_AFTER_MS) {
        turn.interrupted = true;
        enter('interrupting');
        return 'interrupt';
      }
      return agentSilentMs >= AGENT_DONE_MS || spentMs >= LISTEN_DEADLINE_MS ? done() : null;
    case 'done':
      return null;
  }
}
