import { expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { Call, type CallOptions } from '../../../media/call/call.ts';
import type { Equipment } from '../../../media/call/equipment.ts';
import type { Leg } from '../../../media/leg/leg.ts';
import type { Details } from '../../../media/report/reporter.ts';
import type { Transcriber } from '../../../media/stt/transcriber.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import type { Bus } from '../../../shared/bus/bus.ts';
import type { Session } from '../../../shared/bus/messages.ts';
import { createLogger } from '../../../shared/log.ts';
import { createStageModel } from '../../support/stage-model.ts';
import { createStageVoice } from '../../support/stage-voice.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** A silent call that only its length ends. */
function silentCall(session: Pick<Session, 'max_duration_seconds' | 'capped_by_credits'>) {
  const clock = createVirtualClock();
  const told: { type: string; message: string; more: Details }[] = [];
  const leg: Leg = {
    carrier: 'test',
    format: MULAW_8K,
    callerFormat: MULAW_8K,
    sendsDigits: true,
    packetMs: 20,
    playback: { marks: false, marksReturnedOnClear: false, clearAcknowledged: false },
    listen() {},
    tick() {},
    play: () => true,
    flush() {},
    mark() {},
    clear() {},
    hangUp() {},
  };
  const transcriber: Transcriber = {
    ...{ provider: 'test', model: 'test', input: MULAW_8K, decidesTurns: true },
    open: async () => {},
    audio() {},
    finalize() {},
    close: async () => {},
  };
  const model = createStageModel(
    clock,
    100,
    () => ({ text: 'Yes.' }),
    () => {},
  );
  const equipment: Partial<Equipment> = {
    transcriber: () => transcriber,
    voice: (_agent, _line, onEvent) => createStageVoice(clock, [], {}, onEvent).voice,
    model: () => model.model,
    ambientSound: () => null,
    denoiser: () => null,
  };
  const agent = agentConfigSchema.parse({ name: 'Test', call: { record: false } });
  const call = new Call({
    session: {
      ...{ call_id: 'a'.repeat(32), workspace_id: 'w', agent_id: 'a', direction: 'inbound', channel: 'phone' },
      ...{ from_number: '', to_number: '', agent_json: JSON.stringify(agent), user_data_json: '{}', llm_fallbacks: [] },
      ...session,
    },
    leg,
    bus: new Proxy({}, { get: () => () => ({ stop() {} }) }) as Bus,
    reporter: {
      tell: (type, message, more = {}) => void told.push({ type, message, more }),
      flushed: async () => {},
    },
    equipment: equipment as Equipment,
    places: {
      tryTake: () => ({ free() {} }),
      take: async () => null,
      refused() {},
      inUse: () => 0,
      close: async () => {},
    },
    health: { isWell: () => true, failed() {}, close() {} },
    vad: { open: () => ({ push() {}, close() {} }) } as unknown as CallOptions['vad'],
    metronome: {
      join: () => () => {},
      lagCounts: new Uint32Array(0),
      takeWorstLagMs: () => 0,
      stop() {},
    },
    recordings: { open: () => Promise.reject() as never, close: async () => {} },
    clock,
    log: createLogger('test', 'silent'),
  });
  call.start();
  const endings = () => told.flatMap(({ type, more }) => (type === 'call.ended' ? [more.ending] : []));
  return { clock, call, endings };
}

test.each([
  ['what its credits paid for ends it', true, 'credits ran out'],
  ['its agent allows ends it', undefined, 'maximum duration'],
])('a call that lasted as long as %s', async (_what, capped_by_credits, hangup_reason) => {
  const { clock, call, endings } = silentCall({
    max_duration_seconds: 7,
    ...(capped_by_credits ? { capped_by_credits } : {}),
  });
  await clock.advance(6_900);
  expect(endings()).toEqual([]);
  await clock.advance(20_000);
  await call.over;
  expect(endings()).toMatchObject([{ hangup_by: 'service', hangup_reason, duration_seconds: 7 }]);
});
