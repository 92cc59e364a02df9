/** One item of a 422 answer. */
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
 * What a rule throws when the request cannot be carried out; the error handler writes it as `{detail, …}`.
 * `detail` is a sentence, or the items of a 422.
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

/** `thing` as the specification names it: agent, call, batch … */
export const notFound = (resource: string) => new HttpError(404, `${resource} not found`);
export const conflict = (detail: string) => new HttpError(409, detail);
export const outOfCredits = () => new HttpError(402, 'out of credits: add credits in Billing');
export const modelUnavailable = () => new HttpError(502, 'language model did not answer; try again shortly');

/** A rule across fields, or a setting that is not allowed. `path` starts behind `body`. */
export function validationError(msg: string, path: (string | number)[] = [], input: unknown = null): HttpError {
  return new HttpError(422, [{ type: 'value_error', loc: ['body', ...path], msg, input }]);
}

/** The same for what stands elsewhere than in the body. */
export function validationErrorIn(
  location: 'query' | 'path' | 'header',
  msg: string,
  path: (string | number)[],
  input: unknown = null,
): HttpError {
  return new HttpError(422, [{ type: 'value_error', loc: [location, ...path], msg, input }]);
}
