import { randomBytes } from 'node:crypto';
import type { LinkedSpan } from './traceparent.ts';

/**
 * The spans of calls. A call's id is its trace id: it has the form that W3C Trace Context asks for, and both programs know it, so nothing
 * has to travel between them (docs/decisions/telemetry.md). Times are milliseconds since 1970.
 */
export interface CallSpan {
  call_id: string;
  span_id: string;
  /** Null of the call's own span. */
  parent_id: string | null;
  name: string;
  kind: 'internal' | 'client' | 'server';
  start_ms: number;
  end_ms: number;
  attributes: Record<string, string | number | boolean>;
  links?: LinkedSpan[];
  /** A short class of error; left out where there was none. */
  error_type?: string;
}

export type EmitSpan = (span: CallSpan) => void;

let emit: EmitSpan | null = null;

/** Where this program's spans go; null, as at the start: nowhere. */
export function setSpanExport(to: EmitSpan | null): void {
  emit = to;
}

/** Null while traces are off; callers then make no span. */
export const spanExport = (): EmitSpan | null => emit;

/** The id of the call's own span, to which the spans of both programs belong: the random half of the call's id. */
export const callSpanId = (callId: string): string => callId.slice(16);

/** Eight random bytes in hex. */
export const newSpanId = (): string => randomBytes(8).toString('hex');
