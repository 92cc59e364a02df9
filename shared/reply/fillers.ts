import { languageOf } from '../languages/registry.ts';

/**
 * Returns the phrases that the agent says while its model or a tool takes long, one after another, and never one twice in a row. Without
 * phrases of its own they are those of the language that is spoken, English ones where that has no file.
 */
export function createFillers(own: readonly string[]): (language: string) => string {
  let next = 0;
  return (language) => {
    const phrases = own.length > 0 ? own : (languageOf(language) ?? languageOf('en')!).texts.fillers;
    return phrases[next++ % phrases.length]!;
  };
}
