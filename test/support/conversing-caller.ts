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
 * A caller on a real line. What they do next hangs on what they have heard, or on what the timeline tells, never on how long
 * the agent usually takes: a machine that stands still for a second makes the call longer and no different. Two things that
 * look like the agent's doing are the machine's: a pause in its words, and a line that ran dry, on which there is nothing to
 * clear when the caller interrupts.
 */

/** Only guards against hanging. */
const TIMEOUT_MS = 30_000;
/** The line's rate, and the simulated voice's pace. */
const SAMPLES_PER_MS = 8;
const MS_PER_LETTER = 65;
/** Sound is counted in the carrier's pieces, and some lie half in a pause. */
const AUDIBLE_SHARE = 0.85;
/** A line without the agent's voice for so long has nothing left to clear. */
const UNDERRUN_MS = 250;
/** So far into a sentence somebody interrupts it. */
const INTERRUPT_AFTER_MS = 1_000;

/** Eighteen seconds, so that it goes on wherever it is interrupted. */
export const LONG_ANSWER = [
  'Certainly, let me read that back to you. A table for two people tomorrow evening at seven, by the window, under your name.',
  'Should it rain, we keep another one for you inside, near the fireplace, and the kitchen leaves out the nuts as you asked.',
  'Your car may stay behind the house all night.',
].join(' ');

/** What the caller of `converse` is taken to have said, and what a model answers to it. */
export const CONVERSATION = {
  transcripts: ['for two people', 'wait stop i want to change the time', 'thank you very much goodbye'],
  answer(words: string): ScriptedAnswer {
    if (words.includes('goodbye')) return { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] };
    return { text: words.includes('change') ? 'To what time?' : LONG_ANSWER };
  },
};

/** Says one of the recordings to its end. `sample`: where on the line it began, `sinceMs`: when. */
export async function say(phone: Phone, name: string): Promise<{ sample: number; sinceMs: number }> {
  const sinceMs = performance.now();
  const { startSample, done } = phone.say(loadSpeech(name).samples);
  await done;
  return { sample: startSample, sinceMs };
}

/** So much of the agent's voice, its pauses aside, came to the caller's ear since then. */
function playedMs({ playback }: Phone, sinceMs: number): number {
  const nowMs = performance.now();
  let played = 0;
  for (const { atMs, samples } of playback.chunks) {
    const lengthMs = samples.length / SAMPLES_PER_MS;
    if (atMs >= sinceMs && atMs + lengthMs <= nowMs && peakOf(samples) >= LOUD) played += lengthMs;
  }
  return played;
}

/** Waits until the caller is in the middle of a longer sentence of the agent's. */
export async function waitForPartOfAnswer(phone: Phone, sinceMs: number): Promise<void> {
  await phone.waitFor('a good part of a sentence', TIMEOUT_MS, () => playedMs(phone, sinceMs) >= INTERRUPT_AFTER_MS);
}

/** Waits until the caller has heard this text from the simulated voice, all of it, and then nothing more. */
export async function waitForText(phone: Phone, text: string, sinceMs: number): Promise<void> {
  const wholeMs = (text.match(/\p{L}/gu)?.length ?? 0) * MS_PER_LETTER * AUDIBLE_SHARE;
  await phone.waitFor(`all of "${text}"`, TIMEOUT_MS, () => playedMs(phone, sinceMs) >= wholeMs);
  await phone.waitForAgentSilence(400, TIMEOUT_MS);
}

/** The first time since then at which the agent's voice stopped for a while in the caller's ear. */
function underrunMs({ playback }: Phone, sinceMs: number): number | null {
  const nowMs = performance.now();
  const voiced = playback.chunks.filter(({ atMs, samples }) => atMs <= nowMs && peakOf(samples) >= LOUD);
  for (const [index, { atMs, samples }] of voiced.entries()) {
    const endMs = atMs + samples.length / SAMPLES_PER_MS;
    if (endMs > sinceMs && (voiced[index + 1]?.atMs ?? nowMs) - endMs >= UNDERRUN_MS) return endMs;
  }
  return null;
}

/**
 * Waits until the agent who was interrupted is silent, in the one way or the other: what lay at the carrier was cleared, or
 * nothing lay there any more.
 */
export async function waitUntilSilenced(phone: Phone, sinceMs: number): Promise<void> {
  await phone.waitFor('a clear, or a line that ran dry', TIMEOUT_MS, () => {
    const cleared = phone.events.some(({ type, atMs }) => type === 'clear' && atMs >= sinceMs);
    return cleared || underrunMs(phone, sinceMs) !== null;
  });
}

/** The welcome of `Service.agentOn`. */
export const waitForWelcome = (phone: Phone): Promise<void> => waitForText(phone, 'Welcome.', 0);

/** Waits until the timeline of this call holds so many events of this type. */
export async function waitForEvents(service: Service, callId: string, type: EventType, times = 1): Promise<void> {
  await eventually(`${type} on the timeline, ${times} times`, TIMEOUT_MS, async () => {
    const events = await service.api.events(callId);
    return events.filter((event) => event.type === type).length >= times || null;
  });
}

/** Where on the line the caller of `converse` began to speak. */
export interface ConversationSamples {
  questionSample: number;
  goodbyeSample: number;
}

/** Asks, interrupts the answer, and says goodbye: the agent hangs up. */
export async function converse(service: Service, phone: Phone, callId: string): Promise<ConversationSamples> {
  await waitForWelcome(phone);
  const question = await say(phone, 'short-two-people');
  await waitForPartOfAnswer(phone, question.sinceMs);
  const change = await say(phone, 'change-time');
  await waitUntilSilenced(phone, change.sinceMs);
  // Of the first answer nothing is told but that it was interrupted: this is the second one, heard to its end.
  await waitForEvents(service, callId, 'agent.reply');
  const goodbye = await say(phone, 'goodbye');
  await phone.waitForEnd(TIMEOUT_MS);
  return { questionSample: question.sample, goodbyeSample: goodbye.sample };
}

/** What was said in it: the long answer as far as it was heard. */
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
