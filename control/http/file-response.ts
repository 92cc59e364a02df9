import type { Readable } from 'node:stream';
import type { z } from 'zod';

/** Declares a body that is not JSON. */
export interface FileResponseSchema {
  content_type: string;
  description: string;
  /** Types that the handler may answer with instead, by its headers. */
  other_types?: readonly string[];
}

export const file = (
  content_type: string,
  description = 'the file',
  other_types: readonly string[] = [],
): FileResponseSchema => ({ content_type, description, other_types });

export interface FileReply {
  body: Readable | Buffer | string;
  headers?: Record<string, string>;
  /** When it differs from `success`: 206 for a part. */
  status?: number;
}

export const isFile = (response: z.ZodType | FileResponseSchema): response is FileResponseSchema =>
  'content_type' in response;

/**
 * Returns the headers of a download, which browsers must not show as a page of this origin. `Content-Disposition` names the
 * file twice, as RFC 6266 advises: in ASCII for old programs, and whole (RFC 8187).
 */
export function downloadHeaders(fileName: string): Record<string, string> {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${whole}`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  };
}
