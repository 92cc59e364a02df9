import { parentPort, workerData } from 'node:worker_threads';
import { MODEL_PROVIDERS } from './adapter-models.ts';
import type { FromThread, Kind, ProviderEnd, ToThread } from './adapter-provider.ts';
import { SYNTHESIZER_PROVIDERS } from './adapter-synthesizers.ts';
import { TRANSCRIBER_PROVIDERS } from './adapter-transcribers.ts';
import { waitFor } from './wait-for.ts';

/** The provider's thread of `measureRounds`. */

const STARTS: Record<Kind, Record<string, () => Promise<ProviderEnd>>> = {
  transcriber: TRANSCRIBER_PROVIDERS,
  synthesizer: SYNTHESIZER_PROVIDERS,
  model: MODEL_PROVIDERS,
};

const { kind, name } = workerData as { kind: Kind; name: string };
const end = await STARTS[kind][name]!();
const tell = (message: FromThread) => parentPort!.postMessage(message);

async function serve(message: ToThread): Promise<void> {
  if (message === 'finish') {
    end.finish?.();
    return tell('finished');
  }
  if (message === 'close') {
    await end.close();
    return parentPort!.close();
  }
  if (end.isReady) await waitFor(end.isReady, `${name}: no connection was opened`);
  tell('ready');
  tell(await end.answer(message.expect));
}

parentPort!.on('message', (message: ToThread) => {
  void serve(message);
});
tell({ url: end.url, apiKey: end.apiKey ?? 'key' });
