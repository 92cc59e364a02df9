import { setTimeout as sleep } from 'node:timers/promises';
import { BOOKING_CALLER, type CallerLine } from '../fixtures/conversations/booking-caller.ts';
import type { Phone } from '../fixtures/simulators/carrier-phone.ts';
import { loadSpeech } from '../fixtures/speech.ts';

/** Longer than the pauses inside the agent's speech: this much silence means that it has finished. */
const AGENT_DONE_MS = 900;
/** An interrupting line starts this long after the agent started to speak. */
const TALK_OVER_AFTER_MS = 2_000;
/** A backchannel comes this long after the agent started to speak. */
const BACKCHANNEL_AFTER_MS = 1_000;
const ANSWER_TIMEOUT_MS = 20_000;
const SPEECH_TIMEOUT_MS = 40_000;
const GOODBYE_TIMEOUT_MS = 30_000;

/**
 * Plays the demo's caller to the end and returns the texts of the backchannels. Rejects when the agent does not reply or does
 * not hang up.
 */
export async function playCaller(phone: Phone, lines: readonly CallerLine[] = BOOKING_CALLER): Promise<string[]> {
  const backchannels: string[] = [];
  let agentSinceMs = phone.startedAtMs;
  for (const line of lines) {
    await phone.waitForAgentSpeech(ANSWER_TIMEOUT_MS, agentSinceMs);
    if (line.backchannel) {
      const backchannel = loadSpeech(line.backchannel);
      await sleep(BACKCHANNEL_AFTER_MS);
      await phone.say(backchannel.samples).done;
      backchannels.push(backchannel.text);
      await phone.waitForAgentSpeech(ANSWER_TIMEOUT_MS);
    }
    if (line.interrupts) await sleep(TALK_OVER_AFTER_MS);
    else await phone.waitForAgentSilence(AGENT_DONE_MS, SPEECH_TIMEOUT_MS);
    const spoken = phone.say(loadSpeech(line.fixture).samples);
    await spoken.done;
    agentSinceMs = performance.now();
  }
  await phone.waitForEnd(GOODBYE_TIMEOUT_MS);
  return backchannels;
}
