import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { request, startTestApi } from '../../support/control-app.ts';

/**
 * What Redocly's recommended rules ask of an OpenAPI description, examples included. Off are those about things this API does not
 * have: a licence, and error responses of endpoints that have none.
 */
const RULES = {
  'info-license': 'off',
  'no-server-example.com': 'off',
  'operation-4xx-response': 'error',
  'operation-operationId': 'error',
  'operation-operationId-unique': 'error',
  'operation-operationId-url-safe': 'error',
  'operation-tag-defined': 'error',
  'operation-summary': 'error',
  'no-unused-components': 'error',
  'no-ambiguous-paths': 'off',
  'path-parameters-defined': 'error',
  'security-defined': 'error',
  'tag-description': 'error',
  'no-invalid-media-type-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'no-schema-type-mismatch': 'error',
} as const;

it('the OpenAPI document passes the linter', async () => {
  const { http } = await startTestApi();
  const { body } = await request(http, { method: 'GET', url: '/openapi.json' });
  const config = await createConfig({ extends: ['recommended'], rules: RULES });
  const problems = await lintFromString({ source: JSON.stringify(body), config, absoluteRef: 'openapi.json' });
  const found = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
  expect(found).toEqual([]);
});
