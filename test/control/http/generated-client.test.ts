import { generateSource } from 'oazapfts';
import { expect, it } from 'vitest';
import { request, startTestApi } from '../../support/control-app.ts';

it("the console's functions and types are those of the API (`make docs` writes them)", async () => {
  const { http } = await startTestApi();
  const { body } = await request(http, { method: 'GET', url: '/openapi.json' });
  const source = await generateSource(body, { futureStripLegacyMethods: true } as never);
  await expect(source).toMatchFileSnapshot('../../../console/generated/api.ts');
});
