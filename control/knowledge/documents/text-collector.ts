/** A document that cannot be read, for a reason that its owner may read. */
export class UnreadableDocument extends Error {}

/** Collects the text of a document up to a limit. */
export class TextCollector {
  readonly maxCharacters: number;
  readonly #spareCharacters: number;
  readonly #parts: string[] = [];
  #characters = 0;

  /** @param spareCharacters accepted beyond the limit */
  constructor(maxCharacters: number, spareCharacters = 0) {
    this.maxCharacters = maxCharacters;
    this.#spareCharacters = spareCharacters;
  }

  get characters(): number {
    return this.#characters;
  }

  /** @throws UnreadableDocument beyond the limit */
  add(text: string): void {
    this.#characters += text.length;
    if (this.#characters > this.maxCharacters + this.#spareCharacters) {
      throw new UnreadableDocument(`it has more than ${this.maxCharacters} characters of text`);
    }
    this.#parts.push(text);
  }

  toString(): string {
    return this.#parts.join('');
  }
}
