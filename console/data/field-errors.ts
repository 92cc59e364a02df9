import { HttpError } from '@oazapfts/runtime';

/** Returns what a 422 says is wrong with the fields of a request: path such as `voice.language` → a sentence. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof HttpError) || error.status !== 422) return {};
  const items: unknown = error.data?.detail;
  if (!Array.isArray(items)) return {};
  const found: Record<string, string> = {};
  for (const { loc, msg } of items) {
    if (!Array.isArray(loc) || typeof msg !== 'string') continue;
    // The first part says where the field was: body, query or path.
    const path = loc.slice(1).join('.');
    found[path] ??= sentence(msg);
  }
  return found;
}

/** With a capital at its beginning and a full stop at its end. */
export const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
