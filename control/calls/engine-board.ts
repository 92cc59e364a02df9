import type { Heartbeat } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';

/** The media engines heard of, and where a new stream goes. */
export interface EngineBoard {
  /** Takes a heartbeat. */
  heard(heartbeat: Heartbeat): void;
  /**
   * How many more calls the engines heard of lately would take, all together, less those on their way to one: the ones
   * this process gave an address since, and `waiting`, ids of calls that will need a place when they are answered. At most
   * 0 when every engine is full; infinite when no engine was heard of, or one that does not count.
   */
  room(waiting?: Iterable<string>): number;
  /** The address (`wss://…`, no slash at the end) of the engine with the most room, which has one place less from then on. */
  place(callId: string): string;
  /** The address of an engine that holds a call already; the common one when it is not heard of. */
  addressOf(engineId: string): string;
  /** This call needs no place any more, though no heartbeat has named it. */
  over(callId: string): void;
  /** For an operator: how many engines are heard, how many fell silent and are not lost yet, and the room the heard ones told. */
  state(): { heard: number; silent: number; room: number };
}

interface HeardEngine {
  address: string;
  room: number;
  heardMs: number;
}

interface Placed {
  address: string;
  atMs: number;
}

/** An engine silent for so long is lost; it sends a heartbeat every 10 seconds. The reaper ends its calls then. */
const LOST_AFTER_MS = 45_000;
/** An engine silent for so long gets no new call: two heartbeats are missing, and half the time to the third. */
const DOUBTED_AFTER_MS = 25_000;
/** By then a stream is there and in a heartbeat, or it does not come. */
const SEEN_WITHIN_MS = 15_000;
const MOST_ENGINES = 10_000;
const MOST_ADDRESS_CHARACTERS = 300;

/**
 * Kept in memory from the heartbeats, which every control process hears; nothing of it has to outlive the process. Engines of one
 * address, several processes behind a proxy or all without an address of their own, count as one with the sum of their rooms.
 *
 * @param commonAddress where streams go when engines have no address of their own, or none was heard of.
 */
export function createEngineBoard(commonAddress: string, clock: Clock): EngineBoard {
  const common = commonAddress.replace(/\/+$/, '');
  const engines = new Map<string, HeardEngine>();
  const placed = new Map<string, Placed>();

  return {
    heard({ engine_id, call_ids, headroom: room, public_url = '' }) {
      // Oldest first, as the map keeps them: the place of an engine is where it was last heard.
      engines.delete(engine_id);
      engines.set(engine_id, {
        address: readAddress(public_url) ?? common,
        room: room ?? Number.POSITIVE_INFINITY,
        heardMs: clock.now(),
      });
      // Its room counts these already.
      for (const callId of call_ids) placed.delete(callId);
      forget();
    },

    room(waiting = []) {
      forget();
      if (engines.size === 0) return Number.POSITIVE_INFINITY;
      const coming = new Set(placed.keys());
      for (const id of waiting) coming.add(id);
      let room = -coming.size;
      for (const engine of candidates()) room += engine.room;
      return room;
    },

    place(callId) {
      forget();
      // Asked twice for one call, the last answer counts.
      placed.delete(callId);
      const address = roomiest();
      placed.set(callId, { address, atMs: clock.now() });
      return address;
    },

    over(callId) {
      placed.delete(callId);
    },

    state() {
      forget();
      const lately = [...engines.values()].filter(heardLately);
      const room = lately.reduce((sum, engine) => sum + engine.room, 0);
      return { heard: lately.length, silent: engines.size - lately.length, room };
    },

    addressOf(engineId) {
      forget();
      return engines.get(engineId)?.address ?? common;
    },
  };

  /** Those that new calls may go to. When all fell silent at once it is more likely we who do not hear: then all of them. */
  function candidates(): HeardEngine[] {
    const all = [...engines.values()];
    const lately = all.filter(heardLately);
    return lately.length > 0 ? lately : all;
  }

  function heardLately({ heardMs }: HeardEngine): boolean {
    return clock.now() - heardMs < DOUBTED_AFTER_MS;
  }

  function roomiest(): string {
    const rooms = new Map<string, number>();
    for (const { address, room } of candidates()) rooms.set(address, (rooms.get(address) ?? 0) + room);
    for (const { address } of placed.values()) {
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
      if (nowMs - heardMs < LOST_AFTER_MS && engines.size <= MOST_ENGINES) break;
      engines.delete(id);
    }
    for (const [callId, { atMs }] of placed) {
      if (nowMs - atMs < SEEN_WITHIN_MS) break;
      placed.delete(callId);
    }
  }
}

/** Null when it has none, or what it says is no address. */
function readAddress(text: string): string | null {
  if (text === '' || text.length > MOST_ADDRESS_CHARACTERS || !URL.canParse(text)) return null;
  const { protocol, search, hash } = new URL(text);
  if ((protocol !== 'wss:' && protocol !== 'ws:') || search !== '' || hash !== '') return null;
  return text.replace(/\/+$/, '');
}
