import { expect, it } from 'vitest';
import { OPERATIONS } from '../../clients/typescript/generated/operations.ts';
import {
  AntiphonApiError,
  type Client,
  createClient,
  type OperationName,
} from '../../clients/typescript/src/antiphon-client.ts';
import { newId } from '../../shared/ids.ts';
import { request } from '../support/control-app.ts';
import { furnish } from '../support/furnish.ts';
import { startListeningApi } from '../support/listening-api.ts';
import {
  type ApiDocument,
  bodySchemaOf,
  type NamedOperation,
  operationsOf,
  sampleOf,
} from '../support/openapi-samples.ts';

/** Each operation is called once through the TypeScript client, over a socket, against the real API. */

/** They end the session, or close the account. */
const LAST = ['changePassword', 'revokeOtherSessions', 'disableTwoFactor', 'logOut', 'deleteAccount'];
const METHODS = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'];

const orderOf = ({ operationId, method }: NamedOperation) =>
  LAST.includes(operationId!) ? METHODS.length + LAST.indexOf(operationId!) : METHODS.indexOf(method);

it('every operation is sent as the API has it, and is answered as the document says', async () => {
  const { http, sql, asUser, url } = await startListeningApi();
  const document: ApiDocument = (await request(http, { url: '/openapi.json' })).body;
  const owner = await asUser('owner');
  await furnish(sql, owner, '+919800000001');
  const sent: string[] = [];
  const account = { url, key: owner.token, workspaceId: owner.workspace_id };
  const client = createClient({
    ...{ ...account, maxRetries: 0 },
    fetch: (address, init) => {
      sent.push(`${init?.method} ${new URL(String(address)).pathname}`);
      return fetch(address, init);
    },
  });
  const ids = await idsOf(createClient(account));
  const operations = operationsOf(document).toSorted((a, b) => orderOf(a) - orderOf(b));
  const wrong: string[] = [];
  let carriedOut = 0;
  for (const operation of operations) {
    const name = operation.operationId as OperationName;
    const status = await statusOf(client, name, inputOf(document, operation, ids));
    if (status === 200) carriedOut++;
    else if (!Object.hasOwn(operation.responses, status)) wrong.push(`${name}: ${status}`);
    const path = operation.path.replace(/\{\w+\}/g, '[^/]+');
    if (!new RegExp(`^${operation.method} ${path}$`).test(sent.at(-1)!)) wrong.push(`${name}: ${sent.at(-1)}`);
  }
  expect(wrong).toEqual([]);
  expect(sent).toHaveLength(operations.length);
  expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
  expect(carriedOut).toBeGreaterThan(100);
});

/** Of what exists, by the name of the parameter. */
async function idsOf(client: Client): Promise<Record<string, string>> {
  const [agent] = await client.listAgents();
  const { items } = await client.listCalls();
  const [base] = await client.listKnowledgeBases();
  const [webhook] = await client.listWebhooks();
  const [tool] = await client.listTools();
  const [key] = await client.listKeys();
  const [invite] = await client.listInvites();
  const [share] = await client.listAgentShares();
  const [scenario] = await client.listTestScenarios({ agent_id: agent!.id });
  return {
    ...{ agent_id: agent!.id, call_id: items[0]!.id, kb_id: base!.id, endpoint_id: webhook!.id, tool_id: tool!.id },
    ...{ key_id: key!.id, invite: invite!.id, token: share!.token, scenario_id: scenario!.id },
  };
}

function inputOf(document: ApiDocument, operation: NamedOperation, ids: Record<string, string>): never {
  const inPath = (operation.parameters ?? []).filter((each) => each.in === 'path');
  const fixed: Record<string, string> = { ...ids, number: '+919800000001', version: '1', sound: 'office' };
  const input: Record<string, unknown> = Object.fromEntries(inPath.map(({ name }) => [name, fixed[name] ?? newId()]));
  const reads = bodySchemaOf(operation);
  if (reads) input.body = sampleOf(document, reads.schema);
  if (reads?.type === 'multipart/form-data') Object.assign(input.body as object, { file: new Blob(['a,b']) });
  return input as never;
}

/** 200 for every success. */
async function statusOf(client: Client, name: OperationName, input: never): Promise<number> {
  try {
    const result = await (client[name] as (input: never) => Promise<unknown>)(input);
    if (result instanceof Response) await result.arrayBuffer();
    return 200;
  } catch (error) {
    if (error instanceof AntiphonApiError) return error.status;
    throw error;
  }
}
