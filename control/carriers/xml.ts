const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** For element text and attribute values alike. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

export const xmlDocument = (content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${content}</Response>`;
