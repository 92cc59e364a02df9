/**
 * Written answers, kept together with a mark of what they were made of. Whoever asks brings the mark of now, and gets nothing when
 * it is another one: so nothing kept can be stale, however long it lies here. The ones asked for longest ago make room.
 */
export interface ResponseCache {
  /** Whether it may pay to ask what the mark is now. */
  has(name: string): boolean;
  /** The JSON made of what `mark` stands for; null when it is not here. */
  get(name: string, mark: string): string | null;
  set(name: string, mark: string, json: string): void;
}

const MAX_ENTRY_SHARE = 0.1;

/** @param maxCharacters of all answers together; one that would take a tenth of them is not kept. */
export function createResponseCache(maxCharacters: number): ResponseCache {
  // A map remembers the order in which its names came.
  const answers = new Map<string, { mark: string; json: string }>();
  let characters = 0;

  function drop(name: string): void {
    const answer = answers.get(name);
    if (!answer) return;
    answers.delete(name);
    characters -= sizeOf(name, answer);
  }

  return {
    has: (name) => answers.has(name),

    get(name, mark) {
      const answer = answers.get(name);
      if (!answer) return null;
      if (answer.mark !== mark) {
        drop(name);
        return null;
      }
      answers.delete(name);
      answers.set(name, answer);
      return answer.json;
    },

    set(name, mark, json) {
      drop(name);
      const answer = { mark, json };
      const size = sizeOf(name, answer);
      if (size > maxCharacters * MAX_ENTRY_SHARE) return;
      answers.set(name, answer);
      characters += size;
      for (const oldest of answers.keys()) {
        if (characters <= maxCharacters) break;
        drop(oldest);
      }
    },
  };
}

const sizeOf = (name: string, { mark, json }: { mark: string; json: string }) =>
  name.length + mark.length + json.length;
