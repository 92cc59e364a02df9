import type { Heartbeat } from '../../../shared/bus/messages.ts';
import type { Clock } from '../../../shared/clock.ts';

/** The media engines heard of, and where a new stream goes. */
export interface EngineRegistry {
  /** Takes a heartbeat. */
  recordHeartbeat(heartbeat: Heartbeat): void;
  /**
   * How many more calls the engines heard of lately would take, all together, less those on their way to one: the ones
   * this process gave an address since, and `waiting`, ids of calls that will need a place when they are answered. At most
   * 0 when every engine is full; infinite when no engine was heard of, or one that does not count.
   */
  headroom(waiting?: Iterable<string>): number;
  /** The address (`wss://…`, no slash at the end) of the engine with the most room, which has one place less from then on. */
  assign(callId: string): string;
  /** The address of an engine that holds a call already; the common one when it is not heard of. */
  addressOf(engineId: string): string;
  /** This call needs no place any more, though no heartbeat has named it. */
  release(callId: string): void;
  /** For an operator: how many engines are heard, how many fell silent and are not lost yet, and the room the heard ones told. */
  state(): { recordHeartbeat: number; silent: number; headroom: number };
}

interface KnownEngine {
  address: string;
  headroom: number;
  heardMs: number;
}

interface Assignment {
  address: string;
  atMs: number;
}

/** An engine silent for so long is lost; it sends a heartbeat every 10 seconds. The reaper ends its calls then. */
const LOST_AFTER_MS = 45_000;
/** An engine silent for so long gets no new call: two heartbeats are missing, and half the time to the third. */
const SILENT_AFTER_MS = 25_000;
/** By then a stream is there and in a heartbeat, or it does not come. */
const ASSIGNMENT_TTL_MS = 15_000;
const MAX_ENGINES = 10_000;
const MAX_ADDRESS_CHARACTERS = 300;

/**
 * Kept in memory from the heartbeats, which every control process hears; nothing of it has to outlive the process. Engines of one
 * address, several processes behind a proxy or all without an address of their own, count as one with the sum of their rooms.
 *
 * @param commonAddress where streams go when engines have no address of their own, or none was heard of.
 */
export function createEngineRegistry(commonAddress: string, clock: Clock): EngineRegistry {
  const common = commonAddress.replace(/\/+$/, '');
  const engines = new Map<string, KnownEngine>();
  const assigned = new Map<string, Assignment>();

  return {
    recordHeartbeat({ engine_id, call_ids, headroom: room, public_url = '' }) {
      // Oldest first, as the map keeps them: the place of an engine is where it was last heard.
      engines.delete(engine_id);
      engines.set(engine_id, {
        address: parseAddress(public_url) ?? common,
        headroom: room ?? Number.POSITIVE_INFINITY,
        heardMs: clock.now(),
      });
      // Its room counts these already.
      for (const callId of call_ids) assigned.delete(callId);
      forget();
    },

    headroom(waiting = []) {
      forget();
      if (engines.size === 0) return Number.POSITIVE_INFINITY;
      const coming = new Set(assigned.keys());
      for (const id of waiting) coming.add(id);
      let room = -coming.size;
      for (const engine of candidates()) room += engine.headroom;
      return room;
    },

    assign(callId) {
      forget();
      // Asked twice for one call, the last answer counts.
      assigned.delete(callId);
      const address = roomiest();
      assigned.set(callId, { address, atMs: clock.now() });
      return address;
    },

    release(callId) {
      assigned.delete(callId);
    },

    state() {
      forget();
      const lately = [...engines.values()].filter(heardLately);
      const room = lately.reduce((sum, engine) => sum + engine.headroom, 0);
      return { recordHeartbeat: lately.length, silent: engines.size - lately.length, headroom: room };
    },

    addressOf(engineId) {
      forget();
      return engines.get(engineId)?.address ?? common;
    },
  };

  /** Those that new calls may go to. When all fell silent at once it is more likely we who do not hear: then all of them. */
  function candidates(): KnownEngine[] {
    const all = [...engines.values()];
    const lately = all.filter(heardLately);
    return lately.length > 0 ? lately : all;
  }

  function heardLately({ heardMs }: KnownEngine): boolean {
    return clock.now() - heardMs < SILENT_AFTER_MS;
  }

  function roomiest(): string {
    const rooms = new Map<string, number>();
    for (const { address, headroom: room } of candidates()) rooms.set(address, (rooms.get(address) ?? 0) + room);
    for (const { address } of assigned.values()) {
      const room = rooms.get(address);
      if (room !== undefined) rooms.set(address, room - 1);
    }
    let best = common;
    let most = Number.NEGATIVE_INFINITY;
    for (const [address, room] of rooms) {
      if (room > most) [best, most] = [address, room];
    }
    return best;
  }

  function forget(): void {
    const nowMs = clock.now();
    for (const [id, { heardMs }] of engines) {
      if (nowMs - heardMs < LOST_AFTER_MS && engines.size <= MAX_ENGINES) break;
      engines.delete(id);
    }
    for (const [callId, { atMs }] of assigned) {
      if (nowMs - atMs < ASSIGNMENT_TTL_MS) break;
      assigned.delete(callId);
    }
  }
}

/** Null when it has none, or what it says is no address. */
function parseAddress(text: string): string | null {
  if (text === '' || text.length > MAX_ADDRESS_CHARACTERS || !URL.canParse(text)) return null;
  const { protocol, search, hash } = new URL(text);
  if ((protocol !== 'wss:' && protocol !== 'ws:') || search !== '' || hash !== '') return null;
  return text.replace(/\/+$/, '');
}
