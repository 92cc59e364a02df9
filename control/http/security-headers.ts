import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { isLoopbackHost } from '../../shared/networks.ts';

/**
 * Every header that says what a browser may do with an answer, in one place. All answers get `EVERY_ANSWER`; a page replaces it by
 * `pageHeaders`. As OWASP's cheat sheets advise ("HTTP Headers", "REST Security"), by Content Security Policy Level 3, RFC 6797
 * (HSTS) and the HTML standard (Cross-Origin-Opener-Policy).
 *
 * No header names the server or its version: Node and Fastify send none.
 */

/** For what is no page: opened as one it can load nothing, run nothing and stand in no frame. */
const EVERY_ANSWER = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
} as const;

/** A year. Not for subdomains: other hosts of the domain are not ours. */
const STRICT_TRANSPORT = 'max-age=31536000';

/** The same as lines of HTTP, for an answer to what is no request. */
export const HEADER_LINES = Object.entries(EVERY_ANSWER)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/**
 * Returns what sets the headers of every answer. `publicUrl`: how clients reach the service. Where that is https, browsers never use http
 * again (HSTS); not for this machine's own name, which other programs use too.
 */
export function securityHeaders(publicUrl: string): (reply: FastifyReply) => void {
  const { protocol = '', hostname = '' } = URL.parse(publicUrl) ?? {};
  const isStrict = protocol === 'https:' && !isLoopbackHost(hostname);
  const headers = { ...EVERY_ANSWER, ...(isStrict ? { 'Strict-Transport-Security': STRICT_TRANSPORT } : {}) };
  const entries = Object.entries(headers);
  return (reply) => {
    for (const [name, value] of entries) reply.header(name, value);
  };
}

/** What a page may do; everything else is forbidden. */
export interface PagePolicy {
  /** Directives of its Content-Security-Policy beside those of every page. */
  allows: Readonly<Record<string, readonly string[]>>;
  /** Where its forms may lead besides the service itself. */
  formOrigins?: readonly string[];
  /** Uses the microphone. */
  microphone?: boolean;
  /** `opens`: windows of other sites that find their way back; `opened`: an app may open the page and wait for its window. */
  windows?: 'opens' | 'opened';
}

const OPENER_POLICIES = { opens: 'same-origin-allow-popups', opened: 'unsafe-none' } as const;
const UNUSED_FEATURES = ['camera', 'geolocation', 'display-capture', 'usb', 'serial'];

/** The headers of a page: it loads only what it names, and no site can frame it. Its URL, which may hold a token, stays with us. */
export function pageHeaders({
  allows,
  formOrigins = [],
  microphone = false,
  windows,
}: PagePolicy): Record<string, string> {
  const directives: [name: string, sources: readonly string[]][] = [
    ['default-src', ["'none'"]],
    ...Object.entries(allows),
    ['form-action', ["'self'", ...formOrigins]],
    ['base-uri', ["'none'"]],
    ['frame-ancestors', ["'none'"]],
  ];
  const features = [`microphone=${microphone ? '(self)' : '()'}`, ...UNUSED_FEATURES.map((name) => `${name}=()`)];
  return {
    ...EVERY_ANSWER,
    'Content-Security-Policy': directives.map(([name, sources]) => [name, ...sources].join(' ')).join('; '),
    'Permissions-Policy': features.join(', '),
    'Cross-Origin-Opener-Policy': windows ? OPENER_POLICIES[windows] : 'same-origin',
    // Not `no-referrer`: older browsers would send a form with `Origin: null`.
    'Referrer-Policy': 'same-origin',
  };
}

/** How a policy names one inline style or script, by what is between its tags. */
export const inlineHash = (content: string): string =>
  `'sha256-${createHash('sha256').update(content).digest('base64')}'`;

/** Sets the headers of every answer; a route may replace them. */
export function addSecurityHeaders(app: FastifyInstance, set: (reply: FastifyReply) => void): void {
  app.addHook('onRequest', (_request, reply, done) => {
    set(reply);
    done();
  });
}
