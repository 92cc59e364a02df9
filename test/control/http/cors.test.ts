import { afterAll, describe, expect, it } from 'vitest';
import { parseOrigins } from '../../../control/http/cors.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { createLogger } from '../../../shared/log.ts';
import { request } from '../../support/control-app.ts';

const CONSOLE = 'https://console.example.com';
const http = await createHttpApp({
  log: createLogger('control', 'silent'),
  findPrincipal: async () => null,
  consoleOrigins: parseOrigins(` ${CONSOLE}/, http://localhost:5173`),
});
afterAll(() => http.close());

describe('a page of another origin', () => {
  it('may use the API when it is the console', async () => {
    for (const origin of [CONSOLE, 'http://localhost:5173']) {
      const { headers } = await request(http, { method: 'GET', url: '/api/v1/agents', headers: { origin } });
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers['access-control-allow-credentials']).toBe('true');
      expect(headers['access-control-expose-headers']).toContain('X-RateLimit-Remaining');
      expect(headers.vary).toBe('Origin');
    }
  });

  it('gets a preflight response', async () => {
    const asked = { origin: CONSOLE, 'access-control-request-method': 'PUT' };
    const { status, headers } = await request(http, { method: 'OPTIONS', url: '/api/v1/agents/1', headers: asked });
    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe(CONSOLE);
    expect(headers['access-control-allow-methods']).toContain('PUT');
    expect(headers['access-control-allow-headers']).toContain('Authorization');
  });

  it('is not allowed when it is not the console', async () => {
    for (const origin of ['https://example.com', 'http://console.example.com', `${CONSOLE}.evil.com`, 'null']) {
      for (const method of ['GET', 'OPTIONS'] as const) {
        const { headers } = await request(http, { method, url: '/api/v1/agents', headers: { origin } });
        expect(headers).not.toHaveProperty('access-control-allow-origin');
      }
    }
  });
});

it('malformed origins stop the start', () => {
  expect(parseOrigins('').size).toBe(0);
  expect(() => parseOrigins('console.example.com:x')).toThrow();
});
