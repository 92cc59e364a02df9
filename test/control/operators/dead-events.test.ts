import { beforeAll, expect, it } from 'vitest';
import { ingest } from '../../../control/calls/events/ingest.ts';
import { callEventCodec } from '../../../shared/bus/messages.ts';
import { newId } from '../../../shared/ids.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';
import { type CallFixture, createCallFixture, delivered, log, type Tenant, wholeCall } from '../calls/call-fixture.ts';

let fixture: CallFixture;
let tenant: Tenant;
let line: OperatorCommand;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant();
  line = createOperatorCommand(fixture.sql);
});

/** Puts an event aside as one of a type that this program does not know, and then mends its bytes. */
async function putAside(event: ReturnType<typeof wholeCall>[number]): Promise<string> {
  await ingest({ sql: fixture.sql, clock: fixture.clock, log }, [delivered({ ...event, type: 'call.invented' })]);
  const [row] = await fixture.sql<{ id: string }[]>`
    update dead_events set raw = ${Buffer.from(callEventCodec.encode(event))}
    where call_id = ${event.call_id} and seq = ${event.seq} returning id`;
  return row!.id;
}

it('lists, shows and replays an event that could not be applied', async () => {
  const call = await fixture.opened(tenant);
  const [started, welcome, turn] = wholeCall(call.id);
  await ingest({ sql: fixture.sql, clock: fixture.clock, log }, [delivered(started!)]);
  const id = await putAside(welcome!);
  await ingest({ sql: fixture.sql, clock: fixture.clock, log }, [delivered(turn!)]);

  const { result } = await line.operator('dead-letters list');
  expect(result).toMatchObject([{ id, call_id: call.id, seq: 2, reason: 'unknown type call.invented' }]);
  expect((await line.operator(`dead-letters show ${id}`)).text).not.toContain('Hello');
  expect((await line.operator(`dead-letters show ${id}`, { words: 'yes' })).text).toContain('Hello');
  expect((await line.operator(`dead-letters replay ${id}`)).result).toEqual({ done: [id], refused: [] });

  expect((await fixture.types(call)).slice(-3)).toEqual(['call.started', 'user.turn', 'welcome']);
  const { transcript, media_seq } = await fixture.read(call.id);
  expect([transcript.map(({ text }) => text), media_seq]).toEqual([['Hi there', 'Hello'], 3]);
  expect(await line.refusal(`dead-letters replay ${id}`)).toBe(`no dead letter ${id}`);
  expect(await line.trailOf(tenant.workspace_id)).toEqual(['dead_letter.read', 'dead_letter.replayed']);
});

it('replays the end of a call that control has ended meanwhile: its usage is added, the rest stays', async () => {
  const call = await fixture.opened(tenant);
  const [started, , , , ended] = wholeCall(call.id);
  await ingest({ sql: fixture.sql, clock: fixture.clock, log }, [delivered(started!)]);
  const id = await putAside({ ...ended!, seq: 2 });
  await fixture.sql`update calls set status = 'failed', ended_at = now() where id = ${call.id}`;
  await fixture.sql`
    insert into call_events (workspace_id, call_id, seq, id, source, type, message, level, data, created_at)
    values (${tenant.workspace_id}, ${call.id}, 90, ${newId()}, 'control', 'call.ended', '', 'error', '{}', now())`;
  await line.operator(`dead-letters replay ${id}`);
  expect(await fixture.read(call.id)).toMatchObject({ status: 'failed', usage: { llm_calls: 2 } });
});

it('leaves what still cannot be applied, and drops what the operator does not want', async () => {
  await ingest({ sql: fixture.sql, clock: fixture.clock, log }, [delivered(null), delivered(wholeCall(newId())[0]!)]);
  const replayed = await line.operator('dead-letters replay all');
  expect(replayed.result.done).toEqual([]);
  expect(replayed.result.refused.map(({ reason }: { reason: string }) => reason)).toEqual(['unreadable', 'unreadable']);
  expect((await line.operator('dead-letters drop all')).result.done).toHaveLength(2);
  expect((await line.operator('dead-letters list')).text).toBe('no dead letters');
  const trail = await fixture.sql`select action from service_events where target_kind = 'dead_letter'`;
  expect(trail).toHaveLength(2);
});
