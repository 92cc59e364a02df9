/** One speech, its audio kept whole so that it can be rewound to the playout position. Positions are in bytes of the leg's format. */
export interface Speech {
  id: string;
  bytes: Uint8Array;
  generated: number;
  sent: number;
  playedOut: number;
  /** The last frame below full volume ends here. */
  softUntil: number;
  /** All audio was given. */
  complete: boolean;
  paused: boolean;
  run: Run | null;
  /** The leg knows that nothing follows. */
  ended: boolean;
}

/** An unbroken sequence of frames at the carrier. */
export interface Run {
  startMs: number;
  /** Position in the speech where the run begins. */
  from: number;
}

const INITIAL_BYTES = 32_000;

export function createSpeech(id: string, paused: boolean): Speech {
  return {
    id,
    bytes: new Uint8Array(INITIAL_BYTES),
    generated: 0,
    sent: 0,
    playedOut: 0,
    softUntil: 0,
    complete: false,
    paused,
    run: null,
    ended: false,
  };
}

export function appendAudio(speech: Speech, bytes: Uint8Array): void {
  const needed = speech.generated + bytes.length;
  if (needed > speech.bytes.length) {
    const larger = new Uint8Array(Math.max(speech.bytes.length * 2, needed));
    larger.set(speech.bytes.subarray(0, speech.generated));
    speech.bytes = larger;
  }
  speech.bytes.set(bytes, speech.generated);
  speech.generated = needed;
}
