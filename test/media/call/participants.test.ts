import { expect, test } from 'vitest';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import { createParticipants } from '../../../media/call/participants.ts';
import type { Leg, LegListener } from '../../../media/leg/leg.ts';
import type { Background } from '../../../media/playout/leg-output.ts';
import type { ParticipantMode } from '../../../shared/live-control.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const NONCE = 'a'.repeat(16);
const MULAW_SILENCE = new Uint8Array(160).fill(0xff);
const MULAW_LOUD = new Uint8Array(160).fill(0x90);

function setUp() {
  const clock = createVirtualClock();
  const events: string[] = [];
  let voice: Background | null = null;
  const participants = createParticipants({
    ...{ callerFormat: MULAW_8K, agentFormat: MULAW_8K, clock, background: () => null },
    log: { error: (_facts: object) => void events.push('logged') },
    reporter: {
      report: (_type, _message, details) => void events.push(`${details?.data?.action} ${details?.data?.by_id}`),
    },
    transcribe: () => ({ push() {}, tick() {}, close() {} }),
    onVoice: (given) => {
      voice = given;
    },
    onTakeOver: () => {
      events.push('muted');
      return '';
    },
    onHandBack: (note) => void events.push(`handed back: ${note}`),
  });
  const open = (nonce: string, mode: ParticipantMode) =>
    participants.expect({ nonce, mode, by: 'user', by_id: 'u1', expires_at_ms: clock.wall() + 60_000 });
  return { clock, events, participants, open, voice: () => voice };
}

function browser(parts: Partial<Leg> = {}) {
  const played: number[] = [];
  const state = { listener: null as LegListener | null, hungUp: '', played };
  const leg = {
    format: PCM_16K,
    listen: (listener: LegListener) => {
      state.listener = listener;
    },
    tick() {},
    play(frame: Uint8Array) {
      played.push(Math.max(...new Int16Array(frame.slice().buffer).map(Math.abs)));
      return true;
    },
    hangUp: (reason = '') => {
      state.hungUp ||= reason;
    },
    ...parts,
  } as unknown as Leg;
  return { leg, state };
}

test('who listens in gets the audio of caller and agent, sends none, and is on the timeline', () => {
  const { clock, events, participants, open, voice } = setUp();
  expect(open(NONCE, 'listen').done).toBe(true);
  expect(participants.expected(NONCE)).toBe('listen');
  const { leg, state } = browser();
  expect(participants.join(NONCE, leg)).toBe(true);
  expect(participants.join(NONCE, browser().leg)).toBe(false);
  const tick = (caller: Uint8Array, agent: Uint8Array) => {
    participants.addCaller(caller);
    participants.addAgent(agent, clock.now());
    participants.tick(clock.now());
  };
  for (let i = 0; i < 5; i++) tick(MULAW_LOUD, MULAW_SILENCE);
  expect(Math.max(...state.played.splice(0))).toBeGreaterThan(5_000);
  for (let i = 0; i < 10; i++) tick(MULAW_SILENCE, MULAW_SILENCE);
  expect(state.played.at(-1)).toBeLessThan(100);
  for (let i = 0; i < 5; i++) tick(MULAW_SILENCE, MULAW_LOUD);
  expect(state.played.at(-1)).toBeGreaterThan(5_000);
  state.listener?.audio(new Uint8Array(640).fill(64), 0);
  expect(voice()).toBeNull();
  state.listener?.ended('hung up', 'caller hung up');
  expect(events).toEqual(['listen u1', 'leave u1']);
});

test('the voice of who takes over goes to the caller and not back to them, until they hand back with a note', () => {
  const { clock, events, participants, open, voice } = setUp();
  open(NONCE, 'take_over');
  expect(open('b'.repeat(16), 'join').detail).toBe('somebody speaks to the caller already');
  const { leg, state } = browser();
  participants.join(NONCE, leg);
  const samples = new Int16Array(320).fill(8_000);
  let loudest = 0;
  for (let i = 0; i < 5; i++) {
    state.listener?.audio(new Uint8Array(samples.buffer), 0);
    const sent = voice()!.mixInto(MULAW_SILENCE, 'mulaw').slice();
    loudest = Math.max(loudest, ...sent.map((byte) => 0xff - byte));
    participants.addAgent(sent, clock.now());
    participants.tick(clock.now());
  }
  expect(loudest).toBeGreaterThan(30);
  expect(Math.max(...state.played)).toBeLessThan(100);
  expect(participants.handBack('a discount of ten percent')).toBe(true);
  expect([voice(), state.hungUp]).toEqual([null, 'handed back']);
  expect(participants.handBack('')).toBe(false);
  expect(events).toEqual(['muted', 'take_over u1', 'leave u1', 'handed back: a discount of ten percent']);
});

test('nobody joins whose token has run out, nor a call that is over', async () => {
  const { clock, participants, open } = setUp();
  open(NONCE, 'listen');
  await clock.advance(60_000);
  expect(participants.expected(NONCE)).toBeNull();
  open(NONCE, 'listen');
  participants.close('the call is over');
  expect(participants.join(NONCE, browser().leg)).toBe(false);
});

const broken = (): never => {
  throw new Error('this part is broken');
};

test.each<[string, Partial<Leg>]>([
  ['ticks', { tick: broken }],
  ['plays', { play: broken }],
  ['is hung up, and before that', { tick: broken, hangUp: broken }],
])('a stream that fails when it %s costs its person, not the others nor the call', (_what, parts) => {
  const { events, participants, open } = setUp();
  const other = browser();
  for (const [nonce, mode, leg] of [
    [NONCE, 'take_over', browser(parts).leg],
    ['b'.repeat(16), 'listen', other.leg],
  ] as const) {
    open(nonce, mode);
    participants.join(nonce, leg);
  }
  participants.tick(0);
  participants.tick(20);
  expect(events).toContain('handed back: ');
  expect(other.state.played).toHaveLength(2);
  expect(participants.handBack('')).toBe(false);
});

test("audio that cannot be read ends the speaker's part only", () => {
  const { events, participants, open, voice } = setUp();
  open(NONCE, 'join');
  const { leg, state } = browser();
  participants.join(NONCE, leg);
  state.listener?.audio(null as never, 0);
  expect([voice(), state.hungUp, ...events]).toEqual([null, 'the connection failed', 'join u1', 'logged', 'leave u1']);
});

test('a whisper is played to the person who took over, and to nobody else', () => {
  const { clock, participants, open, voice, events } = setUp();
  expect(open(NONCE, 'whisper').detail).toContain('nobody of the team speaks to the caller over a browser');
  const [speaker, listener, coach] = [browser(), browser(), browser()];
  for (const [nonce, mode, { leg }] of [
    [NONCE, 'take_over', speaker],
    ['b'.repeat(16), 'listen', listener],
    ['c'.repeat(16), 'whisper', coach],
  ] as const) {
    expect(open(nonce, mode).done).toBe(true);
    participants.join(nonce, leg);
  }
  const samples = new Int16Array(320).fill(8_000);
  coach.state.listener?.audio(new Uint8Array(samples.buffer), 0);
  participants.tick(clock.now());
  expect([speaker, listener, coach].map(({ state }) => state.played.at(-1))).toEqual([8_000, 0, 0]);
  expect(voice()!.mixInto(MULAW_SILENCE, 'mulaw')).toEqual(MULAW_SILENCE);
  participants.handBack('');
  coach.state.listener?.audio(new Uint8Array(samples.buffer), 0);
  participants.tick(clock.now());
  expect(listener.state.played.at(-1)).toBe(0);
  expect(events).toContain('whisper u1');
});
