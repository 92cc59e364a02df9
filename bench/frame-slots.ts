/** Callers send a frame every 20 ms: one timer for all of them, with a slot for each millisecond. */

const FRAME_MS = 20;
const STALL_MS = 20;
const LATE_MS = 5;

/** What sends the frames of one slot, each with the time at which its frame is due. */
export type FrameSlot = Set<(dueMs: number) => void>;

export interface FrameSlots {
  /** Returns the slots in turn. */
  next(): FrameSlot;
  /** Callers' frames that were sent more than 5 ms late, a sign that the load generator is at its limit. */
  readonly lateness: { frames: number; late: number };
  /** Stalls of this process of 20 ms or more, during which its measurements are invalid. */
  readonly stalls: readonly { fromMs: number; toMs: number }[];
  close(): void;
}

export function createFrameSlots(): FrameSlots {
  const slots = Array.from({ length: FRAME_MS }, (): FrameSlot => new Set());
  const stalls: { fromMs: number; toMs: number }[] = [];
  const startMs = performance.now();
  let lastMs = 0;
  let taken = 0;
  let timer = setTimeout(run, 1);

  function run(): void {
    const now = Math.floor(performance.now() - startMs);
    if (now - lastMs >= STALL_MS) stalls.push({ fromMs: startMs + lastMs, toMs: startMs + now });
    for (; lastMs <= now; lastMs++) for (const send of slots[lastMs % FRAME_MS]!) send(startMs + lastMs);
    timer = setTimeout(run, 1);
  }

  return {
    next: () => slots[taken++ % FRAME_MS]!,
    lateness: { frames: 0, late: 0 },
    stalls,
    close: () => clearTimeout(timer),
  };
}

/** Counts a frame that was just sent, and returns the time. */
export function countSent(lateness: FrameSlots['lateness'], dueMs: number): number {
  const nowMs = performance.now();
  lateness.frames++;
  if (nowMs - dueMs > LATE_MS) lateness.late++;
  return nowMs;
}
