import { generateSource } from 'oazapfts';
import { expect, it } from 'vitest';
import { request, startTestApi } from '../../support/control-app.ts';
import { type ApiDocument, operationsOf } from '../../support/openapi-samples.ts';

it("the console's functions and types are those of the API (`make docs` writes them)", async () => {
  const { http } = await startTestApi();
  const { body } = await request(http, { method: 'GET', url: '/openapi.json' });
  const source = await generateSource(forConsole(body), { futureStripLegacyMethods: true } as never);
  await expect(source).toMatchFileSnapshot('../../../console/generated/api.ts');
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
