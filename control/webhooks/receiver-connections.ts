import { Agent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../shared/clock.ts';

/** Shorter than the five seconds after which Node's servers close an unused connection (nodejs.org, "server.keepAliveTimeout"). */
const UNUSED_MS = 4_000;
/** Then a new connection looks up the name and checks its addresses and certificate again. */
const MAX_AGE_MS = 60_000;
/** Unused ones of one host. */
const MAX_UNUSED = 8;

/** Connections to receivers, kept for their next deliveries. `destroy` closes them. */
export class ReceiverConnections extends Agent {
  readonly #clock: Clock;
  /** Since a connection's first response. */
  readonly #sinceMs = new WeakMap<Duplex, number>();

  constructor(clock: Clock) {
    // Without cached sessions every connection shows its certificate.
    super({ keepAlive: true, timeout: UNUSED_MS, maxFreeSockets: MAX_UNUSED, maxCachedSessions: 0 });
    this.#clock = clock;
  }

  /** Node asks this after a response; false closes the connection (nodejs.org, "agent.keepSocketAlive"). */
  override keepSocketAlive(socket: Duplex): boolean {
    const sinceMs = this.#sinceMs.get(socket) ?? this.#clock.now();
    this.#sinceMs.set(socket, sinceMs);
    if (this.#clock.now() - sinceMs >= MAX_AGE_MS) return false;
    return (super.keepSocketAlive(socket) as unknown) !== false;
  }
}
