import { readFileSync } from 'node:fs';
import { generateSource } from 'oazapfts';
import { beforeAll, expect, it } from 'vitest';
import { pythonOf } from '../../../clients/generate/python.ts';
import { typescriptOf } from '../../../clients/generate/typescript.ts';
import { request, startTestApi } from '../../support/control-app.ts';
import { type ApiDocument, operationsOf } from '../../support/openapi-samples.ts';

/** `make docs` writes the clients again. */

const RUNTIME = new URL('../../../clients/generate/python-runtime.py', import.meta.url);

let text: string;

beforeAll(async () => {
  const { http } = await startTestApi();
  text = JSON.stringify((await request(http, { method: 'GET', url: '/openapi.json' })).body);
});

it("the console's functions and types are those of the API", async () => {
  const source = await generateSource(forConsole(JSON.parse(text)), { futureStripLegacyMethods: true } as never);
  await expect(source).toMatchFileSnapshot('../../../console/generated/api.ts');
});

it('the TypeScript client has the operations and types of the API', async () => {
  await expect(typescriptOf(JSON.parse(text))).toMatchFileSnapshot(
    '../../../clients/typescript/generated/operations.ts',
  );
});

it('the Python client has the operations and types of the API', async () => {
  const source = pythonOf(JSON.parse(text), readFileSync(RUNTIME, 'utf8'));
  await expect(source).toMatchFileSnapshot('../../../clients/python/antiphon.py');
});

/**
 * The console sets the headers that every endpoint reads for all its requests, and is served by the service that it calls. Its
 * functions are named by method and path.
 */
function forConsole(document: ApiDocument): never {
  for (const { path, method, parameters = [] } of operationsOf(document)) {
    const operation = document.paths[path]![method.toLowerCase()]!;
    operation.parameters = parameters.filter((each) => !('$ref' in each));
    operation.operationId = `${method.toLowerCase()}_${path.slice('/api/v1/'.length).replace(/[{}]/g, '').replace(/[/-]/g, '_')}`;
  }
  return { ...document, servers: [{ url: '/' }] } as never;
}
