import { existsSync } from 'node:fs';
import { join } from 'node:path';
import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

export interface ConsoleOptions {
  /** Where `dev/build-console.ts` put the page: `index.html`, `assets/` and `embed.js`. */
  dir: string;
  /** How browsers reach media, `wss://…`: the only other addresses that the page may connect to. */
  mediaOrigins: readonly string[];
  /** Where the checkout of a payment gateway loads its script and frames from, on the page where one pays. */
  checkoutOrigins?: readonly string[];
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Antiphon</title></head>
<body><h1>Antiphon</h1><p>The console is not built yet: run <code>make console</code>, then start again.</p></body></html>
`;

/** Scheme, host and port of a URL; the host may begin with `*.`. */
const ORIGIN = /^wss?:\/\/(\*\.)?[\w.:[\]-]+/;

/** Of the page where one pays. The console's other pages are at `/`. */
const BILLING_PATH = '/billing';

/**
 * Allows nothing from other origins but media, no inline script or style and no framing; the microphone is for this page alone.
 * With the origins of a checkout it allows what that brings, and inline styles: Razorpay's script adds style elements to the page,
 * which differ from release to release, so that no hash could name them.
 */
function pageHeaders(mediaOrigins: readonly string[], checkout: readonly string[]): Record<string, string> {
  const media = mediaOrigins.flatMap((each) => ORIGIN.exec(each.trim())?.[0] ?? []);
  const policy = [
    "default-src 'none'",
    ['script-src', "'self'", ...checkout].join(' '),
    ["style-src 'self'", ...(checkout.length > 0 ? ["'unsafe-inline'"] : [])].join(' '),
    ['img-src', "'self'", 'data:', ...checkout].join(' '),
    "media-src 'self' blob:",
    ['connect-src', "'self'", ...media, ...checkout].join(' '),
    ...(checkout.length > 0 ? [['frame-src', ...checkout].join(' ')] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Permissions-Policy': 'microphone=(self), camera=(), geolocation=(), display-capture=()',
    // A bank's page opens in a window of its own, which must find its way back to the checkout.
    'Cross-Origin-Opener-Policy': checkout.length > 0 ? 'same-origin-allow-popups' : 'same-origin',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-cache',
  };
}

/**
 * Serves the console at `/` and `/billing`, and `/embed.js` for pages of other sites. Files under `/assets/` have a hash of their content in
 * the name and may be cached for ever. Left out of the OpenAPI document.
 */
export async function consolePages(
  app: FastifyInstance,
  { dir, mediaOrigins, checkoutOrigins = [] }: ConsoleOptions,
): Promise<void> {
  const pages = [
    ['/', pageHeaders(mediaOrigins, [])],
    [BILLING_PATH, pageHeaders(mediaOrigins, checkoutOrigins)],
  ] as const;
  const hidden = { schema: { hide: true } };
  // The earlier form of links to shared agents.
  app.get<{ Params: { token: string } }>('/shared-agents/:token', hidden, (request, reply) =>
    reply.redirect(`/#/shared-agents/${encodeURIComponent(request.params.token)}`),
  );
  if (!existsSync(join(dir, 'index.html'))) {
    for (const [path, headers] of pages) {
      app.get(path, hidden, async (_request, reply) =>
        reply.headers(headers).type('text/html; charset=utf-8').send(NOT_BUILT),
      );
    }
    return;
  }
  await app.register(staticFiles, {
    root: join(dir, 'assets'),
    prefix: '/assets/',
    index: false,
    immutable: true,
    maxAge: '365d',
    setHeaders: (reply) => reply.header('X-Content-Type-Options', 'nosniff'),
  });
  const send = (reply: FastifyReply, name: string) =>
    reply.sendFile(name, dir, { cacheControl: false, immutable: false, maxAge: 0 });
  for (const [path, headers] of pages) {
    app.get(path, hidden, (_request, reply) => send(reply.headers(headers), 'index.html'));
  }
  app.get('/embed.js', hidden, (_request, reply) =>
    send(
      reply.headers({
        'Cache-Control': 'public, max-age=300',
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'X-Content-Type-Options': 'nosniff',
      }),
      'embed.js',
    ),
  );
}
