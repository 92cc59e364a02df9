/** Parses a provider's text message: a JSON object, or what is wrong with it. Never throws. */
export function parseJsonMessage(raw: string): Record<string, unknown> | 'not JSON' | 'not an object' {
  try {
    const parsed: unknown = JSON.parse(raw);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : 'not an object';
  } catch {
    return 'not JSON';
  }
}
