const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** For element text and attribute values alike. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** An answer document. */
export const xmlResponse = (content: string) => ({
  content_type: 'text/xml; charset=utf-8',
  text: xmlDocument(content),
});

export const xmlDocument = (content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${content}</Response>`;
