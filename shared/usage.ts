/** What a call consumed, as billed and as told in `call.ended`. */
export interface Usage {
  stt_seconds: number;
  tts_characters: number;
  llm_input_tokens: number;
  llm_output_tokens: number;
  llm_calls: number;
}

export function noUsage(): Usage {
  return { stt_seconds: 0, tts_characters: 0, llm_input_tokens: 0, llm_output_tokens: 0, llm_calls: 0 };
}
