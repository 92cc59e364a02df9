/** A text whose every UTF-16 unit knows where in the kept original it comes from. */
export interface TracedText {
  text: string;
  offsets: readonly number[];
}

const TAG =
  /<\/?(?:b|i|u|p|br|hr|em|strong|ul|ol|li|code|pre|span|div|a|h[1-6]|speak|break|emphasis|prosody)(?:\s[^<>]{0,100})?\/?>/gi;

function replaced({ text, offsets: begins }: TracedText, pattern: RegExp, by: string): TracedText {
  let result = '';
  const places: number[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    result += text.slice(from, match.index) + by;
    for (let at = from; at < match.index; at++) places.push(begins[at]!);
    from = match.index + match[0].length;
    // What closes something belongs to it.
    const place = begins[match[0].startsWith('</') ? from : match.index] ?? begins[match.index]!;
    for (let at = 0; at < by.length; at++) places.push(place);
  }
  for (let at = from; at < text.length; at++) places.push(begins[at]!);
  return { text: result + text.slice(from), offsets: places };
}

/** HTML and SSML, which some models write. */
export function withoutTags(traced: TracedText): TracedText {
  return traced.text.includes('<') ? replaced(replaced(traced, TAG, ' '), / {2,}/g, ' ') : traced;
}

export function trimmed({ text, offsets: begins }: TracedText): TracedText {
  const start = text.length - text.trimStart().length;
  return { text: text.trim(), offsets: begins.slice(start, start + text.trim().length) };
}
