import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { entriesOf, readCapture } from '../../bench/replay/read-capture.ts';
import { createAdmission } from '../../media/admission.ts';
import type { BrowserStream } from '../../media/browser-gateway.ts';
import { createEngine, type EngineOptions } from '../../media/engine.ts';
import { BrowserLeg } from '../../media/leg/browser-leg.ts';
import { createEarlyLegCapture } from '../../media/leg/leg-capture.ts';
import { createMediaClock } from '../../media/playout/media-clock.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import { agentConfigSchema } from '../../shared/agent.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { createFakeOpusCodec, fakeRtpPacket } from '../support/fake-browser.ts';
import { eventually } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const WITHIN_MS = 60_000;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antiphon-engine-tape-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const nothing = { stop() {} };

/** A browser's call to an engine that has no providers at all, so that it ends at once. */
async function takes(tape: boolean, agent_json: string): Promise<{ call_id: string; leg: BrowserLeg }> {
  const clock = createVirtualClock();
  const call_id = newId();
  const session = {
    ...{ call_id, workspace_id: newId(), agent_id: newId(), direction: 'inbound', channel: 'web', from_number: '' },
    ...{ to_number: '', agent_json, user_data_json: '{}', max_duration_seconds: 60, llm_fallbacks: [], tape },
  };
  const refused = () => {
    throw new ProviderError('nobody', 'auth', 'there are none');
  };
  const engine = createEngine({
    id: 'e',
    bus: {
      sendHeartbeat() {},
      openSession: async () => ({ refused: '', session }),
      publishEvent: async () => {},
      serveCommands: () => nothing,
      serveTransferOutcomes: () => nothing,
    },
    equipment: {
      transcriber: refused,
      voice: refused,
      model: refused,
      denoiser: () => null,
      ambientSound: () => null,
      turnModel: null,
    },
    places: {},
    health: { isWell: () => true, failed() {}, close() {} },
    vad: { open: () => ({ push() {}, close() {} }) },
    tapesDir: folder,
    metronome: createMediaClock(clock, () => {}),
    admission: createAdmission({ maxCalls: 5 }),
    busyShare: () => 0,
    clock,
    log: createLogger('test', 'silent'),
  } as unknown as EngineOptions);
  const leg = new BrowserLeg({
    clock,
    codec: createFakeOpusCodec(),
    transport: { sendRtp() {}, transcript() {}, close() {} },
    agentStream: { payloadType: 100, ssrc: 7 },
    capture: createEarlyLegCapture(),
  });
  leg.receive(fakeRtpPacket(1), clock.now());
  leg.press('7');
  const token = { call_id, nonce: 'n', expires_at_ms: 0 };
  engine.acceptStream({ token, leg, carrier: 'browser', providerCallId: '' } as unknown as BrowserStream);
  await clock.advance(100);
  await engine.drain(0);
  return { call_id, leg };
}

const AGENT = JSON.stringify(agentConfigSchema.parse({ name: 'A', call: { record: false } }));

it("a browser's call is taped from its first packet to its end", async () => {
  const { call_id, leg } = await takes(true, AGENT);
  await eventually('the tape', WITHIN_MS, async () => readdirSync(folder).includes(`${call_id}.tape.gz`) || null);
  const tape = await readCapture(join(folder, `${call_id}.tape.gz`));
  expect(tape.head).toMatchObject({ version: 2, leg: { carrier: 'browser', caller: { sample_rate: 16_000 } } });
  expect(tape.entries.slice(0, 2).map(({ k }) => k)).toEqual(['packet', 'digit']);
  expect(entriesOf(tape, 'told').at(-1)).toMatchObject({ type: 'call.ended' });
  expect(entriesOf(tape, 'cut')).toEqual([]);
  expect(leg.end).not.toBeNull();
});

it('one that nobody wants on tape is not', async () => {
  await takes(false, AGENT);
  expect(readdirSync(folder)).toEqual([]);
});

it('a call that cannot be made of what control gave leaves no tape that is never closed', async () => {
  const { call_id, leg } = await takes(true, '{}');
  await eventually('the tape', WITHIN_MS, async () => readdirSync(folder).includes(`${call_id}.tape.gz`) || null);
  await takes(true, 'no JSON');
  expect(readdirSync(folder)).toEqual([`${call_id}.tape.gz`]);
  expect(leg.end).not.toBeNull();
});
