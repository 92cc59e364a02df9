import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentRecord, recordOf } from '../../../control/agents/agent-record.ts';
import { encodeRecord } from '../../../control/http/serialize-record.ts';
import { inZone, time } from '../../../control/http/times.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';

const quickly = (schema: z.ZodType, value: unknown) => inZone('UTC', () => encodeRecord(schema, value));
const slowly = (schema: z.ZodType, value: unknown) => inZone('UTC', () => z.encode(schema, value as never));

const record = z.object({
  id: z.string(),
  count: z.int().default(1),
  share: z.number().nullable(),
  kind: z.enum(['a', 'b']),
  at: time().nullable(),
  list: z.array(z.object({ at: time(), url: z.url().optional() })),
  free: z.record(z.string(), z.unknown()),
  either: z.union([z.int(), z.string()]),
  open: z.unknown(),
});
const value = {
  ...{ id: 'x', count: 2, share: null, kind: 'b', at: new Date(0), open: { at: 1 } },
  list: [
    { at: 1_000, more: 'left out' },
    { at: new Date(5_000), url: 'https://example.com' },
  ],
  free: { at: 5, deep: { created_at: 'not touched' } },
  either: 'text',
  secret: 'left out',
};

describe('a response is encoded', () => {
  it('as zod encodes it', () => {
    expect(quickly(record, value)?.data).toEqual(slowly(record, value));
    expect(JSON.stringify(quickly(record, value)?.data)).toBe(JSON.stringify(slowly(record, value)));
    expect(JSON.stringify(quickly(record, value)?.data)).not.toContain('left out');
  });

  it('so for a whole agent, without zod', () => {
    const config = agentConfigSchema.parse({
      name: 'Asha',
      tools: [{ name: 'find', description: 'Finds it', url: 'https://example.com', parameters: { type: 'object' } }],
    });
    const row = {
      ...config,
      ...{ id: 'a'.repeat(32), phone_number: '', version: 1, updated_by: 'Ravi', frozen_at: null, frozen_reason: '' },
      ...{ frozen_incident_id: '', frozen_from: '', created_at: new Date(), updated_at: new Date() },
    };
    const agent = recordOf(row, true);
    expect(quickly(agentRecord, agent)?.data).toEqual(slowly(agentRecord, agent));
  });

  it('with the defaults of fields that are newer than the record', () => {
    const tool = { name: 'find', description: 'Finds it', parameters: {}, method: 'GET', url: '', headers: {} };
    const saved = z.object({ tools: agentRecord.shape.tools, call: agentRecord.shape.call });
    const { tools, call } = quickly(saved, { tools: [tool], call: { record: false } })!.data as z.output<typeof saved>;
    expect(tools[0]).toMatchObject({ pre_call_message: '', results: { path: '', variables: {}, message: '' } });
    expect(call).toMatchObject({ record: false, max_duration_seconds: 600 });
  });

  it('by zod when it does not match its schema, which reports why', () => {
    const wrong = [
      { id: 4 },
      { count: 1.5 },
      { kind: 'c' },
      { at: 'now' },
      { list: {} },
      { free: [] },
      { either: true },
    ];
    for (const each of wrong) expect(quickly(record, { ...value, ...each })).toBeNull();
    expect(quickly(record, null)).toBeNull();
    expect(quickly(z.object({ a: z.string() }).catchall(z.string()), { a: '', b: '' })).toBeNull();
  });

  it('also when its schema is recursive', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const oak = { name: 'oak', children: [{ name: 'branch', children: [] }] };
    expect(quickly(tree, oak)?.data).toEqual(oak);
  });
});
