import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { advanceCircuit, type Circuit, type CircuitEvent, closedCircuit, isUsable } from './circuit.ts';
import type { ProviderFailure } from './provider-error.ts';

/** The health of providers as this engine's calls found it: one circuit (`circuit.ts`) for each. */
export interface Health {
  /** Why a call should start with another provider, for its timeline; null: it may start with this one. */
  unhealthyReason(key: string): string | null;
  /** A call starts with this provider. While its circuit is open, that call tries it and no other does. */
  onTried(key: string): void;
  /** How a use of the provider ended; null: it succeeded. */
  onOutcome(key: string, failure: { kind: ProviderFailure; message: string } | null): void;
  /** The keys of the open circuits, for metrics. */
  unhealthy(): string[];
}

export interface HealthOptions {
  clock: Pick<Clock, 'now'>;
  log: Logger;
}

export function createHealth({ clock, log }: HealthOptions): Health {
  const circuits = new Map<string, { circuit: Circuit; lastFailure: string }>();

  function advance(key: string, event: CircuitEvent, failure: string | null): void {
    const known = circuits.get(key) ?? { circuit: closedCircuit, lastFailure: '' };
    const circuit = advanceCircuit(known.circuit, event, clock.now());
    const lastFailure = failure ?? known.lastFailure;
    circuits.set(key, { circuit, lastFailure });
    const cool_down_ms = circuit.coolDownMs;
    if (circuit.open && circuit.open.untilMs !== known.circuit.open?.untilMs) {
      log.warn({ provider: key, error: lastFailure, cool_down_ms }, 'provider unhealthy, circuit open');
    } else if (known.circuit.open && !circuit.open)
      log.info({ provider: key }, 'provider healthy again, circuit closed');
  }

  return {
    unhealthyReason(key) {
      const known = circuits.get(key);
      if (!known?.circuit.open || isUsable(known.circuit, clock.now())) return null;
      const { failures, of } = known.circuit.open;
      return `${failures} of its last ${of} uses failed, the last with ${known.lastFailure}`;
    },
    onTried: (key) => advance(key, { type: 'tried' }, null),
    onOutcome(key, failure) {
      if (failure) advance(key, { type: 'failed', kind: failure.kind }, `${failure.kind}: ${failure.message}`);
      else advance(key, { type: 'answered' }, null);
    },
    unhealthy: () => [...circuits].flatMap(([key, { circuit }]) => (circuit.open ? key : [])),
  };
}
