import { setTimeout as sleep } from 'node:timers/promises';
import { BOOKING_CALLER, type CallerLine } from '../fixtures/conversations/booking-caller.ts';
import type { Phone } from '../fixtures/simulators/carrier-phone.ts';
import { loadSpeech } from '../fixtures/speech.ts';

/** Longer than the pauses inside the agent's speech, so that silence means that it has finished. */
const AGENT_DONE_MS = 900;
/** A line that interrupts begins this long after the agent began to speak. */
const TALK_OVER_AFTER_MS = 2_000;
/** A murmur comes this long after the agent began to speak. */
const MURMUR_AFTER_MS = 1_000;
const ANSWER_WITHIN_MS = 20_000;
const SPEECH_WITHIN_MS = 40_000;
const GOODBYE_WITHIN_MS = 30_000;

/**
 * Plays the demo's caller to the end, and gives the words of what was murmured meanwhile. Rejects when the agent does not
 * answer or does not hang up.
 */
export async function playCaller(phone: Phone, lines: readonly CallerLine[] = BOOKING_CALLER): Promise<string[]> {
  const murmured: string[] = [];
  let agentSinceMs = phone.startedAtMs;
  for (const line of lines) {
    await phone.waitForAgentSpeech(ANSWER_WITHIN_MS, agentSinceMs);
    if (line.murmur) {
      const murmur = loadSpeech(line.murmur);
      await sleep(MURMUR_AFTER_MS);
      await phone.say(murmur.samples).done;
      murmured.push(murmur.text);
      await phone.waitForAgentSpeech(ANSWER_WITHIN_MS);
    }
    if (line.over) await sleep(TALK_OVER_AFTER_MS);
    else await phone.waitForAgentSilence(AGENT_DONE_MS, SPEECH_WITHIN_MS);
    const spoken = phone.say(loadSpeech(line.fixture).samples);
    await spoken.done;
    agentSinceMs = performance.now();
  }
  await phone.waitForEnd(GOODBYE_WITHIN_MS);
  return murmured;
}
