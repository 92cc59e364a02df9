import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCapture } from '../../../bench/replay/read-capture.ts';
import { exportCapture } from '../../../control/operators/captures.ts';
import { newId } from '../../../shared/ids.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';

const TAPE = fileURLToPath(new URL('../../../fixtures/captures/booking.capture.gz', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'antiphon-tapes-'));
const callId = newId();
let api: TestApi;
let line: OperatorCommand;

beforeAll(async () => {
  copyFileSync(TAPE, join(folder, `${callId}.capture.gz`));
  api = await startTestApi();
  line = createOperatorCommand(api.sql);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a tape that leaves the machine', () => {
  it('has no words unless they are asked for', async () => {
    const whole = join(folder, 'whole');
    const wordless = join(folder, 'wordless');
    const lines = await exportCapture(folder, callId, whole, true);
    expect(await exportCapture(folder, callId, wordless, false)).toBe(lines);
    expect(JSON.stringify(await readCapture(whole))).toContain('tomorrow');
    const { head, entries } = await readCapture(wordless);
    expect(head.redacted).toBe(true);
    expect(JSON.stringify(entries)).not.toContain('tomorrow');
  });

  it('is refused by what is no id, and where there is none', async () => {
    const to = join(folder, 'none');
    await expect(exportCapture(folder, '../booking', to, true)).rejects.toThrow("is no call's id");
    await expect(exportCapture(folder, newId(), to, true)).rejects.toThrow('there is no tape');
  });

  it('of an engine that died leaves up to where it was written, and says so', async () => {
    const died = newId();
    const packed = readFileSync(TAPE);
    writeFileSync(join(folder, `${died}.capture.gz.part`), packed.subarray(0, packed.length / 2));
    for (const words of [true, false]) {
      const to = join(folder, `half-${words}`);
      const lines = await exportCapture(folder, died, to, words);
      const { head, entries } = await readCapture(to);
      expect(head.redacted).toBe(!words);
      expect(entries).toHaveLength(lines - 1);
      expect(entries.filter(({ k }) => k === 'truncated')).toMatchObject([{ reason: 'the file ends in the middle' }]);
    }
  });
});

describe('the folder of tapes', () => {
  beforeAll(() => {
    process.env.TAPES_DIR = folder;
  });
  afterAll(() => {
    delete process.env.TAPES_DIR;
  });

  it('is listed with what is not finished, and a tape can be deleted', async () => {
    const [whole, died] = [newId(), newId()];
    copyFileSync(TAPE, join(folder, `${whole}.capture.gz`));
    writeFileSync(join(folder, `${died}.capture.gz.part`), 'what');
    const { result } = await line.operator('tape list');
    expect(result.tapes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ call_id: whole, whole: true }),
        expect.objectContaining({ call_id: died, whole: false }),
      ]),
    );
    for (const id of [whole, died]) await line.operator(`tape delete ${id}`);
    expect(existsSync(join(folder, `${whole}.capture.gz`))).toBe(false);
    expect(existsSync(join(folder, `${died}.capture.gz.part`))).toBe(false);
    expect(await line.refusal(`tape delete ${whole}`)).toContain('there is no tape');
    expect(await line.refusal('tape delete ../booking')).toContain("is no call's id");
  });

  it('tells the trail of the workspace whose call it was, when a copy leaves it or a tape is deleted', async () => {
    const { workspace_id } = await api.newWorkspace();
    const id = newId();
    const at = new Date();
    await api.sql`
      insert into calls (
        workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number, to_number,
        started_by, provider, created_at, queued_at, started_at, currency
      ) values (
        ${workspace_id}, ${id}, ${newId()}, 'Asha', 1, 'inbound', 'web', 'completed', '', '', '', '',
        ${at}, ${at}, ${at}, 'INR'
      )`;
    copyFileSync(TAPE, join(folder, `${id}.capture.gz`));
    await line.operator(`tape export ${id} ${join(folder, 'copy')}`, { words: 'yes' });
    await line.operator(`tape delete ${id}`);
    expect(await line.trailOf(workspace_id)).toEqual(expect.arrayContaining(['tape.deleted', 'tape.exported']));
    const [row] = await api.sql<{ data: object; target_id: string }[]>`
      select data, target_id from audit_events where workspace_id = ${workspace_id} and action = 'tape.exported'`;
    expect(row).toEqual({ data: { words: true }, target_id: id });
  });
});

describe('which calls are taped', () => {
  it('is switched for one agent, and written to the trail', async () => {
    const client = await api.newWorkspace();
    const { workspace_id } = client;
    const agent = (await client.send('POST', '/agents', { name: 'Taped' })).body.id;
    expect((await line.operator(`tape on ${workspace_id} ${agent}`)).result).toMatchObject({ tape: true });
    expect((await line.operator(`tape off ${workspace_id} ${agent}`)).result).toMatchObject({ tape: false });
    expect(await line.trailOf(workspace_id)).toEqual(expect.arrayContaining(['agent.tape_on', 'agent.tape_off']));
    expect(await line.refusal(`tape on ${workspace_id} ${newId()}`)).toContain('not found');
  });
});
