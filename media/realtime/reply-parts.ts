import type { ChatPart, LanguageModelError } from '../../shared/llm/language-model.ts';

/** The parts of one reply, from a session's events to the reader of a stream. */
export interface ReplyParts {
  push(part: ChatPart): void;
  /** No more parts follow; with an error the reader gets it after the parts before. */
  end(error?: LanguageModelError): void;
  /** Parts were pushed. */
  readonly begun: boolean;
  read(): AsyncGenerator<ChatPart>;
}

export function createReplyParts(): ReplyParts {
  const parts: ChatPart[] = [];
  let begun = false;
  let over = false;
  let failure: LanguageModelError | null = null;
  let wake: () => void = () => {};

  return {
    get begun() {
      return begun;
    },
    push(part) {
      if (over) return;
      begun = true;
      parts.push(part);
      wake();
    },
    end(error) {
      if (over) return;
      over = true;
      failure = error ?? null;
      wake();
    },
    async *read() {
      for (;;) {
        const part = parts.shift();
        if (part) {
          yield part;
          continue;
        }
        if (failure) throw failure;
        if (over) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
