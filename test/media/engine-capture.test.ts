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
  folder = mkdtempSync(join(tmpdir(), 'antiphon-engine-capture-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const subscription = { stop() {} };

/** Runs a browser's call on an engine without providers, so that it ends at once. */
async function runCall(capture: boolean, agent_json: string): Promise<{ call_id: string; leg: BrowserLeg }> {
  const clock = createVirtualClock();
  const call_id = newId();
  const session = {
    ...{ call_id, workspace_id: newId(), agent_id: newId(), direction: 'inbound', channel: 'web', from_number: '' },
    ...{ to_number: '', agent_json, user_data_json: '{}', max_duration_seconds: 60, llm_fallbacks: [], capture },
  };
  const unavailable = () => {
    throw new ProviderError('none', 'auth', 'there are no providers');
  };
  const engine = createEngine({
    id: 'e',
    bus: {
      sendHeartbeat() {},
      openSession: async () => ({ refused: '', session }),
      publishEvent: async () => {},
      serveCommands: () => subscription,
      serveTransferOutcomes: () => subscription,
      serveRecordingOrders: () => subscription,
      serveLiveOrders: () => subscription,
    },
    providerFactory: {
      transcriber: unavailable,
      synthesizer: unavailable,
      model: unavailable,
      denoiser: () => null,
      ambientSound: () => null,
      turnDetector: null,
    },
    permits: {},
    health: { unhealthyReason: () => null, onTried() {}, onOutcome() {}, unhealthy: () => [] },
    vad: { open: () => ({ push() {}, close() {} }) },
    capturesDir: folder,
    mediaClock: createMediaClock(clock, () => {}),
    admission: createAdmission({ maxCalls: 5 }),
    threadUtilization: () => 0,
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

it("a browser's call is captured from its first packet to its end", async () => {
  const { call_id, leg } = await runCall(true, AGENT);
  await eventually('the capture', WITHIN_MS, async () => readdirSync(folder).includes(`${call_id}.capture.gz`) || null);
  const capture = await readCapture(join(folder, `${call_id}.capture.gz`));
  expect(capture.head).toMatchObject({ version: 4, leg: { carrier: 'browser', caller: { sample_rate: 16_000 } } });
  expect(capture.entries.slice(0, 2).map(({ k }) => k)).toEqual(['packet', 'digit']);
  expect(entriesOf(capture, 'timeline_event').at(-1)).toMatchObject({ type: 'call.ended' });
  expect(entriesOf(capture, 'truncated')).toEqual([]);
  expect(leg.end).not.toBeNull();
});

it('a call that is not to be captured is not', async () => {
  await runCall(false, AGENT);
  expect(readdirSync(folder)).toEqual([]);
});

it('a call that cannot be created leaves no open capture', async () => {
  const { call_id, leg } = await runCall(true, '{}');
  await eventually('the capture', WITHIN_MS, async () => readdirSync(folder).includes(`${call_id}.capture.gz`) || null);
  await runCall(true, 'not JSON');
  expect(readdirSync(folder)).toEqual([`${call_id}.capture.gz`]);
  expect(leg.end).not.toBeNull();
});

it('nor is a call whose agent redacts numbers', async () => {
  await runCall(true, JSON.stringify(agentConfigSchema.parse({ name: 'A', call: { redact_cards: true } })));
  expect(readdirSync(folder)).toEqual([]);
});
