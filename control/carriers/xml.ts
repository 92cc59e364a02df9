import type { CallbackResponse } from './callback.ts';

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** For element text and attribute values alike. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** An answer document of Twilio or Plivo with these elements. */
export const xmlResponse = (content: string): CallbackResponse => ({
  content_type: 'text/xml; charset=utf-8',
  text: `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${content}</Response>`,
});
