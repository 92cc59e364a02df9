import { existsSync } from 'node:fs';
import { join } from 'node:path';
import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { CONSOLE_PATHS } from '../../shared/console-paths.ts';
import { pageHeaders } from './security-headers.ts';

export interface ConsoleOptions {
  /** Where `dev/build-console.ts` put the page: `index.html`, `assets/` and `embed.js`. */
  dir: string;
  /** How browsers reach media, `wss://…`: the only other addresses that the page may connect to. */
  mediaOrigins: readonly string[];
  /** Where the checkout of a payment gateway loads its script and frames from, on the pages where one pays. */
  checkoutOrigins?: readonly string[];
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Antiphon</title></head>
<body><h1>Antiphon</h1><p>The console is not built yet: run <code>make console</code>, then start again.</p></body></html>
`;

/** Scheme, host and port of a URL; the host may begin with `*.`. */
const ORIGIN = /^wss?:\/\/(\*\.)?[\w.:[\]-]+/;

/** The pages where one pays. */
const BILLING_PATHS = ['/billing', '/billing/*'];

/**
 * Allows nothing from other origins but media, and no inline script or style; the microphone is for this page alone.
 * With the origins of a checkout it allows what that brings, and inline styles: Razorpay's script adds style elements to the page,
 * which differ from release to release, so that no hash could name them.
 */
function consoleHeaders(mediaOrigins: readonly string[], checkout: readonly string[]): Record<string, string> {
  const media = mediaOrigins.flatMap((each) => ORIGIN.exec(each.trim())?.[0] ?? []);
  const hasCheckout = checkout.length > 0;
  const policy = pageHeaders({
    allows: {
      'script-src': ["'self'", ...checkout],
      'style-src': ["'self'", ...(hasCheckout ? ["'unsafe-inline'"] : [])],
      'img-src': ["'self'", 'data:', ...checkout],
      'media-src': ["'self'", 'blob:'],
      'connect-src': ["'self'", ...media, ...checkout],
      ...(hasCheckout ? { 'frame-src': checkout } : {}),
    },
    microphone: true,
    // A bank's page opens in a window of its own, which must find its way back to the checkout.
    ...(hasCheckout ? { windows: 'opens' } : {}),
  });
  return { ...policy, 'Cache-Control': 'no-cache' };
}

/**
 * Serves the console at `/` and the paths of `shared/console-paths.ts`, and `/embed.js` for pages of other sites. Files under `/assets/` have a hash of their content in
 * the name and may be cached for ever. Left out of the OpenAPI document.
 */
export async function consolePages(
  app: FastifyInstance,
  { dir, mediaOrigins, checkoutOrigins = [] }: ConsoleOptions,
): Promise<void> {
  const usual = consoleHeaders(mediaOrigins, []);
  // The page itself finds out what to show at an address, also that it is none of its own.
  const pages = ['/', ...CONSOLE_PATHS.flatMap((name) => [`/${name}`, `/${name}/*`])].map(
    (path) => [path, BILLING_PATHS.includes(path) ? consoleHeaders(mediaOrigins, checkoutOrigins) : usual] as const,
  );
  const hidden = { schema: { hide: true } };
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
    preCompressed: true,
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
      }),
      'embed.js',
    ),
  );
}
