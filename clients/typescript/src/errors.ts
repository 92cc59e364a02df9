/** One item of a 422: where, and what is wrong there. */
export interface ValidationItem {
  type: string;
  loc: (string | number)[];
  msg: string;
  input: unknown;
}

/** The API answered with an error. */
export class AntiphonApiError extends Error {
  override readonly name = 'AntiphonApiError';
  /** HTTP status. */
  readonly status: number;
  /** A word for programs where the API has one, such as `workspace_inactive`; else empty. */
  readonly code: string;
  /** What is wrong with each field, of a 422. */
  readonly details: readonly ValidationItem[];
  /** Identifies the request in the workspace's logs. */
  readonly requestId: string;
  /** How long the API asks to wait; null: it does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    facts: Pick<AntiphonApiError, 'status' | 'code' | 'details' | 'requestId' | 'retryAfterSeconds'>,
  ) {
    super(message);
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** No answer came. Whether a change was carried out is not known. */
export class AntiphonConnectionError extends Error {
  override readonly name: string = 'AntiphonConnectionError';

  constructor(url: string, options: { cause: unknown }) {
    super(`no answer from ${new URL(url).origin}`, options);
  }
}

/** No answer came in time. Whether a change was carried out is not known. */
export class AntiphonTimeoutError extends Error {
  override readonly name = 'AntiphonTimeoutError';

  constructor(timeoutMs: number, options: { cause: unknown }) {
    super(`no answer within ${timeoutMs} ms`, options);
  }
}

/** Reads the error of an answer; the body of a proxy's need not be JSON. */
export async function apiErrorOf(response: Response): Promise<AntiphonApiError> {
  const { status, statusText, headers } = response;
  const body = (await response.json().catch(() => ({}))) as { detail?: unknown; code?: unknown };
  const details = Array.isArray(body.detail) ? (body.detail as ValidationItem[]) : [];
  const sentence =
    typeof body.detail === 'string'
      ? body.detail
      : details.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return new AntiphonApiError(`${status} ${sentence || statusText}`.trim(), {
    status,
    code: typeof body.code === 'string' ? body.code : '',
    details,
    requestId: headers.get('X-Request-ID') ?? '',
    retryAfterSeconds: retryAfterOf(response),
  });
}

/** `Retry-After` in seconds (RFC 9110, section 10.2.3); the API sends no dates. */
export function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get('Retry-After') ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}
