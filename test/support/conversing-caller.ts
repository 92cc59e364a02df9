import { expect } from 'vitest';
import { peakOf } from '../../fixtures/simulators/carrier-audio.ts';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { LOUD } from '../../fixtures/simulators/carrier-playback.ts';
import type { ScriptedAnswer } from '../../fixtures/simulators/openai.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import type { EventType } from '../../shared/events.ts';
import { eventually } from './until.ts';
import type { Service } from './whole-service.ts';

/**
 * A caller with real audio who reacts to what was played and to timeline events instead of fixed delays, so that a stall of the
 * machine makes the call longer but not different. Pauses in the agent's speech and buffer underruns, after which there is
 * nothing to clear, can be caused by the machine.
 */

/** Only prevents hanging. */
const TIMEOUT_MS = 60_000;
/** Duration of a letter of the simulated synthesizer. */
const MS_PER_LETTER = 65;
/** Share of audible chunks: some are half in a pause. */
const AUDIBLE_SHARE = 0.85;
/** After this much silence of the agent there is nothing to clear. */
const UNDERRUN_MS = 250;
/** Delay of an interruption after the start of a sentence. */
const INTERRUPT_AFTER_MS = 1_000;

/** Eighteen seconds, so that any interruption comes before its end. */
export const LONG_ANSWER = [
  'Certainly, let me read that back to you. A table for two people tomorrow evening at seven, by the window, under your name.',
  'Should it rain, we keep another one for you inside, near the fireplace, and the kitchen leaves out the nuts as you asked.',
  'Your car may stay behind the house all night.',
].join(' ');

/** The transcripts of the caller of `converse`, and the model's replies. */
export const CONVERSATION = {
  transcripts: ['for two people', 'wait stop i want to change the time', 'thank you very much goodbye'],
  answer(words: string): ScriptedAnswer {
    if (words.includes('goodbye')) return { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] };
    return { text: words.includes('change') ? 'To what time?' : LONG_ANSWER };
  },
};

/** Plays a recording to its end. `sample`: its first sample on the stream, `sinceMs`: its start. */
export async function say(phone: Phone, name: string): Promise<{ sample: number; sinceMs: number }> {
  const sinceMs = performance.now();
  const { startSample, done } = phone.say(loadSpeech(name).samples);
  await done;
  return { sample: startSample, sinceMs };
}

/** Audible milliseconds of the agent since then, without pauses. */
function playedMs({ playback, sampleRate }: Phone, sinceMs: number): number {
  const nowMs = performance.now();
  let played = 0;
  for (const { atMs, samples } of playback.chunks) {
    const lengthMs = (1_000 * samples.length) / sampleRate;
    if (atMs >= sinceMs && atMs + lengthMs <= nowMs && peakOf(samples) >= LOUD) played += lengthMs;
  }
  return played;
}

/** Waits until part of the agent's reply was played. */
export async function waitForPartOfAnswer(phone: Phone, sinceMs: number): Promise<void> {
  await phone.waitFor('a good part of a sentence', TIMEOUT_MS, () => playedMs(phone, sinceMs) >= INTERRUPT_AFTER_MS);
}

/** Waits until the whole text was played, followed by silence. */
export async function waitForText(phone: Phone, text: string, sinceMs: number): Promise<void> {
  const wholeMs = (text.match(/\p{L}/gu)?.length ?? 0) * MS_PER_LETTER * AUDIBLE_SHARE;
  await phone.waitFor(`all of "${text}"`, TIMEOUT_MS, () => playedMs(phone, sinceMs) >= wholeMs);
  await phone.waitForAgentSilence(400, TIMEOUT_MS);
}

/** Returns the end of the agent's first audio since then that was followed by a pause. */
function underrunMs({ playback, sampleRate }: Phone, sinceMs: number): number | null {
  const nowMs = performance.now();
  const voiced = playback.chunks.filter(({ atMs, samples }) => atMs <= nowMs && peakOf(samples) >= LOUD);
  for (const [index, { atMs, samples }] of voiced.entries()) {
    const endMs = atMs + (1_000 * samples.length) / sampleRate;
    if (endMs > sinceMs && (voiced[index + 1]?.atMs ?? nowMs) - endMs >= UNDERRUN_MS) return endMs;
  }
  return null;
}

/**
 * Waits until the interrupted agent is silent: its audio at the carrier was cleared, or had run out.
 */
export async function waitUntilSilenced(phone: Phone, sinceMs: number): Promise<void> {
  await phone.waitFor('a clear, or an underrun', TIMEOUT_MS, () => {
    const cleared = phone.events.some(({ type, atMs }) => type === 'clear' && atMs >= sinceMs);
    return cleared || underrunMs(phone, sinceMs) !== null;
  });
}

/** Waits for the welcome of `Service.agentOn`. */
export const waitForWelcome = (phone: Phone): Promise<void> => waitForText(phone, 'Welcome.', 0);

/** Waits until the timeline of the call has this many events of the type. */
export async function waitForEvents(service: Service, callId: string, type: EventType, times = 1): Promise<void> {
  await eventually(`${type} on the timeline, ${times} times`, TIMEOUT_MS, async () => {
    const events = await service.api.events(callId);
    return events.filter((event) => event.type === type).length >= times || null;
  });
}

/** First samples of the caller's utterances in `converse`. */
export interface ConversationSamples {
  questionSample: number;
  goodbyeSample: number;
}

/** Asks, interrupts the reply, and says goodbye, upon which the agent hangs up. */
export async function converse(service: Service, phone: Phone, callId: string): Promise<ConversationSamples> {
  await waitForWelcome(phone);
  const question = await say(phone, 'short-two-people');
  await waitForPartOfAnswer(phone, question.sinceMs);
  const change = await say(phone, 'change-time');
  await waitUntilSilenced(phone, change.sinceMs);
  // The first reply was interrupted and has no event; this is the second one, which was played to its end.
  await waitForEvents(service, callId, 'agent.reply');
  const goodbye = await say(phone, 'goodbye');
  await phone.waitForEnd(TIMEOUT_MS);
  return { questionSample: question.sample, goodbyeSample: goodbye.sample };
}

/** Expects the transcript of `converse`, with the played part of the long reply. */
export function expectConversation(transcript: readonly { role: string; text: string; interrupted: boolean }[]): void {
  const lines = transcript.map((line) => `${line.role}: ${line.text}`);
  expect(lines.toSpliced(2, 1)).toEqual([
    'agent: Welcome.',
    'user: for two people',
    'user: wait stop i want to change the time',
    'agent: To what time?',
    'user: thank you very much goodbye',
    'agent: Goodbye.',
  ]);
  const cut = transcript[2]!;
  expect(cut).toMatchObject({ role: 'agent', interrupted: true });
  expect(LONG_ANSWER.startsWith(cut.text)).toBe(true);
  expect(cut.text.length).toBeLessThan(LONG_ANSWER.length);
}
