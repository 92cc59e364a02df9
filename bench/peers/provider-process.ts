import { type SpeechInterval, startDeepgramSimulator } from '../../fixtures/simulators/deepgram.ts';
import { startElevenLabsSimulator } from '../../fixtures/simulators/elevenlabs.ts';
import { startOpenAiSimulator } from '../../fixtures/simulators/openai.ts';
import { providerSettings } from '../../test/support/simulated-providers.ts';
import type { FromProviders, ToProviders } from './providers.ts';
import { ANSWER, END_OF_TURN_MS, FIRST_AUDIO_MS, FIRST_TOKEN_MS } from './script.ts';

/** The simulated providers of `make peers`, in a process of their own; `providers.ts` starts it. */

interface Call {
  said: string[];
  /** In seconds of the call's audio. */
  speech: SpeechInterval[];
  /** The same in samples of its connection, which may be opened later. */
  truth: SpeechInterval[];
  rate: number;
}

const calls = new Map<string, Call>();

function callOf(name: string): Call {
  const known = calls.get(name);
  if (known) return known;
  const call: Call = { said: [], speech: [], truth: [], rate: 0 };
  calls.set(name, call);
  return call;
}

const inSamples = (rate: number, { start, end }: SpeechInterval): SpeechInterval => ({
  start: Math.round(start * rate),
  end: Math.round(end * rate),
});

const stt = await startDeepgramSimulator({
  // The key term is the name of the call.
  script: ({ query }) => {
    const call = callOf(query.get('keyterm') ?? '');
    call.rate = Number(query.get('sample_rate'));
    call.truth.push(...call.speech.map((range) => inSamples(call.rate, range)));
    return {
      truth: call.truth,
      turns: (index) => ({ text: call.said[index] ?? '', endAfterMs: END_OF_TURN_MS, eagerAfterMs: null }),
    };
  },
});
const llm = await startOpenAiSimulator({ firstTokenMs: FIRST_TOKEN_MS, answer: () => ({ text: ANSWER }) });
const tts = await startElevenLabsSimulator({ firstAudioMs: FIRST_AUDIO_MS });

const send = (message: FromProviders) => void process.send!(message);

process.on('message', (message: ToProviders) => {
  const call = callOf(message.name);
  if (message.type === 'question') {
    call.said.push(message.text);
    call.speech.push(message.speech);
    if (call.rate > 0) call.truth.push(inSamples(call.rate, message.speech));
    return;
  }
  const connections = stt.connections.filter(({ query }) => query.get('keyterm') === message.name);
  send({
    type: 'received',
    name: message.name,
    connections: connections.length,
    seconds: (connections[0]?.receivedSamples ?? 0) / call.rate,
    requests: llm.requests.filter(({ body }) => body && JSON.stringify(body.messages[0]).includes(message.name)).length,
    violations: [...stt.violations, ...tts.violations],
  });
});
process.on('disconnect', () => process.exit());
send({ type: 'ready', settings: providerSettings({ stt, llm, tts }) });
