import type { Heartbeat } from '../../../shared/bus/messages.ts';
import type { Clock } from '../../../shared/clock.ts';

/** The live media engines, and the choice of one for a new stream. */
export interface EngineRegistry {
  recordHeartbeat(heartbeat: Heartbeat): void;
  /**
   * How many more calls the live engines accept in total, less those that are on their way to one: the calls that this process
   * assigned since the last heartbeats, and `waiting`, ids of calls that need an engine when they are answered. At most 0 when
   * every engine is full; infinite when no engine is known, or one that reports no headroom.
   */
  headroom(waiting?: Iterable<string>): number;
  /** Assigns a call to the engine with the most headroom, and returns its address (`wss://…`, no slash at the end). */
  assign(callId: string): string;
  /** Assigns a call whose stream did not open: to another engine than before, where one has headroom. */
  assignAnother(callId: string): string;
  /** The address of the engine that holds a call already; the common one when the engine is not known. */
  addressOf(engineId: string): string;
  /** Frees the assignment of a call that has ended before a heartbeat listed it. */
  release(callId: string): void;
  /** Live engines, engines that are silent but not lost yet, and the headroom that the live ones report. */
  state(): { live: number; silent: number; headroom: number };
}

interface KnownEngine {
  address: string;
  headroom: number;
  heartbeatMs: number;
}

interface Assignment {
  address: string;
  atMs: number;
}

/** An engine without a heartbeat (one every 10 seconds) for this long is lost; the reaper ends its calls. */
const LOST_AFTER_MS = 45_000;
/** An engine without a heartbeat for this long gets no new call: two are missing, and the third is half due. */
const SILENT_AFTER_MS = 25_000;
/** By then a stream has opened and is in a heartbeat, or it will not come. */
const ASSIGNMENT_TTL_MS = 15_000;
const MAX_ENGINES = 10_000;
const MAX_ADDRESS_CHARACTERS = 300;

/**
 * Kept in memory from the heartbeats, which every control process receives. Engines with the same address, such as several
 * processes behind a proxy, count as one with the sum of their headroom.
 *
 * @param commonAddress where streams go when engines have no address of their own, or none is known.
 */
export function createEngineRegistry(commonAddress: string, clock: Clock): EngineRegistry {
  const common = commonAddress.replace(/\/+$/, '');
  const engines = new Map<string, KnownEngine>();
  const assigned = new Map<string, Assignment>();

  return {
    recordHeartbeat({ engine_id, call_ids, headroom, public_url = '' }) {
      // Deleted first, so that the map stays in the order of the last heartbeats.
      engines.delete(engine_id);
      engines.set(engine_id, {
        address: parseAddress(public_url) ?? common,
        headroom: headroom ?? Number.POSITIVE_INFINITY,
        heartbeatMs: clock.now(),
      });
      // The reported headroom counts these already.
      for (const callId of call_ids) assigned.delete(callId);
      removeExpired();
    },

    headroom(waiting = []) {
      removeExpired();
      if (engines.size === 0) return Number.POSITIVE_INFINITY;
      const coming = new Set(assigned.keys());
      for (const id of waiting) coming.add(id);
      let total = -coming.size;
      for (const engine of candidates()) total += engine.headroom;
      return total;
    },

    assign: (callId) => assignCall(callId),

    assignAnother: (callId) => assignCall(callId, assigned.get(callId)?.address),

    release(callId) {
      assigned.delete(callId);
    },

    state() {
      removeExpired();
      const live = [...engines.values()].filter(isLive);
      const headroom = live.reduce((sum, engine) => sum + engine.headroom, 0);
      return { live: live.length, silent: engines.size - live.length, headroom };
    },

    addressOf(engineId) {
      removeExpired();
      return engines.get(engineId)?.address ?? common;
    },
  };

  function assignCall(callId: string, failed?: string): string {
    removeExpired();
    // A second assignment of one call replaces the first.
    assigned.delete(callId);
    const address = chooseAddress(failed);
    assigned.set(callId, { address, atMs: clock.now() });
    return address;
  }

  /** Engines for new calls. When all are silent at once, the bus is the likelier cause, so all of them are candidates. */
  function candidates(): KnownEngine[] {
    const all = [...engines.values()];
    const live = all.filter(isLive);
    return live.length > 0 ? live : all;
  }

  function isLive({ heartbeatMs }: KnownEngine): boolean {
    return clock.now() - heartbeatMs < SILENT_AFTER_MS;
  }

  function chooseAddress(failed?: string): string {
    const others = candidates().filter(({ address, headroom }) => address !== failed && headroom >= 1);
    const headroomOf = new Map<string, number>();
    const all = failed !== undefined && others.length > 0 ? others : candidates();
    for (const { address, headroom } of all) headroomOf.set(address, (headroomOf.get(address) ?? 0) + headroom);
    for (const { address } of assigned.values()) {
      const headroom = headroomOf.get(address);
      if (headroom !== undefined) headroomOf.set(address, headroom - 1);
    }
    let best = { address: common, headroom: Number.NEGATIVE_INFINITY };
    for (const [address, headroom] of headroomOf) if (headroom > best.headroom) best = { address, headroom };
    return best.address;
  }

  function removeExpired(): void {
    const nowMs = clock.now();
    for (const [id, { heartbeatMs }] of engines) {
      if (nowMs - heartbeatMs < LOST_AFTER_MS && engines.size <= MAX_ENGINES) break;
      engines.delete(id);
    }
    for (const [callId, { atMs }] of assigned) {
      if (nowMs - atMs < ASSIGNMENT_TTL_MS) break;
      assigned.delete(callId);
    }
  }
}

/** Null when the text is empty or not the URL of a WebSocket. */
function parseAddress(text: string): string | null {
  if (text === '' || text.length > MAX_ADDRESS_CHARACTERS || !URL.canParse(text)) return null;
  const { protocol, search, hash } = new URL(text);
  if ((protocol !== 'wss:' && protocol !== 'ws:') || search !== '' || hash !== '') return null;
  return text.replace(/\/+$/, '');
}
