/** One item of a 422 response. */
export interface ValidationItem {
  type: string;
  loc: (string | number)[];
  msg: string;
  input: unknown;
}

export interface ErrorExtras {
  /** Further fields of the body, beside `detail`. */
  body?: Record<string, string>;
  headers?: Record<string, string>;
}

/**
 * Thrown by rules when a request cannot be carried out; the error handler responds with `{detail, …}`. `detail` is a sentence,
 * or the items of a 422.
 */
export class HttpError extends Error {
  readonly status: number;
  readonly detail: string | ValidationItem[];
  readonly extras: ErrorExtras;

  constructor(status: number, detail: string | ValidationItem[], extras: ErrorExtras = {}) {
    super(typeof detail === 'string' ? detail : 'validation failed');
    this.status = status;
    this.detail = detail;
    this.extras = extras;
  }
}

/** What a page shows of an error, without the places of a 422. */
export const sentenceOf = ({ detail }: HttpError): string =>
  typeof detail === 'string' ? detail : detail.map((item) => item.msg).join('; ');

/** `resource` as the specification names it: agent, call, batch … */
export const notFound = (resource: string) => new HttpError(404, `${resource} not found`);
export const conflict = (detail: string) => new HttpError(409, detail);
export const outOfCredits = () => new HttpError(402, 'out of credits: add credits in Billing');
export const modelUnavailable = () => new HttpError(502, 'language model did not answer; try again shortly');

/** The 422 of a rule across fields, or of a value that is not allowed. `path` starts below `body`. */
export function validationError(msg: string, path: (string | number)[] = [], input: unknown = null): HttpError {
  return new HttpError(422, [{ type: 'value_error', loc: ['body', ...path], msg, input }]);
}

/** The same for query, path and headers. */
export function validationErrorIn(
  location: 'query' | 'path' | 'header',
  msg: string,
  path: (string | number)[],
  input: unknown = null,
): HttpError {
  return new HttpError(422, [{ type: 'value_error', loc: [location, ...path], msg, input }]);
}
