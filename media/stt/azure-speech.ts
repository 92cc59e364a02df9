import { azureLocale, azureSpeechAddress, type azureTranscriber } from '../../shared/providers/azure-speech.ts';
import { PCM_16K } from '../audio/format.ts';
import { azureFailure, azureId } from '../provider/azure-failure.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createAzureProtocol, readAzureMessage } from './azure-speech-protocol.ts';
import { createStreamingTranscriber, type ProviderTranscriberOptions } from './streaming-transcriber.ts';
import type { Transcriber, TranscriberAdapter } from './transcriber.ts';

/**
 * Azure Speech's transcriber over its WebSocket, as Microsoft's open SDK speaks it
 * (github.com/microsoft/cognitive-services-speech-sdk-js). Nothing of the SDK is used.
 */

const PROVIDER = 'azure_speech';
/** Within a phrase hypotheses come several times a second. */
const MAX_SILENT_SPEECH_MS = 5_000;
/** A connection ends after ten minutes. */
const RENEW_AFTER_MS = 9 * 60_000;
/** A pause after which the vendor makes words final unasked. Ours are shorter. */
const SEGMENTATION_SILENCE_MS = 1_000;
const MAX_KEYTERMS = 500;

/** `url`: of the region. `language`: of a mix like `hi-en` the first one counts. The vendor takes 8 and 16 kHz. */
export type AzureOptions = ProviderTranscriberOptions;

/** The locale of a call; throws ProviderError `bad_request` for a language that is not offered. */
function localeOf(language: string): string {
  const tag = language.trim();
  // `hi-en` is a mix, `en-in` a country: no language of the list is a country that speaks another one.
  const [first = ''] = /^[a-z]{2}[-,+/ ]+en$/.test(tag) ? [tag.slice(0, 2)] : tag.split(/[,+/ ]+/);
  const locale = azureLocale(first);
  if (locale !== null) return locale;
  throw new ProviderError(PROVIDER, 'bad_request', `no transcription of the language ${tag.slice(0, 20)}`);
}

export function azureTranscriberAddress({ url, language }: Pick<AzureOptions, 'url' | 'language'>): string {
  const query = new URLSearchParams({ language: localeOf(language), format: 'simple' });
  return `${url.replace(/\/+$/, '')}/speech/recognition/conversation/cognitiveservices/v1?${query}`;
}

/** How a request is to be transcribed. */
export function azureSpeechContext(keyterms: readonly string[] = []): object {
  const terms = keyterms.map((term) => term.trim()).filter((term) => term !== '');
  const segmentation = { mode: 'Custom', segmentationSilenceTimeoutMs: SEGMENTATION_SILENCE_MS };
  return {
    phraseDetection: { mode: 'Conversation', conversation: { segmentation } },
    ...(terms.length > 0 && {
      dgi: { Groups: [{ Type: 'Generic', Items: terms.slice(0, MAX_KEYTERMS).map((Text) => ({ Text })) }] },
    }),
  };
}

export function createAzureTranscriber(options: AzureOptions): Transcriber {
  const { legFormat, clock } = options;
  const input = legFormat.sample_rate === 8000 || legFormat.sample_rate === 16000 ? legFormat : PCM_16K;
  return createStreamingTranscriber({
    ...options,
    provider: PROVIDER,
    input,
    decidesTurns: false,
    socket: {
      url: azureTranscriberAddress(options),
      headers: () => ({ 'ocp-apim-subscription-key': options.apiKey, 'x-connectionid': azureId() }),
      closeMeaning: (_code, reason) => azureFailure(reason),
    },
    handshake: 'none',
    maxSilentSpeechMs: MAX_SILENT_SPEECH_MS,
    renewAfterMs: RENEW_AFTER_MS,
    readMessage: readAzureMessage,
    protocol: (connection) => createAzureProtocol(connection, azureSpeechContext(options.keyterms), input, clock),
  });
}

export const adapter: TranscriberAdapter<typeof azureTranscriber> = ({ settings, transcriber, input, ...call }) => {
  const url = azureSpeechAddress('stt', settings.AZURE_SPEECH_REGION);
  if (url === null) throw new ProviderError(PROVIDER, 'bad_request', 'AZURE_SPEECH_REGION is not the name of a region');
  return createAzureTranscriber({
    ...call,
    url,
    apiKey: settings.AZURE_SPEECH_KEY,
    model: transcriber.model,
    language: transcriber.language,
    keyterms: transcriber.keyterms,
    legFormat: input,
  });
};
