import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError } from './errors.ts';

/**
 * Endpoints that take a file: `multipart/form-data` with one file in the part `file` (RFC 7578), beside parts of text. They
 * are declared on an app of their own, so that no other endpoint reads such a body.
 *
 *     takesFiles(app, { maxFileBytes, what: 'sound' }, (uploads) => route(uploads, { …, body_limit_bytes: formLimit(maxFileBytes) }));
 */

/** The body of such a request, as `schema.body` sees it; a file that was not sent is null. */
export interface UploadedForm {
  file: Buffer | null;
  [field: string]: Buffer | string | null;
}

/** Room for the other parts and the lines between them. */
const FORM_BYTES = 64 * 1024;

export const formLimit = (maxFileBytes: number): number => maxFileBytes + FORM_BYTES;

export function takesFiles(
  app: FastifyInstance,
  { maxFileBytes, what }: { maxFileBytes: number; what: string },
  declare: (uploads: FastifyInstance) => void,
): void {
  const tooLarge = new HttpError(413, `the ${what} is larger than ${Math.floor(maxFileBytes / 1024 / 1024)} MB`);
  void app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser(
      'multipart/form-data',
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer) => {
        const form = await readMultipart(request, body);
        if (form.file && form.file.length > maxFileBytes) throw tooLarge;
        return form;
      },
    );
    uploads.setErrorHandler((error: FastifyError) => {
      if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') throw tooLarge;
      if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
        throw new HttpError(415, `send Content-Type: multipart/form-data with the ${what} as \`file\``);
      }
      throw error;
    });
    declare(uploads);
  });
}

/** Node reads forms itself; what it cannot read it refuses with a TypeError. A part sent twice counts as the last one. */
async function readMultipart(request: FastifyRequest, body: Buffer): Promise<UploadedForm> {
  const fields: UploadedForm = Object.assign(Object.create(null), { file: null });
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => null);
  if (!form) {
    const msg = 'the form cannot be read';
    throw new HttpError(422, [{ type: 'value_error', loc: ['body'], msg, input: null }]);
  }
  for (const [name, value] of form) {
    // PostgreSQL's text holds no U+0000.
    if (typeof value === 'string') fields[name] = name === 'file' ? null : value.replaceAll('\0', '');
    else if (name === 'file') fields.file = Buffer.from(await value.arrayBuffer());
  }
  return fields;
}
