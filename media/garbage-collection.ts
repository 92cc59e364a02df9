import { setFlagsFromString } from 'node:v8';

/**
 * Flags of V8 for the thread that carries audio; `node --v8-options` describes them. `bench/NOTES.md` has what each brought.
 *
 * - heap-growing-percent: the old generation is collected when it is three times what the last collection left, not one and a half times.
 *   Marking runs in steps between frames, of up to 10 ms each where cores are short, and was begun anew every five seconds at 100 calls.
 *   It costs memory: at most twice what lives there, 0.1 to 0.2 MB per call as measured.
 * - no-parallel-scavenge: the young generation is collected by this thread alone. It had to wait for helpers, whose priority is lower.
 */
const FLAGS = ['--heap-growing-percent=200', '--no-parallel-scavenge'];

/**
 * Makes garbage collection hold up the calling thread for less time. For a process that carries calls, at its start. Both flags are read
 * by V8 at each collection, so they may be set while it runs (https://nodejs.org/api/v8.html#v8setflagsfromstringflags).
 */
export function shortenGarbageCollection(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
