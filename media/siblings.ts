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

const sibling = z.object({
  engine_id: z.string(),
  pid: z.number(),
  /** On 127.0.0.1, for siblings. */
  private_port: z.number(),
  load: engineLoad,
});
export type Sibling = z.infer<typeof sibling>;

export const toEngineSchema = z.discriminatedUnion('kind', [
  /** There is one more, with the calls that live there, or one tells how it is doing. */
  z.object({ kind: z.literal('sibling'), sibling, call_ids: z.array(z.string()).optional() }),
  z.object({ kind: z.literal('gone'), engine_id: z.string() }),
  z.object({ kind: z.literal('call'), engine_id: z.string(), call_id: z.string(), here: z.boolean() }),
  /** `all`: nobody stays who could take over the public port. */
  z.object({ kind: z.literal('leave'), patience_ms: z.number(), all: z.boolean() }),
]);
export type ToEngine = z.infer<typeof toEngineSchema>;

export interface Siblings {
  /** The private port of the sibling with which this call lives; null when it lives with none. */
  holderOf(callId: string): number | null;
  /** Private ports of those with room, the most first. */
  withRoom(): number[];
  /** How many more calls they would take, all together. */
  room(): number;
  all(): Sibling[];
  /** To be told at once when a call begins or is over here. */
  tellCall(callId: string, here: boolean): void;
}

export interface SiblingsOptions {
  engineId: string;
  privatePort: number;
  load(): EngineLoad;
  /** The supervisor wants this engine to leave. */
  onLeave(patienceMs: number, all: boolean): void;
  /** The supervisor is gone, and nobody would start this engine again. */
  onAlone(): void;
}

/** What of `process` is needed to talk with the one that forked it. */
export interface ParentChannel {
  connected: boolean;
  send?(message: unknown, handle: undefined, options: undefined, sent: (error: Error | null) => void): boolean;
  on(event: 'message', heard: (message: unknown) => void): unknown;
  on(event: 'disconnect', gone: () => void): unknown;
}

/** The others are believed to have the room they told last, so it is told so often. */
const TELL_EVERY_MS = 1_000;

/** Says that this engine is ready, and how it is doing from then on. */
export function joinSiblings(channel: ParentChannel, options: SiblingsOptions): Siblings {
  const { engineId, privatePort, load } = options;
  const siblings = new Map<string, Sibling>();
  /** The engine of each call of the others. */
  const holders = new Map<string, string>();

  channel.on('message', (message) => {
    const told = toEngineSchema.safeParse(message);
    if (told.success) take(told.data);
  });
  channel.on('disconnect', options.onAlone);
  tell({ kind: 'ready', engine_id: engineId, private_port: privatePort, load: load() });
  setInterval(() => tell({ kind: 'load', load: load() }), TELL_EVERY_MS).unref();

  function tell(message: FromEngine): void {
    // Without a supervisor nobody is told; that it went away is news of its own.
    if (channel.connected) channel.send?.(message, undefined, undefined, () => {});
  }

  function take(told: ToEngine): void {
    switch (told.kind) {
      case 'sibling':
        siblings.set(told.sibling.engine_id, told.sibling);
        for (const callId of told.call_ids ?? []) holders.set(callId, told.sibling.engine_id);
        return;
      case 'gone':
        siblings.delete(told.engine_id);
        for (const [callId, engine] of holders) if (engine === told.engine_id) holders.delete(callId);
        return;
      case 'call':
        if (told.here) holders.set(told.call_id, told.engine_id);
        else if (holders.get(told.call_id) === told.engine_id) holders.delete(told.call_id);
        return;
      case 'leave':
        options.onLeave(told.patience_ms, told.all);
    }
  }

  return {
    holderOf(callId) {
      const holder = holders.get(callId);
      return (holder !== undefined && siblings.get(holder)?.private_port) || null;
    },
    withRoom: () =>
      [...siblings.values()]
        .filter(({ load: { room } }) => room > 0)
        .toSorted((one, other) => other.load.room - one.load.room)
        .map(({ private_port }) => private_port),
    room: () => [...siblings.values()].reduce((sum, { load: { room } }) => sum + room, 0),
    all: () => [...siblings.values()],
    tellCall(callId, here) {
      tell({ kind: 'call', call_id: callId, here });
      tell({ kind: 'load', load: load() });
    },
  };
}

/** Several engines as one: sums, and overloaded or draining when all of them are. */
export function loadOfAll(loads: readonly EngineLoad[]): EngineLoad {
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
export function shortCounts(counts: Readonly<Uint32Array>): number[] {
  return [...counts.subarray(0, counts.findLastIndex((count) => count > 0) + 1)];
}
