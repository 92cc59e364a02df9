import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTape } from '../../../bench/replay/read-tape.ts';
import { exportTape } from '../../../control/operators/tapes.ts';
import { newId } from '../../../shared/ids.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { type OperatorLine, operatorLine } from '../../support/operator-line.ts';

const TAPE = fileURLToPath(new URL('../../../fixtures/tapes/booking.tape.gz', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'antiphon-tapes-'));
const callId = newId();
let api: TestApi;
let line: OperatorLine;

beforeAll(async () => {
  copyFileSync(TAPE, join(folder, `${callId}.tape.gz`));
  api = await startTestApi();
  line = operatorLine(api.sql);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a tape that leaves the machine', () => {
  it('has no words unless they are asked for', async () => {
    const whole = join(folder, 'whole');
    const wordless = join(folder, 'wordless');
    const lines = await exportTape(folder, callId, whole, true);
    expect(await exportTape(folder, callId, wordless, false)).toBe(lines);
    expect(JSON.stringify(await readTape(whole))).toContain('tomorrow');
    const { head, entries } = await readTape(wordless);
    expect(head.words).toBe(false);
    expect(JSON.stringify(entries)).not.toContain('tomorrow');
  });

  it('is refused by what is no id, and where there is none', async () => {
    const to = join(folder, 'none');
    await expect(exportTape(folder, '../booking', to, true)).rejects.toThrow("is no call's id");
    await expect(exportTape(folder, newId(), to, true)).rejects.toThrow('there is no tape');
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
