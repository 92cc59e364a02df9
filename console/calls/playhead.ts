/** Where the recording plays. What follows it is told at every frame, without drawing the page anew. */
export interface Playhead {
  readonly seconds: number;
  move(seconds: number): void;
  /** Returns what ends it. */
  follow(onMove: (seconds: number) => void): () => void;
}

export function createPlayhead(): Playhead {
  const followers = new Set<(seconds: number) => void>();
  let now = 0;
  return {
    get seconds() {
      return now;
    },
    move(seconds) {
      now = seconds;
      for (const each of followers) each(seconds);
    },
    follow(onMove) {
      followers.add(onMove);
      return () => followers.delete(onMove);
    },
  };
}
