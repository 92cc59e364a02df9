import { z } from 'zod';

/**
 * The engines of one machine that share its public port, as one of them knows the others: where a call lives, and who has
 * room. They tell the supervisor (`supervisor.ts`) over the channel it holds to each, and it tells the others.
 */

/** How an engine is doing, as its `/metricsz` shows it. */
const engineLoad = z.object({
  calls: z.number(),
  /** How many more calls it would take; 0 also while it has no bus. */
  room: z.number(),
  overloaded: z.boolean(),
  draining: z.boolean(),
  /** Beats by their lateness in whole milliseconds, without the zeros at the end. */
  lag_counts: z.array(z.number()),
  /** Streams it passes on to a sibling. */
  relayed: z.number(),
});
export type EngineLoad = z.infer<typeof engineLoad>;

export const fromEngineSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), engine_id: z.string(), private_port: z.number(), load: engineLoad }),
  z.object({ kind: z.literal('load'), load: engineLoad }),
  z.object({ kind: z.literal('call'), call_id: z.string(), here: z.boolean() }),
]);
export type FromEngine = z.infer<typeof fromEngineSchema>;

const peerProcess = z.object({
  engine_id: z.string(),
  pid: z.number(),
  /** On 127.0.0.1, for siblings. */
  private_port: z.number(),
  load: engineLoad,
});
export type PeerProcess = z.infer<typeof peerProcess>;

export const toEngineSchema = z.discriminatedUnion('kind', [
  /** There is one more, with the calls that live there, or one tells how it is doing. */
  z.object({ kind: z.literal('sibling'), sibling: peerProcess, call_ids: z.array(z.string()).optional() }),
  z.object({ kind: z.literal('gone'), engine_id: z.string() }),
  z.object({ kind: z.literal('call'), engine_id: z.string(), call_id: z.string(), here: z.boolean() }),
  /** `all`: nobody stays who could take over the public port. */
  z.object({ kind: z.literal('leave'), patience_ms: z.number(), all: z.boolean() }),
]);
export type ToEngine = z.infer<typeof toEngineSchema>;

export interface PeerProcesses {
  /** The private port of the sibling with which this call lives; null when it lives with none. */
  ownerOf(callId: string): number | null;
  /** Private ports of those with room, the most first. */
  withHeadroom(): number[];
  /** How many more calls they would take, all together. */
  headroom(): number;
  all(): PeerProcess[];
  /** To be told at once when a call begins or is over here. */
  reportCall(callId: string, here: boolean): void;
}

export interface PeerProcessesOptions {
  engineId: string;
  privatePort: number;
  load(): EngineLoad;
  /** The supervisor wants this engine to leave. */
  onShutDown(patienceMs: number, all: boolean): void;
  /** The supervisor is gone, and nobody would start this engine again. */
  onSupervisorGone(): void;
}

/** What of `process` is needed to talk with the one that forked it. */
export interface ParentChannel {
  connected: boolean;
  send?(message: unknown, handle: undefined, options: undefined, sent: (error: Error | null) => void): boolean;
  on(event: 'message', heard: (message: unknown) => void): unknown;
  on(event: 'disconnect', gone: () => void): unknown;
}

/** The others are believed to have the room they told last, so it is told so often. */
const REPORT_INTERVAL_MS = 1_000;

/** Says that this engine is ready, and how it is doing from then on. */
export function joinPeerProcesses(channel: ParentChannel, options: PeerProcessesOptions): PeerProcesses {
  const { engineId, privatePort, load } = options;
  const peers = new Map<string, PeerProcess>();
  /** The engine of each call of the others. */
  const owners = new Map<string, string>();

  channel.on('message', (message) => {
    const told = toEngineSchema.safeParse(message);
    if (told.success) handle(told.data);
  });
  channel.on('disconnect', options.onSupervisorGone);
  send({ kind: 'ready', engine_id: engineId, private_port: privatePort, load: load() });
  setInterval(() => send({ kind: 'load', load: load() }), REPORT_INTERVAL_MS).unref();

  function send(message: FromEngine): void {
    // Without a supervisor nobody is told; that it went away is news of its own.
    if (channel.connected) channel.send?.(message, undefined, undefined, () => {});
  }

  function handle(told: ToEngine): void {
    switch (told.kind) {
      case 'sibling':
        peers.set(told.sibling.engine_id, told.sibling);
        for (const callId of told.call_ids ?? []) owners.set(callId, told.sibling.engine_id);
        return;
      case 'gone':
        peers.delete(told.engine_id);
        for (const [callId, engine] of owners) if (engine === told.engine_id) owners.delete(callId);
        return;
      case 'call':
        if (told.here) owners.set(told.call_id, told.engine_id);
        else if (owners.get(told.call_id) === told.engine_id) owners.delete(told.call_id);
        return;
      case 'leave':
        options.onShutDown(told.patience_ms, told.all);
    }
  }

  return {
    ownerOf(callId) {
      const holder = owners.get(callId);
      return (holder !== undefined && peers.get(holder)?.private_port) || null;
    },
    withHeadroom: () =>
      [...peers.values()]
        .filter(({ load: { room } }) => room > 0)
        .toSorted((one, other) => other.load.room - one.load.room)
        .map(({ private_port }) => private_port),
    headroom: () => [...peers.values()].reduce((sum, { load: { room } }) => sum + room, 0),
    all: () => [...peers.values()],
    reportCall(callId, here) {
      send({ kind: 'call', call_id: callId, here });
      send({ kind: 'load', load: load() });
    },
  };
}

/** Several engines as one: sums, and overloaded or draining when all of them are. */
export function combineLoads(loads: readonly EngineLoad[]): EngineLoad {
  const lagCounts: number[] = [];
  for (const { lag_counts } of loads) {
    for (const [ms, count] of lag_counts.entries()) lagCounts[ms] = (lagCounts[ms] ?? 0) + count;
  }
  const sum = (of: (load: EngineLoad) => number) => loads.reduce((total, load) => total + of(load), 0);
  return {
    calls: sum(({ calls }) => calls),
    room: sum(({ room }) => room),
    overloaded: loads.every(({ overloaded }) => overloaded),
    draining: loads.every(({ draining }) => draining),
    lag_counts: lagCounts,
    relayed: sum(({ relayed }) => relayed),
  };
}

/** As it is told to others: the zeros at the end are most of it. */
export function withoutTrailingZeros(counts: Readonly<Uint32Array>): number[] {
  return [...counts.subarray(0, counts.findLastIndex((count) => count > 0) + 1)];
}
