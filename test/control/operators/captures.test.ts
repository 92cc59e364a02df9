import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCapture } from '../../../bench/replay/read-capture.ts';
import { exportCapture } from '../../../control/operators/capture-files.ts';
import { newId } from '../../../shared/ids.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';

const CAPTURE = fileURLToPath(new URL('../../../fixtures/captures/booking.capture.gz', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'antiphon-captures-'));
const callId = newId();
let api: TestApi;
let line: OperatorCommand;

beforeAll(async () => {
  copyFileSync(CAPTURE, join(folder, `${callId}.capture.gz`));
  api = await startTestApi();
  line = createOperatorCommand(api.sql);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an exported capture', () => {
  it('is redacted unless words are requested', async () => {
    const whole = join(folder, 'whole');
    const redacted = join(folder, 'redacted');
    const lines = await exportCapture(folder, callId, whole, true);
    expect(await exportCapture(folder, callId, redacted, false)).toBe(lines);
    expect(JSON.stringify(await readCapture(whole))).toContain('tomorrow');
    const { head, entries } = await readCapture(redacted);
    expect(head.redacted).toBe(true);
    expect(JSON.stringify(entries)).not.toContain('tomorrow');
  });

  it('is refused for an invalid id, and for a call without one', async () => {
    const to = join(folder, 'none');
    await expect(exportCapture(folder, '../booking', to, true)).rejects.toThrow('is not a call id');
    await expect(exportCapture(folder, newId(), to, true)).rejects.toThrow('no capture of call');
  });

  it('of a crashed engine ends where it was cut off, and says so', async () => {
    const died = newId();
    const packed = readFileSync(CAPTURE);
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

describe('the captures folder', () => {
  beforeAll(() => {
    process.env.CAPTURES_DIR = folder;
  });
  afterAll(() => {
    delete process.env.CAPTURES_DIR;
  });

  it('is listed with unfinished captures, and a capture can be deleted', async () => {
    const [whole, died] = [newId(), newId()];
    copyFileSync(CAPTURE, join(folder, `${whole}.capture.gz`));
    writeFileSync(join(folder, `${died}.capture.gz.part`), 'what');
    const { result } = await line.operator('capture list');
    expect(result.captures).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ call_id: whole, complete: true }),
        expect.objectContaining({ call_id: died, complete: false }),
      ]),
    );
    for (const id of [whole, died]) await line.operator(`capture delete ${id}`);
    expect(existsSync(join(folder, `${whole}.capture.gz`))).toBe(false);
    expect(existsSync(join(folder, `${died}.capture.gz.part`))).toBe(false);
    expect(await line.refusal(`capture delete ${whole}`)).toContain('no capture of call');
    expect(await line.refusal('capture delete ../booking')).toContain('is not a call id');
  });

  it('has calls that become scenarios: two files with a name, of a call that was captured to its end', async () => {
    const [whole, died] = [newId(), newId()];
    copyFileSync(CAPTURE, join(folder, `${whole}.capture.gz`));
    const packed = readFileSync(CAPTURE);
    writeFileSync(join(folder, `${died}.capture.gz.part`), packed.subarray(0, packed.length / 2));
    const to = join(folder, 'scenarios');
    const { result } = await line.operator(`capture scenario ${whole} a-table`, { folder: to });
    expect(result.events).toContain('tool.call book_table');
    expect(JSON.parse(readFileSync(join(to, 'a-table.json'), 'utf8'))).toEqual({ events: result.events });
    expect(await line.refusal(`capture scenario ${whole} ../name`, { folder: to })).toContain('is not a name');
    expect(await line.refusal(`capture scenario ${died} half`, { folder: to })).toContain('ends before its call');
    expect(readdirSync(to).sort()).toEqual(['a-table.capture.gz', 'a-table.json']);
  });

  it("writes exports and deletions to the audit trail of the call's workspace", async () => {
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
    copyFileSync(CAPTURE, join(folder, `${id}.capture.gz`));
    await line.operator(`capture export ${id} ${join(folder, 'copy')}`, { words: 'yes' });
    await line.operator(`capture delete ${id}`);
    expect(await line.trailOf(workspace_id)).toEqual(expect.arrayContaining(['capture.deleted', 'capture.exported']));
    const [row] = await api.sql<{ data: object; target_id: string }[]>`
      select data, target_id from audit_events where workspace_id = ${workspace_id} and action = 'capture.exported'`;
    expect(row).toEqual({ data: { words: true }, target_id: id });
  });
});

describe('capturing', () => {
  it('is switched per agent, and written to the audit trail', async () => {
    const client = await api.newWorkspace();
    const { workspace_id } = client;
    const agent = (await client.send('POST', '/agents', { name: 'Captured' })).body.id;
    expect((await line.operator(`capture on ${workspace_id} ${agent}`)).result).toMatchObject({ captured: true });
    expect((await line.operator(`capture off ${workspace_id} ${agent}`)).result).toMatchObject({ captured: false });
    expect(await line.trailOf(workspace_id)).toEqual(expect.arrayContaining(['agent.capture_on', 'agent.capture_off']));
    expect(await line.refusal(`capture on ${workspace_id} ${newId()}`)).toContain('not found');
  });
});
