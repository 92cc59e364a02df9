/** A span of another trace. */
export interface LinkedSpan {
  trace_id: string;
  span_id: string;
}

/** Version, trace id, parent id, flags; versions after 00 may go on behind a dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** The span that a `traceparent` header names (https://www.w3.org/TR/trace-context/#traceparent-header); null when it is no valid one. */
export function readTraceparent(header: unknown): LinkedSpan | null {
  const [, version, trace_id = '', span_id = '', rest] = TRACEPARENT.exec(String(header)) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null;
  return isZero(trace_id) || isZero(span_id) ? null : { trace_id, span_id };
}

const isZero = (id: string) => /^0+$/.test(id);
