import { beforeAll, describe, expect, it } from 'vitest';
import { addNumber, connectNumber } from '../../../control/numbers/connect-number.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;
let other: Client;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace('Acme');
  other = await api.newWorkspace('Other');
});

const newAgent = async (client: Client) => (await client.send('POST', '/agents', { name: 'Asha' })).body.id as string;
const answeredBy = async (client: Client, agentId: string) =>
  (await client.send('GET', `/agents/${agentId}`)).body.phone_number;
const add = (number: string, { workspace_id }: Client, agent_id?: string) =>
  addNumber(api.sql, Date.now(), { number, workspace_id, provider: 'plivo', agent_id });

describe('a number', () => {
  it('moves from one agent to another', async () => {
    const [first, second] = [await newAgent(acme), await newAgent(acme)];
    expect(await add('+911000000001', acme, first)).toBeNull();
    expect(await answeredBy(acme, first)).toBe('+911000000001');
    expect(await connectNumber(api.sql, Date.now(), '+911000000001', second)).toBeNull();
    expect([await answeredBy(acme, first), await answeredBy(acme, second)]).toEqual(['', '+911000000001']);
  });

  it('belongs to one workspace', async () => {
    expect(await add('+911000000002', acme)).toBeNull();
    expect(await add('+911000000002', other)).toBe('the number is used by another workspace');
  });

  it('is never answered by the agent of another workspace', async () => {
    const foreignAgent = await newAgent(other);
    expect(await add('+911000000003', acme, foreignAgent)).toContain("not found in the number's workspace");
    // Nothing was entered by half.
    expect(await add('+911000000003', acme)).toBeNull();
    expect(await connectNumber(api.sql, Date.now(), '+911000000003', foreignAgent)).toContain('not found');
    expect(await answeredBy(other, foreignAgent)).toBe('');
  });

  it('that nobody entered cannot be connected', async () => {
    const agent = await newAgent(acme);
    expect(await connectNumber(api.sql, Date.now(), '+911000000009', agent)).toContain('does not exist: add it first');
  });
});
