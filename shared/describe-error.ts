const MAX_TEXT_LENGTH = 300;
const MAX_FRAMES = 8;

/**
 * Describes something thrown that nobody expected, for the log: kind, text and the innermost frames, without what stands between
 * quotes, because parsers quote their input.
 */
export function describeError(thrown: unknown): { error: string; frames?: string[] } {
  if (!(thrown instanceof Error)) return { error: `not an Error: ${typeof thrown}` };
  const message = String(thrown.message);
  const text = message.replace(/(["'`]).*\1/gs, '$1…$1');
  // The stack repeats the message, which may have several lines.
  const frames = String(thrown.stack)
    .replace(message, '')
    .split('\n')
    .filter((line) => /^ {4}at /.test(line));
  return {
    error: `${thrown.name}: ${text}`.slice(0, MAX_TEXT_LENGTH),
    frames: frames.slice(0, MAX_FRAMES).map((line) => line.trim()),
  };
}
