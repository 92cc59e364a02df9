import type { Readable } from 'node:stream';
import type { z } from 'zod';

/** A body that is not JSON. */
export interface FileResponseSchema {
  content_type: string;
  description: string;
}

export const file = (content_type: string, description = 'the file'): FileResponseSchema => ({
  content_type,
  description,
});

export interface FileReply {
  body: Readable | Buffer | string;
  headers?: Record<string, string>;
  /** When it is not `success`: 206 for a part. */
  status?: number;
}

export const isFile = (response: z.ZodType | FileResponseSchema): response is FileResponseSchema =>
  'content_type' in response;
