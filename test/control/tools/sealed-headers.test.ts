import { beforeAll, expect, it } from 'vitest';
import { createSecretBox } from '../../../control/db/secret-box.ts';
import { shownTools } from '../../../control/tools/mask-tool-headers.ts';
import { createToolHeaders, openedTools } from '../../../control/tools/seal-tool-headers.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

const TOOL = {
  name: 'find_slots',
  description: 'Finds free appointments',
  url: 'https://shop.example.com/slots',
  headers: { Authorization: 'Bearer secret', Empty: '' },
};
const MASKED = { Authorization: '***', Empty: '***' };
let api: TestApi;
let acme: Client;

beforeAll(async () => {
  api = await startTestApi({}, { SECRETS_KEY: 'a key' });
  acme = await api.newWorkspace();
});

/** All that the database holds of tools. */
async function stored(): Promise<string> {
  const [row] = await api.sql<{ text: string }[]>`
    select concat((select json_agg(t) from tools t), (select json_agg(a) from agents a),
      (select json_agg(v) from agent_versions v), (select json_agg(e) from audit_events e)) as text`;
  return row!.text;
}

it("a saved tool's values are sealed, shown to editors, and kept when they are sent back masked", async () => {
  const { body: tool } = await acme.send('POST', '/tools', TOOL);
  expect(tool.headers).toEqual(TOOL.headers);
  const changed = await acme.send('PUT', `/tools/${tool.id}`, { ...TOOL, description: 'Other', headers: MASKED });
  expect(changed.body).toMatchObject({ description: 'Other', headers: TOOL.headers });
  expect((await acme.send('GET', '/tools')).body[0].headers).toEqual(TOOL.headers);
  const viewer = await api.asUser('viewer', acme.workspace_id);
  expect((await viewer.send('GET', '/tools')).body[0].headers).toEqual(MASKED);
  expect(await stored()).not.toContain('Bearer secret');
});

it.each([
  ['tools', TOOL],
  ['mcp_servers', { name: 'shop', url: TOOL.url, headers: TOOL.headers }],
])("an agent's values are sealed in the agent and its versions, and readable in copies: %s", async (field, item) => {
  const { body: agent } = await acme.send('POST', '/agents', { name: 'Asha', [field]: [item] });
  expect(agent[field][0].headers).toEqual(TOOL.headers);
  const path = `/agents/${agent.id}`;
  const put = (more: object, headers: object) =>
    acme.send('PUT', path, { name: 'Asha', [field]: [{ ...item, headers }], ...more });
  expect((await put({}, MASKED)).body).toMatchObject({ version: 1, [field]: [{ headers: TOOL.headers }] });
  expect((await put({ name: 'Usha' }, { Authorization: 'Bearer other' })).body.version).toBe(2);
  const read = [
    (await acme.send('GET', `${path}/versions/1`)).body.agent,
    (await acme.send('POST', `${path}/versions/1/restore`)).body,
    (await acme.send('POST', `${path}/duplicate`)).body,
    (await acme.send('GET', path)).body,
    ...(await acme.send('GET', '/agents')).body.slice(0, 2),
  ];
  expect(read.map((each) => each[field]?.[0]?.headers)).toEqual(Array(read.length).fill(TOOL.headers));
  const viewer = await api.asUser('viewer', acme.workspace_id);
  for (const each of [path, `${path}/versions/1`]) {
    const { body } = await viewer.send('GET', each);
    expect((body.agent ?? body)[field][0].headers).toEqual(MASKED);
  }
  expect(await stored()).not.toMatch(/Bearer (secret|other)/);
});

it('a value is opened for its own workspace, and without its key neither shown nor sent', () => {
  const keep = createToolHeaders(createSecretBox(['a key']));
  const sealed = keep.seal('acme', [TOOL]);
  expect(keep.seal('acme', sealed)).toEqual(sealed);
  expect(keep.open('acme', sealed)).toEqual([TOOL]);
  for (const [box, workspace] of [
    [keep, 'other'] as const,
    [createToolHeaders(createSecretBox(['x'])), 'acme'] as const,
  ]) {
    expect(shownTools(box.open(workspace, sealed), true)[0]!.headers.Authorization).toBe('***');
    expect(openedTools(box, workspace, sealed)[0]!.headers).toEqual({ Authorization: '', Empty: '' });
  }
});
