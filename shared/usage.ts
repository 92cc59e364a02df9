/** What a call consumed, as billed and as in the event `call.ended`. */
export interface Usage {
  stt_seconds: number;
  tts_characters: number;
  llm_input_tokens: number;
  llm_output_tokens: number;
  llm_calls: number;
}

/** One provider's and model's part of it; only the counts of its component are set. */
export interface ProviderUsage extends Partial<Omit<Usage, 'llm_calls'>> {
  component: 'transcriber' | 'llm' | 'voice';
  provider: string;
  model: string;
}

export function emptyUsage(): Usage {
  return { stt_seconds: 0, tts_characters: 0, llm_input_tokens: 0, llm_output_tokens: 0, llm_calls: 0 };
}
