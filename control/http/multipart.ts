import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError, validationError } from './errors.ts';

/**
 * Endpoints that take a file: `multipart/form-data` with one file in the part `file` or another (RFC 7578), beside parts of
 * text. They are declared on an app of their own, so that no other endpoint reads such a body.
 *
 *     takesFiles(app, { maxFileBytes, what: 'sound' }, (uploads) => route(uploads, { …, body_limit_bytes: formLimit(maxFileBytes) }));
 */

/** The body of such a request, as `schema.body` sees it; a file that was not sent is absent. */
export interface UploadedForm {
  [field: string]: Buffer | string | string[] | undefined;
}

export interface UploadOptions {
  maxFileBytes: number;
  /** In refusals: `the sound is larger than 5 MB`. */
  label: string;
  /** The name of the part with the file; `file` when left out. */
  fileField?: string;
  /** Parts of text that may be sent more than once: their fields are arrays. */
  repeatableFields?: readonly string[];
}

const names = new WeakMap<Buffer, string>();

/** What the client called the file of a form: to show, never to judge by. At most 200 characters, no path, no control characters. */
export const uploadedFileName = (file: Buffer): string => names.get(file) ?? '';

/** Room for the other parts and the lines between them. */
const OTHER_PARTS_BYTES = 64 * 1024;

export const uploadBodyLimit = (maxFileBytes: number): number => maxFileBytes + OTHER_PARTS_BYTES;

export function acceptUploads(
  app: FastifyInstance,
  { maxFileBytes, label: what, fileField: part = 'file', repeatableFields: lists = [] }: UploadOptions,
  declare: (uploads: FastifyInstance) => void,
): void {
  const tooLarge = new HttpError(413, `the ${what} is larger than ${Math.floor(maxFileBytes / 1024 / 1024)} MB`);
  void app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser(
      'multipart/form-data',
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer) => {
        const form = await readMultipart(request, body, part, lists);
        if (form[part] && form[part].length > maxFileBytes) throw tooLarge;
        return form;
      },
    );
    uploads.setErrorHandler((error: FastifyError) => {
      if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') throw tooLarge;
      if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
        throw new HttpError(415, `send Content-Type: multipart/form-data with the ${what} as \`${part}\``);
      }
      throw error;
    });
    declare(uploads);
  });
}

/** Node reads forms itself; what it cannot read it refuses with a TypeError. A part sent twice counts as the last one. */
async function readMultipart(
  request: FastifyRequest,
  body: Buffer,
  part: string,
  lists: readonly string[],
): Promise<UploadedForm> {
  const fields: UploadedForm = Object.create(null);
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => null);
  if (!form) {
    throw validationError('the form cannot be read');
  }
  for (const [name, value] of form) {
    if (typeof value !== 'string') {
      if (name === part) fields[name] = await fileOf(value);
    } else if (name !== part) {
      // PostgreSQL's text holds no U+0000.
      const text = value.replaceAll('\0', '');
      const before = fields[name];
      if (!lists.includes(name)) fields[name] = text;
      else fields[name] = Array.isArray(before) ? [...before, text] : [text];
    }
  }
  return fields;
}

async function fileOf(sent: File): Promise<Buffer> {
  const file = Buffer.from(await sent.arrayBuffer());
  // Some browsers send the whole path.
  const name = sent.name
    .replace(/^.*[\\/]/, '')
    .replace(/\p{Cc}/gu, '')
    .toWellFormed();
  names.set(file, name.slice(0, 200).toWellFormed().trim());
  return file;
}
