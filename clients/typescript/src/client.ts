import { OPERATIONS, type Operations } from '../generated/operations.ts';
import { AntiphonConnectionError, AntiphonTimeoutError, apiErrorOf } from './errors.ts';
import { retryDelayMs } from './retry.ts';

export interface ClientOptions {
  /** Where the service is: `https://voice.example.com`. */
  url: string;
  /** An API key `svc_…`, the token of a session, or the access token of an app. */
  key: string;
  /** The zone of times in answers, an IANA name; left out: `Asia/Kolkata`. */
  timezone?: string;
  /** The workspace that a session is used in. */
  workspaceId?: string;
  /** For one attempt; default: 30,000. */
  timeoutMs?: number;
  /** Attempts after the first; default: 3. */
  maxRetries?: number;
  /** The longest wait before another attempt; an answer that asks for a longer one is returned as the error. Default: 60,000. */
  maxRetryDelayMs?: number;
  /** In place of the global one. */
  fetch?: typeof fetch;
}

export interface RequestOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  maxRetries?: number;
  /**
   * Of operations that take one: the same key and input again is not carried out again. Left out: each call of the function has its own,
   * which its attempts share.
   */
  idempotencyKey?: string;
}

export type OperationName = keyof Operations;
type Input<Name extends OperationName> = Operations[Name]['input'];
type Optional<Value> = Record<never, never> extends Value ? [input?: Value] : [input: Value];

/** A function for every operation of the API. */
export type Client = {
  [Name in OperationName]: (
    ...given: [...Optional<Input<Name>>, options?: RequestOptions]
  ) => Promise<Operations[Name]['output']>;
} & Pages;

/** Operations that list by `limit` and `skip`. */
export type ListName = {
  [Name in OperationName]: Operations[Name] extends { item: unknown } ? Name : never;
}[OperationName];
type Item<Name extends ListName> = Operations[Name] extends { item: infer Each } ? Each : never;

interface Pages {
  /** Everything that an operation lists, page after page: `for await (const call of client.each('listCalls', { status: ['failed'] }))`. */
  each<Name extends ListName>(name: Name, input?: Input<Name>, options?: RequestOptions): AsyncGenerator<Item<Name>>;
}

interface Sent {
  method: string;
  path: string;
  query?: readonly string[];
  ifMatch?: true;
  body?: 'json' | 'form';
  result?: 'json' | 'file';
  idempotent?: true;
}

type Values = Record<string, unknown>;

interface Page {
  items: unknown[];
  total: number;
  /** There are more than `total`. */
  total_is_estimate?: boolean;
}

/**
 * Creates a client. Functions throw `AntiphonApiError` for an error of the API, `AntiphonConnectionError` where no answer came, and
 * `AntiphonTimeoutError` where it came too late; an aborted `signal` throws its reason.
 */
export function createClient(options: ClientOptions): Client {
  const run = (name: string, input: Values = {}, own: RequestOptions = {}) =>
    send(options, (OPERATIONS as Record<string, Sent>)[name]!, input, own);

  async function* each(name: string, input: Values = {}, own: RequestOptions = {}): AsyncGenerator<unknown> {
    let skip = typeof input.skip === 'number' ? input.skip : 0;
    for (;;) {
      const page = (await run(name, { ...input, skip }, own)) as Page;
      yield* page.items;
      skip += page.items.length;
      if (page.items.length === 0 || (skip >= page.total && !page.total_is_estimate)) return;
    }
  }

  const functions = Object.keys(OPERATIONS).map((name) => [
    name,
    (input?: Values, own?: RequestOptions) => run(name, input, own),
  ]);
  return { ...Object.fromEntries(functions), each } as Client;
}

/** Sends the request until it is answered, or another attempt would not be safe. */
async function send(options: ClientOptions, operation: Sent, input: Values, own: RequestOptions): Promise<unknown> {
  const { maxRetries = options.maxRetries ?? 3, signal } = own;
  const { method, idempotent = false } = operation;
  const idempotencyKey = idempotent ? (own.idempotencyKey ?? crypto.randomUUID()) : null;
  const repeatable = ['GET', 'PUT', 'DELETE'].includes(method) || idempotencyKey !== null;
  const request = requestOf(options, operation, input, idempotencyKey);
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOf(options, request, own).catch((error: unknown) => {
      if (signal?.aborted) throw signal.reason;
      return error as AntiphonConnectionError | AntiphonTimeoutError;
    });
    if (outcome instanceof Response && outcome.ok) return resultOf(operation, outcome);
    const delayMs = attempt < maxRetries ? retryDelayMs(outcome, attempt, repeatable) : null;
    if (delayMs === null || delayMs > (options.maxRetryDelayMs ?? 60_000)) {
      throw outcome instanceof Response ? await apiErrorOf(outcome) : outcome;
    }
    if (outcome instanceof Response) await outcome.body?.cancel();
    await wait(delayMs, signal);
  }
}

async function attemptOf(options: ClientOptions, request: PreparedRequest, own: RequestOptions): Promise<Response> {
  const timeoutMs = own.timeoutMs ?? options.timeoutMs ?? 30_000;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = own.signal ? AbortSignal.any([own.signal, timeout]) : timeout;
  try {
    return await (options.fetch ?? fetch)(request.url, { ...request.init, signal });
  } catch (cause) {
    if (timeout.aborted) throw new AntiphonTimeoutError(timeoutMs, { cause });
    throw new AntiphonConnectionError(request.url, { cause });
  }
}

interface PreparedRequest {
  url: string;
  init: { method: string; headers: Record<string, string>; body?: string | FormData };
}

function requestOf(
  options: ClientOptions,
  operation: Sent,
  input: Values,
  idempotencyKey: string | null,
): PreparedRequest {
  const { method, path, query = [], ifMatch, body } = operation;
  const address = path.replace(/\{(\w+)\}/g, (_part, name: string) => encodeURIComponent(String(input[name])));
  const url = new URL(options.url.replace(/\/+$/, '') + address);
  for (const name of query) if (input[name] !== undefined) url.searchParams.set(name, String(input[name]));
  const hasBody = input.body !== undefined;
  const headers: Record<string, string> = {
    Authorization: `Bearer ${options.key}`,
    ...(options.timezone ? { 'X-Timezone': options.timezone } : {}),
    ...(options.workspaceId ? { 'X-Workspace-ID': options.workspaceId } : {}),
    ...(idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey }),
    ...(ifMatch && input.if_match !== undefined ? { 'If-Match': String(input.if_match) } : {}),
    ...(body === 'json' && hasBody ? { 'Content-Type': 'application/json' } : {}),
  };
  const sent = hasBody ? { body: body === 'form' ? formOf(input.body as Values) : JSON.stringify(input.body) } : {};
  return { url: url.href, init: { method, headers, ...sent } };
}

function formOf(fields: Values): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) form.append(name, value, 'name' in value ? String(value.name) : name);
    else if (value !== undefined) form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return form;
}

async function resultOf({ result }: Sent, response: Response): Promise<unknown> {
  if (result === 'file') return response;
  if (result === 'json') return response.json();
  await response.body?.cancel();
  return undefined;
}

async function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
