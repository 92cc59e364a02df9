/** What a call consumed, as billed and as in the event `call.ended`. */
export interface Usage {
  stt_seconds: number;
  tts_characters: number;
  llm_input_tokens: number;
  llm_output_tokens: number;
  llm_calls: number;
}

/** Tokens of a speech-to-speech model; the cached ones are among the input. */
export interface RealtimeTokens {
  text_input_tokens: number;
  audio_input_tokens: number;
  cached_text_input_tokens: number;
  cached_audio_input_tokens: number;
  text_output_tokens: number;
  audio_output_tokens: number;
}

export const REALTIME_TOKENS = [
  'text_input_tokens',
  'audio_input_tokens',
  'cached_text_input_tokens',
  'cached_audio_input_tokens',
  'text_output_tokens',
  'audio_output_tokens',
] as const satisfies (keyof RealtimeTokens)[];

/** One provider's and model's part of it; only the counts of its component are set. */
export interface ProviderUsage extends Partial<Omit<Usage, 'llm_calls'> & RealtimeTokens> {
  component: 'transcriber' | 'llm' | 'voice' | 'realtime';
  provider: string;
  model: string;
}

export function emptyUsage(): Usage {
  return { stt_seconds: 0, tts_characters: 0, llm_input_tokens: 0, llm_output_tokens: 0, llm_calls: 0 };
}
