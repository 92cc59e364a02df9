import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { pageHeaders } from './security-headers.ts';

/** Swagger UI draws with images of its own style sheet, and sends requests to this service only. */
const HEADERS = {
  ...pageHeaders({
    allows: {
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'img-src': ["'self'", 'data:'],
      'connect-src': ["'self'"],
    },
  }),
  'Cache-Control': 'no-cache',
};

/** Swagger UI has a dark style, by a class; the page follows the system. */
const COLOR_SCHEME = `const dark = matchMedia('(prefers-color-scheme: dark)');
const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', apply);
apply();
`;

/** On a phone the page would be as wide as its longest path. */
const NARROW = `.swagger-ui { overflow-wrap: anywhere; }
@media (max-width: 600px) {
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock-summary-path { max-width: 100%; }
  .swagger-ui table { display: block; overflow-x: auto; }
}
`;

/** Serves the reference of the API at `/docs`, from `/openapi.json`: Swagger UI, whose files come with its package. */
export async function apiReference(app: FastifyInstance): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRequest', (_request, reply, done) => {
      reply.headers(HEADERS);
      done();
    });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: { docExpansion: 'none', defaultModelsExpandDepth: 0, filter: true, layout: 'BaseLayout' },
      // A request that the reader tries goes where the page is from: its policy allows no other address.
      transformSpecification: (document) => ({ ...document, servers: [{ url: '/' }] }),
      transformSpecificationClone: false,
      theme: {
        title: 'API reference',
        css: [{ filename: 'narrow.css', content: NARROW }],
        js: [{ filename: 'color-scheme.js', content: COLOR_SCHEME }],
      },
    });
  });
}
