import multipart from '@fastify/multipart';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { MAX_DRAINED_BYTES } from './drain-body.ts';
import { HttpError, validationError } from './errors.ts';

/** The body of an upload, as `schema.body` sees it; a file that was not sent is absent. */
export interface UploadedForm {
  [field: string]: Buffer | string | string[] | undefined;
}

export interface UploadOptions {
  maxFileBytes: number;
  /** In error messages: `the sound is larger than 5 MB`. */
  label: string;
  /** The name of the part with the file; `file` when left out. */
  fileField?: string;
  /** Parts of text that may be sent more than once: their fields are arrays. */
  repeatableFields?: readonly string[];
}

/** More than one may be sent; all but the last of the right name are ignored. */
const MAX_FILES = 4;
const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 16 * 1024;

const RETRY_AFTER_SECONDS = 5;
const BUSY = 'too many files are being uploaded; try again in a few seconds';

/** Reserves bytes for an upload. @returns what gives them back, once; null while others hold too much. */
export type UploadMemory = (bytes: number) => (() => void) | null;

/** A single upload is always taken. */
export function createUploadMemory(maxBytes: number): UploadMemory {
  let held = 0;
  return (bytes) => {
    if (held > 0 && held + bytes > maxBytes) return null;
    held += bytes;
    let released = false;
    return () => {
      if (!released) held -= bytes;
      released = true;
    };
  };
}

const fileNames = new WeakMap<Buffer, string>();

/** Returns the client's name of an uploaded file, for display only: at most 200 characters, no path, no control characters. */
export const uploadedFileName = (file: Buffer): string => fileNames.get(file) ?? '';

/**
 * Declares endpoints that take `multipart/form-data` with one file beside parts of text (RFC 7578). They are declared on an app of
 * their own, so that no other endpoint reads such a body. What a file has beyond its limit is read and dropped, so that the client gets its
 * 413; where far more is announced, nothing is read.
 *
 * A file is held in memory whole: those who take it (documents, images, WAV, contacts) need all of it at once, and it goes to the database
 * afterwards, so that a file on disk would be written and read for nothing. What all uploads of the process hold together is limited
 * (`uploadMemory`): beyond it they are asked to come again, before anything of them is read.
 *
 *     acceptUploads(app, { maxFileBytes, label: 'sound' }, (uploads) => route(uploads, { …, consumes: 'multipart/form-data' }));
 */
export function acceptUploads(
  app: FastifyInstance,
  { maxFileBytes, label, fileField = 'file', repeatableFields = [] }: UploadOptions,
  declare: (uploads: FastifyInstance) => void,
): void {
  void app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    await uploads.register(multipart, {
      limits: { fileSize: maxFileBytes, files: MAX_FILES, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES },
    });
    const tooLarge = () =>
      new HttpError(413, `the ${label} is larger than ${Math.floor(maxFileBytes / 1024 / 1024)} MB`);
    uploads.addHook('preParsing', async (request, reply) => {
      const announced = Number(request.headers['content-length'] ?? maxFileBytes);
      if (announced > maxFileBytes + MAX_DRAINED_BYTES) {
        reply.header('Connection', 'close');
        throw tooLarge();
      }
      // The parser, which runs later, knows only then that it is a form.
      if (!/^multipart\/form-data/i.test(String(request.headers['content-type']))) return;
      const release = app.uploadMemory(Math.min(announced, maxFileBytes));
      if (!release) {
        reply.header('Connection', 'close');
        throw new HttpError(503, BUSY, { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } });
      }
      reply.raw.once('finish', release).once('close', release);
    });
    uploads.addHook('preValidation', async (request) => {
      if (request.isMultipart()) request.body = await readForm(request, fileField, repeatableFields);
    });
    uploads.setErrorHandler((error: FastifyError) => {
      if (error.code === 'FST_REQ_FILE_TOO_LARGE') throw tooLarge();
      if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
        throw new HttpError(415, `send Content-Type: multipart/form-data with the ${label} as \`${fileField}\``);
      }
      throw error;
    });
    declare(uploads);
  });
}

/** A part of text that was sent twice counts as the last one, unless it is repeatable. */
async function readForm(
  request: FastifyRequest,
  fileField: string,
  repeatableFields: readonly string[],
): Promise<UploadedForm> {
  const form: UploadedForm = Object.create(null);
  try {
    for await (const part of request.parts()) {
      const { fieldname: name } = part;
      if (part.type === 'file' && name !== fileField) {
        // Nobody reads it: it is dropped as it comes.
        for await (const _chunk of part.file);
      } else if (part.type === 'file') {
        const file = await part.toBuffer();
        fileNames.set(file, displayName(part.filename));
        form[name] = file;
      } else if (name !== fileField && typeof part.value === 'string') {
        // PostgreSQL's text holds no U+0000.
        const text = part.value.replaceAll('\0', '');
        const before = form[name];
        if (!repeatableFields.includes(name)) form[name] = text;
        else form[name] = Array.isArray(before) ? [...before, text] : [text];
      }
    }
  } catch (error) {
    if ((error as FastifyError).code === 'FST_REQ_FILE_TOO_LARGE') throw error;
    throw validationError('the form cannot be read');
  }
  return form;
}

function displayName(fileName: string): string {
  // Some browsers send the whole path.
  const name = fileName
    .replace(/^.*[\\/]/, '')
    .replace(/\p{Cc}/gu, '')
    .toWellFormed();
  return name.slice(0, 200).toWellFormed().trim();
}

declare module 'fastify' {
  interface FastifyInstance {
    /** What the uploads of this process may hold together. */
    uploadMemory: UploadMemory;
  }
}
