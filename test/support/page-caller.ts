import type { Page } from 'playwright-core';
import { loadSpeech } from '../../fixtures/speech.ts';
import { pause } from './until.ts';

/**
 * Replaces the page's microphone by recordings that the test plays, and measures the agent's audio. Installed before the page's
 * own script.
 */
export interface PageCaller {
  /** Plays a recording of `fixtures/speech.ts`; resolves at its end. */
  say(fixture: string): Promise<void>;
  /** Resolves when the agent is audible. */
  waitForAgent(withinMs: number): Promise<void>;
  /** Resolves when the agent was silent for this long. */
  waitForSilence(silentMs: number, withinMs: number): Promise<void>;
  /** Audible seconds of the agent so far. */
  agentSeconds(): Promise<number>;
}

const pageScript = (replaceMicrophone: boolean) => `(() => {
  let context, microphone;
  const caller = (window.caller = { lastLoudMs: 0, firstLoudMs: 0, loudSeconds: 0});
  if (${replaceMicrophone}) navigator.mediaDevices.getUserMedia = async () => {
    context = new AudioContext();
    microphone = context.createMediaStreamDestination();
    // A constant source keeps the track active.
    const breath = new ConstantSourceNode(context, { offset: 0 });
    breath.connect(microphone);
    breath.start();
    return microphone.stream;
  };
  caller.say = (base64) => new Promise((resolve) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const samples = Float32Array.from(new Int16Array(bytes.buffer), (value) => value / 32768);
    const buffer = context.createBuffer(1, samples.length, 8000);
    buffer.copyToChannel(samples, 0);
    const source = new AudioBufferSourceNode(context, { buffer });
    source.connect(microphone);
    source.onended = () => resolve(null);
    source.start();
  });
  const Plain = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Plain {
    constructor(...options) {
      super(...options);
      this.addEventListener('track', ({ track }) => listen(track));
    }
  };
  function listen(track) {
    context ??= new AudioContext();
    const analyser = new AnalyserNode(context, { fftSize: 2048 });
    context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let before = performance.now();
    setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const now = performance.now();
      if (samples.some((value) => Math.abs(value) > 0.02)) {
        caller.firstLoudMs ||= now;
        caller.lastLoudMs = now;
        caller.loudSeconds += (now - before) / 1000;
      }
      before = now;
    }, 20);
  }
})()`;

/** `replaceMicrophone` false: the browser's own is used, and nothing can be said. */
export async function attachPageCaller(page: Page, { replaceMicrophone = true } = {}): Promise<PageCaller> {
  await page.addInitScript(pageScript(replaceMicrophone));
  const asked = async (expression: string) => Number(await page.evaluate(expression));
  const poll = async (what: string, withinMs: number, expression: string) => {
    const start = performance.now();
    while (!(await page.evaluate(expression))) {
      await pause(20);
      if (performance.now() - start > withinMs) throw new Error(`${what} did not come about`);
    }
  };
  return {
    async say(fixture) {
      const { samples } = loadSpeech(fixture);
      const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
      await page.evaluate(`caller.say(${JSON.stringify(bytes.toString('base64'))})`);
    },
    async waitForAgent(withinMs) {
      const since = await asked('performance.now()');
      await poll('audio of the agent', withinMs, `caller.lastLoudMs > ${since}`);
    },
    waitForSilence: (silentMs, withinMs) =>
      poll('the end of what the agent says', withinMs, `performance.now() - caller.lastLoudMs > ${silentMs}`),
    agentSeconds: () => asked('caller.loudSeconds'),
  };
}
