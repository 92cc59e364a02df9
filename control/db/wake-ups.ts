import type { Bus } from '../../shared/bus/bus.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { errorText, type Logger } from '../../shared/log.ts';

/** What there is to do for background jobs. */
export type WakeTopic =
  | 'dispatch'
  | 'after calls'
  | 'deliveries'
  | 'renewals'
  | 'agent tests'
  | 'sources'
  | 'number orders'
  | 'payments'
  | 'exports';

/**
 * Wakes background jobs of this process, and through `shareWakeUps` those of the others. Wake-ups only save the wait for the next
 * poll: some may be missed.
 */
export interface WakeUps {
  wake(topic: WakeTopic, key: string): void;
  on(topic: WakeTopic, listener: (key: string) => void): { stop(): void };
  /** Wakes this process only. */
  receive(topic: string, key: string): void;
  /** Passes on what this process wakes; null: to nobody. */
  forwardTo(forward: ((topic: WakeTopic, key: string) => void) | null): void;
}

export function createWakeUps(): WakeUps {
  const listeners = new Map<string, Set<(key: string) => void>>();
  let forward: ((topic: WakeTopic, key: string) => void) | null = null;
  const receive = (topic: string, key: string) => {
    for (const listener of listeners.get(topic) ?? []) listener(key);
  };
  return {
    receive,
    wake(topic, key) {
      receive(topic, key);
      forward?.(topic, key);
    },
    on(topic, listener) {
      const ofTopic = listeners.get(topic) ?? new Set();
      listeners.set(topic, ofTopic.add(listener));
      return { stop: () => void ofTopic.delete(listener) };
    },
    forwardTo(to) {
      forward = to;
    },
  };
}

/** Wake-ups of one topic within this time are one message. */
const COLLECT_MS = 5;

/** Wakes the jobs of the other control processes as well, over the bus, and of this one when they do. */
export function shareWakeUps(
  wakeUps: WakeUps,
  { bus, clock, log }: { bus: Pick<Bus, 'sendWakeUp' | 'onWakeUp'>; clock: Clock; log: Logger },
): { stop(): void } {
  const from = newId();
  const collected = new Map<WakeTopic, Set<string>>();
  let timer: Timer | null = null;
  const publish = () => {
    timer = null;
    for (const [topic, keys] of collected) {
      try {
        bus.sendWakeUp({ from, topic, keys: [...keys] });
      } catch (error) {
        // The other processes poll.
        log.debug({ error: errorText(error) }, 'wake-up could not be sent');
      }
    }
    collected.clear();
  };
  wakeUps.forwardTo((topic, key) => {
    const keys = collected.get(topic) ?? new Set();
    collected.set(topic, keys.add(key));
    timer ??= clock.after(COLLECT_MS, publish);
  });
  const subscription = bus.onWakeUp((message) => {
    if (message.from === from) return;
    for (const key of message.keys) wakeUps.receive(message.topic, key);
  });
  return {
    stop() {
      subscription.stop();
      wakeUps.forwardTo(null);
      timer?.cancel();
      publish();
    },
  };
}
