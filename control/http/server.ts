import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import swagger from '@fastify/swagger';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { isTimeZone } from '../../shared/time-zone.ts';
import { secureContext, type TlsCertificate } from '../../shared/tls-certificate.ts';
import { withTimeout } from '../../shared/with-timeout.ts';
import { isLockTimeout } from '../db/item-runner.ts';
import type { Actor, FindPrincipal } from './authenticate.ts';
import { parseFormBody, parseJsonBody } from './body-parsers.ts';
import { registerCors } from './cors.ts';
import { drainBody } from './drain-body.ts';
import { HttpError, type ValidationItem } from './errors.ts';
import type { Idempotency } from './idempotency.ts';
import { createUploadMemory } from './multipart.ts';
import { openapiOptions } from './openapi.ts';
import type { DocumentedEvent } from './openapi-document.ts';
import type { RateLimiter } from './rate-limit.ts';
import { addSecurityHeaders, HEADER_LINES, securityHeaders } from './security-headers.ts';
import { DEFAULT_ZONE } from './times.ts';

/** A database that stands still must not hold a reader until the statement's own time-out, which it does not keep either. */
const READ_DEADLINE_MS = 5_000;
/** PostgreSQL restarts within seconds. */
const RETRY_AFTER_SECONDS = 5;
/** Of TLS; a client that is silent holds a connection for so long. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
const BODY_LIMIT_BYTES = 1024 * 1024;
const API = '/api/v1/';
const CARRIERS = '/carriers/';
/** Callbacks of payment gateways: their bodies are read only after their signatures were checked. */
const HOOKS = '/hooks/';

export interface HttpOptions {
  log: Logger;
  findPrincipal: FindPrincipal;
  /** Both are left out in tests without a database. */
  rateLimiter?: RateLimiter;
  idempotency?: Idempotency;
  /** See `cors.ts`. */
  consoleOrigins?: ReadonlySet<string>;
  /** Addresses and networks whose `X-Forwarded-For` is trusted, comma-separated. */
  trustedProxies?: string;
  /** What uploads of this process may hold in memory together; default: 256 MB. */
  uploadMemoryMb?: number;
  /** How clients reach the service, for `security-headers.ts`. */
  publicUrl?: string;
  /** What is sent to webhooks, for the OpenAPI document. */
  webhookEvents?: readonly DocumentedEvent[];
  /** For the server logs of the workspace. */
  onResponse?: (facts: CompletedRequest) => void;
  clock?: Clock;
  /** For TLS. */
  certificate?: TlsCertificate | undefined;
}

export interface CompletedRequest {
  workspace_id: string;
  request_id: string;
  method: string;
  /** As declared, `/api/v1/calls/:call_id`: the actual path may hold a phone number. */
  path: string;
  params: Record<string, string>;
  status: number;
  duration_ms: number;
  actor: Actor;
  /** The detail of an error response; else empty. */
  detail: string;
}

/**
 * Creates the Fastify app with what holds for every endpoint: request ids, time zones, bodies, errors, the OpenAPI document.
 * Endpoints are added with `route()`.
 */
export async function createHttpApp(options: HttpOptions): Promise<FastifyInstance> {
  const { log, findPrincipal, rateLimiter = null, idempotency = null, consoleOrigins = new Set<string>() } = options;
  const { trustedProxies = '', publicUrl = '', uploadMemoryMb = 256, clock = systemClock, certificate } = options;
  const setSecurityHeaders = securityHeaders(publicUrl);
  const app = fastify({
    ...(certificate ? { https: { ...secureContext(certificate), handshakeTimeout: HANDSHAKE_TIMEOUT_MS } } : {}),
    logger: false,
    genReqId: createRequestIds(Date.now),
    requestIdHeader: false,
    // A client must not choose the address that throttles count by.
    trustProxy: trustedProxies === '' ? false : trustedProxies,
    exposeHeadRoutes: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => {
      reply.header('X-Request-ID', request.id);
      setSecurityHeaders(reply);
      sendError(log, error, request, reply);
    },
    clientErrorHandler(_error, socket) {
      // Malformed HTTP: there is no request object.
      if (!socket.writable) return;
      const body = JSON.stringify({ detail: 'this is not a request that can be read' });
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nX-Request-ID: ${newId()}\r\nContent-Type: application/json; charset=utf-8\r\n${HEADER_LINES}` +
          `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
    },
  });

  closeUnusedConnections(app, certificate !== undefined);

  app.decorate('findPrincipal', findPrincipal);
  app.decorate('appLog', log);
  app.decorate('rateLimiter', rateLimiter);
  app.decorate('idempotency', idempotency);
  app.decorate('uploadMemory', createUploadMemory(uploadMemoryMb * 1024 * 1024));
  app.decorate('consoleOrigins', consoleOrigins);
  app.decorate('readInTime', (work) =>
    withTimeout(work, READ_DEADLINE_MS, clock, () => {
      throw new DatabaseUnavailableError('no answer to a read in time');
    }),
  );
  app.decorateRequest('zone', DEFAULT_ZONE);
  app.decorateRequest('principal', null);
  app.decorateRequest('keyToTake', null);
  app.decorateRequest('errorDetail', '');
  app.decorateRequest('rawBody', '');

  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Signatures cover the bytes of a body, not its meaning.
    const isHook = request.url.startsWith(HOOKS);
    if (isHook || request.url.startsWith(CARRIERS)) request.rawBody = text;
    if (isHook) done(null);
    else parseJsonBody(request, text, done);
  });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, parseFormBody);

  addSecurityHeaders(app, setSecurityHeaders);
  // Synchronous hooks take a callback: a promise for each of them would be a tenth of a quick read.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-ID', request.id);
    if (!request.url.startsWith(API)) return done();
    // Answers hold personal data; one that may be stored says so itself.
    reply.header('Cache-Control', 'no-store');
    const unknown = chooseZone(request, reply);
    if (unknown) done(unknown);
    else done();
  });
  await registerCors(app, consoleOrigins);
  app.addHook('onResponse', (request, reply, done) => {
    reportResponse(request, reply, options);
    done();
  });
  app.setErrorHandler((error: FastifyError | HttpError, request, reply) => {
    if (!isTooLarge(error)) return sendError(log, error, request, reply);
    return drainBody(request.raw).then(() => sendError(log, error, request, reply));
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'not found' }));

  await app.register(swagger, openapiOptions(publicUrl, options.webhookEvents ?? []));
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  return app;
}

/** Logs a response, to the process's log and to the workspace's. */
function reportResponse(request: FastifyRequest, reply: FastifyReply, { log, onResponse }: HttpOptions): void {
  const { method, id, principal } = request;
  const path = request.routeOptions.url ?? '';
  const status = reply.statusCode;
  const duration_ms = Math.round(reply.elapsedTime);
  if (log.isLevelEnabled('debug'))
    log.debug({ method, path, status, request_id: id, duration_ms }, 'request completed');
  if (!onResponse || !principal || principal.workspace_id === '') return;
  const { workspace_id, actor } = principal;
  const params = (request.params ?? {}) as Record<string, string>;
  const response = { method, path, params, status, duration_ms, actor, detail: request.errorDetail };
  onResponse({ workspace_id, request_id: id, ...response });
}

/**
 * Sets the request's time zone; the query wins over the header. @returns the error of an unknown zone, which is written in the
 * default one.
 */
function chooseZone(request: FastifyRequest, reply: FastifyReply): HttpError | null {
  const inQuery = (request.query as Record<string, unknown>).timezone;
  const asked = (Array.isArray(inQuery) ? inQuery.at(-1) : inQuery) ?? request.headers['x-timezone'];
  const known = typeof asked === 'string' && asked !== '' ? isTimeZone(asked) : true;
  request.zone = known && typeof asked === 'string' && asked !== '' ? asked : DEFAULT_ZONE;
  reply.header('X-Timezone', request.zone);
  if (known) return null;
  const name = String(asked).slice(0, 64);
  return new HttpError(400, `unknown timezone "${name}": use an IANA name such as Asia/Kolkata or UTC`);
}

function sendError(log: Logger, error: FastifyError | HttpError, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof HttpError) {
    const { headers = {}, body = {} } = error.extras;
    request.errorDetail = typeof error.detail === 'string' ? error.detail : errorLocations(error.detail);
    return reply
      .code(error.status)
      .headers(headers)
      .send({ detail: error.detail, ...body });
  }
  if (isTooLarge(error)) {
    const limit = sizeText(request.routeOptions.bodyLimit ?? BODY_LIMIT_BYTES);
    return reply.code(413).send({ detail: `the request body is larger than ${limit}` });
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return reply.code(415).send({ detail: 'send Content-Type: application/json' });
  }
  if (error.code === 'FST_ERR_BAD_URL') return reply.code(404).send({ detail: 'not found' });
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return reply.code(status).send({ detail: error.message });
  const facts = { error: errorText(error), request_id: request.id, path: request.routeOptions?.url };
  const isLocked = isLockTimeout(error);
  if (isLocked || isDatabaseUnavailable(error)) {
    log.error(facts, isLocked ? 'request failed: a row is locked' : 'request failed: database unavailable');
    const unavailable = request.method === 'GET' ? UNAVAILABLE_TO_READ : UNAVAILABLE_TO_CHANGE;
    const detail = isLocked ? LOCKED : unavailable;
    reply.header('Retry-After', String(RETRY_AFTER_SECONDS));
    return reply.code(503).send({ detail, request_id: request.id });
  }
  log.error({ ...facts, stack: error.stack }, 'request failed');
  return reply.code(500).send({ detail: 'something went wrong', request_id: request.id });
}

const isTooLarge = (error: FastifyError | HttpError): boolean =>
  'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE';

const sizeText = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.floor(bytes / 1024)} KB` : `${Math.floor(bytes / 1024 / 1024)} MB`;

const LOCKED = 'somebody else is changing this; nothing was changed, try again in a few seconds';
const UNAVAILABLE_TO_READ = 'the database does not answer; try again in a few seconds';
const UNAVAILABLE_TO_CHANGE =
  'the database does not answer, and whether this was carried out is not known: look before you send it again, or send it with ' +
  'the same Idempotency-Key where the endpoint takes one';

class DatabaseUnavailableError extends Error {
  readonly code = 'CONNECTION_SILENT';
}

/**
 * A connection that was lost or refused, or PostgreSQL shutting down (57P01), starting (57P03), out of connections (53300) or so
 * slow that it canceled the statement (57014). A third party that cannot be reached is answered where it was asked.
 */
function isDatabaseUnavailable({ code }: { code?: string }): boolean {
  return /^(ECONN|CONNECT|57P0|57014|53300)/.test(code ?? '');
}

/** Names the fields and the kinds of errors, without the values sent. */
const errorLocations = (items: ValidationItem[]) =>
  items
    .slice(0, 5)
    .map(({ loc, type }) => `${loc.join('.')}: ${type}`)
    .join('; ');

declare module 'fastify' {
  interface FastifyRequest {
    /** The detail of an error response, for the logs. */
    errorDetail: string;
  }
}

/**
 * Returns a generator of request ids: UUIDs of version 7 as 32 hex characters, like every other id (shared/ids.ts). Random
 * bytes are drawn for 400 ids at once, because a draw costs the same whatever its size.
 */
export function createRequestIds(wall: () => number): () => string {
  const RANDOM_BYTES = 10;
  const drawn = Buffer.alloc(400 * RANDOM_BYTES);
  const id = Buffer.alloc(16);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    id.writeUIntBE(wall(), 0, 6);
    drawn.copy(id, 6, used, used + RANDOM_BYTES);
    used += RANDOM_BYTES;
    id[6] = 0x70 | (id[6]! & 0x0f);
    id[8] = 0x80 | (id[8]! & 0x3f);
    return id.toString('hex');
  };
}

/**
 * At its end the server waits for requests that are under way. It would also wait for its clients to close two kinds of connections, which
 * are closed here: those without a request yet, of which browsers open some ahead, and those whose request was answered meanwhile.
 */
function closeUnusedConnections(app: FastifyInstance, secure: boolean): void {
  const unused = new Set<Socket>();
  let closing = false;
  app.server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket));
  app.addHook('preClose', (done) => {
    closing = true;
    for (const socket of unused) socket.destroy();
    done();
  });
  app.addHook('onResponse', (_request, _reply, done) => {
    // The connection counts as idle when those that listen for the end of the response have run.
    if (closing) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}
