/** Valid messages of speech providers and language models, as their adapters read them. */

const WORDS = [
  { word: 'book', punctuated_word: 'Book', start: 0.1, end: 0.3, confidence: 0.9 },
  { word: 'it', start: 0.3, end: 0.4 },
];
const RESULT = {
  ...{ type: 'Results', channel_index: [0, 1], duration: 0.5, start: 0.1 },
  channel: { alternatives: [{ transcript: 'Book it', confidence: 0.9, words: WORDS }] },
};

export const DEEPGRAM: readonly object[] = [
  { ...RESULT, is_final: false, speech_final: false },
  { ...RESULT, is_final: true, speech_final: false },
  { ...RESULT, is_final: true, speech_final: true },
  { ...RESULT, is_final: true, speech_final: true, from_finalize: true },
  { type: 'SpeechStarted', channel: [0, 1], timestamp: 0.1 },
  { type: 'UtteranceEnd', channel: [0, 1], last_word_end: 0.4 },
  { type: 'Metadata', request_id: 'r', duration: 1, channels: 1 },
];

const FLUX_EVENTS = ['StartOfTurn', 'Update', 'EagerEndOfTurn', 'TurnResumed', 'EndOfTurn'];
export const FLUX: readonly object[] = [
  { type: 'Connected', request_id: 'r', sequence_id: 0 },
  ...[0, 1, 2, 5].flatMap((turn_index) =>
    FLUX_EVENTS.map((event, at) => ({
      ...{ type: 'TurnInfo', request_id: 'r', sequence_id: at, event, turn_index, transcript: 'book it' },
      ...{ audio_window_start: 0, audio_window_end: 1.2, words: WORDS, end_of_turn_confidence: 0.8 },
    })),
  ),
];

export const SONIOX: readonly object[] = [
  { tokens: [], final_audio_proc_ms: 0, total_audio_proc_ms: 100 },
  ...[false, true].flatMap((is_final) => [
    { tokens: [{ text: 'book', start_ms: 1, end_ms: 2, confidence: 0.9, is_final, language: 'en' }] },
    {
      tokens: [
        { text: ' it', is_final },
        { text: '<fin>', is_final: true },
      ],
    },
  ]),
  { tokens: [], finished: true },
  { tokens: [], error_code: 503, error_message: 'Cannot continue request (code 1).' },
];

export const SCRIBE: readonly object[] = [
  { message_type: 'session_started', session_id: 's', config: { sample_rate: 8000 } },
  { message_type: 'partial_transcript', text: 'book' },
  { message_type: 'committed_transcript', text: 'book it now' },
  { message_type: 'committed_transcript_with_timestamps', text: 'book it now', language_code: 'en', words: WORDS },
  { message_type: 'commit_throttled', error: 'x' },
  { message_type: 'insufficient_audio_activity_error', error: 'x' },
  { message_type: 'rate_limited', error: 'x' },
];

export const ASSEMBLYAI: readonly object[] = [
  { type: 'Begin', id: 'i', expires_at: 1 },
  { type: 'SpeechStarted', timestamp: 1 },
  ...[0, 1, 3].flatMap((turn_order) =>
    [false, true].map((end_of_turn) => ({
      ...{ type: 'Turn', turn_order, turn_is_formatted: false, end_of_turn, transcript: 'book it' },
      words: [{ text: 'book', word_is_final: true, start: 1, end: 2, confidence: 0.9 }],
    })),
  ),
  { type: 'Warning', warning_code: 1, warning: 'x' },
  { type: 'Error', error_code: 3009, error: 'x' },
];

export const OPENAI_TRANSCRIBER: readonly object[] = [
  { type: 'session.updated', session: {} },
  ...['one', 'two'].flatMap((item_id) => [
    { type: 'conversation.item.input_audio_transcription.delta', item_id, content_index: 0, delta: 'book' },
    { type: 'input_audio_buffer.committed', item_id, previous_item_id: null },
    {
      type: 'conversation.item.input_audio_transcription.completed',
      item_id,
      transcript: 'book it',
      languages: ['en'],
    },
    { type: 'conversation.item.input_audio_transcription.failed', item_id, error: { code: 'x' } },
  ]),
  { type: 'error', error: { type: 'invalid_request_error', code: 'input_audio_buffer_commit_empty', message: 'x' } },
  { type: 'error', error: { type: 'x', code: 'rate_limit_exceeded', message: 'x' } },
];

export const SARVAM_TRANSCRIBER: readonly object[] = [
  { event: 'session.begin', request_id: 'r', config: { sample_rate: 8000 } },
  ...[0, 1, 3].flatMap((utterance_idx) => [
    { event: 'vad.speech_start', utterance_idx, confidence: 0.9 },
    { event: 'transcript.partial', utterance_idx, text: 'book' },
    { event: 'vad.speech_end', utterance_idx },
    { event: 'transcript.final', utterance_idx, text: 'book it now' },
  ]),
  { event: 'pong' },
  { event: 'error', code: 'invalid_message', is_fatal: false, message: 'x' },
];

const AUDIO = Buffer.alloc(400, 0x55).toString('base64');
const WAV = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1'), Buffer.alloc(40)]).toString(
  'base64',
);

/** `context` is the id that the adapter chose. */
export const CARTESIA = (context_id: string): readonly object[] => [
  { type: 'chunk', context_id, status_code: 206, done: false, data: AUDIO, step_time: 12.5 },
  { type: 'chunk', context_id, status_code: 206, done: false, data: AUDIO.slice(0, 5) },
  {
    ...{ type: 'timestamps', context_id, status_code: 206, done: false },
    word_timestamps: { words: ['Good', 'morning'], start: [0, 0.2], end: [0.2, 0.5] },
  },
  { type: 'flush_done', context_id, flush_id: 1, done: false },
  { type: 'done', context_id, status_code: 200, done: true },
  { type: 'error', context_id, status_code: 400, title: 'x', message: 'y', error_code: 'z', done: true },
];

const ALIGNMENT = { chars: ['G', 'o', ' '], charStartTimesMs: [0, 10, 20], charDurationsMs: [10, 10, 10] };
export const ELEVENLABS = (contextId: string): readonly object[] => [
  { audio: AUDIO, contextId, isFinal: null, alignment: ALIGNMENT, normalizedAlignment: ALIGNMENT },
  { audio: AUDIO, contextId, alignment: { chars: ['a'], charsStartTimesMs: [0] } },
  { audio: null, contextId, alignment: null },
  { isFinal: true, contextId },
  { message: 'x', error: 'input_timeout_exceeded', code: 1008, contextId },
];

export const SARVAM_SYNTHESIZER = (): readonly object[] => [
  { type: 'audio', data: { content_type: 'audio/x-mulaw', audio: AUDIO, request_id: 'q' } },
  { type: 'audio', data: { content_type: 'audio/wav', audio: WAV, request_id: 'q' } },
  { type: 'event', data: { event_type: 'final', message: 'Stream is complete', timestamp: 'x' } },
  { type: 'error', data: { message: 'x', code: 422, details: {}, request_id: 'q' } },
];

export const AURA = (): readonly object[] => [
  { type: 'Metadata', request_id: 'q', model_name: 'aura-2-thalia-en', model_version: '1', model_uuid: 'u' },
  { type: 'Flushed', sequence_id: 0 },
  { type: 'Cleared', sequence_id: 1 },
  { type: 'Warning', code: 'EXCESSIVE_FLUSH', description: 'Flush ignored' },
  { type: 'Error', code: 'DATA-0000', description: 'x' },
];

export const AZURE_TRANSCRIBER: readonly object[] = [
  { path: 'turn.start', body: { context: { serviceTag: 's' } } },
  { path: 'speech.startDetected', body: { Offset: 10_000 } },
  { path: 'speech.hypothesis', body: { Text: 'book', Offset: 0, Duration: 9 } },
  { path: 'speech.phrase', body: { RecognitionStatus: 'Success', DisplayText: 'Book it.', Offset: 0, Duration: 9 } },
  { path: 'speech.phrase', body: { RecognitionStatus: 'Success', NBest: [{ Confidence: 0.9, Display: 'Book it.' }] } },
  { path: 'speech.phrase', body: { RecognitionStatus: 'NoMatch' } },
  { path: 'turn.end', body: {} },
];
const BOUNDARY = { Offset: 10_000, Duration: 9, text: { Text: 'Good', Length: 4, BoundaryType: 'WordBoundary' } };
export const AZURE_SYNTHESIZER = (): readonly object[] => [
  { path: 'turn.start', body: {} },
  { path: 'response', body: { audio: { streamId: 'a' } } },
  { path: 'audio.metadata', body: { Metadata: [{ Type: 'WordBoundary', Data: BOUNDARY }] } },
  { path: 'audio.metadata', body: { Metadata: [{ Type: 'SessionEnd', Data: { Offset: 20_000 } }] } },
  { path: 'turn.end', body: {} },
];

const response = (type: string, more: object = {}) => ({
  type: `response.${type}`,
  response_id: 'a',
  item_id: 'i',
  ...more,
});
const spoken = { id: 'i', type: 'message', role: 'assistant' };
const toolItem = { id: 'f', type: 'function_call', call_id: 'c', name: 'end_call', arguments: '{"why":1}' };
const TOKENS = { input_token_details: { text_tokens: 3, audio_tokens: 2, cached_tokens_details: { text_tokens: 1 } } };
const done = (status: string, more: object = {}) => ({
  type: 'response.done',
  response: { id: 'a', status, metadata: { reply: 'r1' }, output: [toolItem], usage: TOKENS, ...more },
});
export const OPENAI_REALTIME: readonly object[] = [
  { type: 'session.updated', session: {} },
  { type: 'session.created', session: { audio: { output: { format: { type: 'audio/pcm', rate: 24_000 } } } } },
  ...['u', 'v'].flatMap((item_id) => [
    { type: 'input_audio_buffer.speech_started', audio_start_ms: 1, item_id },
    { type: 'input_audio_buffer.committed', item_id, previous_item_id: null },
    { type: 'conversation.item.input_audio_transcription.delta', item_id, delta: 'book' },
    { type: 'conversation.item.input_audio_transcription.completed', item_id, transcript: 'book it' },
    { type: 'conversation.item.input_audio_transcription.failed', item_id, error: { code: 'x' } },
  ]),
  ...['r1', 'r2'].map((reply) => ({ type: 'response.created', response: { id: 'a', metadata: { reply } } })),
  response('output_item.added', { item: spoken }),
  response('output_audio.delta', { delta: AUDIO }),
  response('output_audio.delta', { delta: AUDIO.slice(0, 5) }),
  response('output_audio_transcript.delta', { delta: 'Good ' }),
  response('output_text.delta', { delta: 'morning' }),
  response('output_item.done', { item: toolItem }),
  done('completed'),
  done('failed', { status_details: { error: { type: 'server_error', code: 'rate_limit_exceeded' } } }),
  { type: 'error', error: { type: 'x', code: 'conversation_already_has_active_response', event_id: 'reply-r1' } },
  { type: 'error', error: { type: 'x', code: 'input_audio_buffer_commit_empty', event_id: 'commit-u1' } },
  { type: 'error', error: { type: 'x', code: 'session_expired', message: 'x' } },
];

const heard = (content: object) => ({ serverContent: content });
export const GEMINI_LIVE: readonly object[] = [
  { setupComplete: {} },
  heard({ inputTranscription: { text: 'book it' } }),
  heard({ modelTurn: { parts: [{ inlineData: { mimeType: 'audio/pcm;rate=24000', data: AUDIO } }] } }),
  heard({ modelTurn: { parts: [{ inlineData: { mimeType: 'audio/pcm;rate=24000', data: AUDIO.slice(0, 5) } }] } }),
  heard({ outputTranscription: { text: 'Good morning.' } }),
  heard({ generationComplete: true }),
  heard({ turnComplete: true }),
  heard({ interrupted: true, turnComplete: true }),
  { toolCall: { functionCalls: [{ id: 'c', name: 'end_call', args: { why: 1 } }] } },
  { toolCallCancellation: { ids: ['c'] } },
  { goAway: { timeLeft: '50s' } },
  { usageMetadata: { promptTokenCount: 3, promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 2 }] } },
];

const call = { index: 0, id: 'c1', type: 'function', function: { name: 'end_call', arguments: '{"why":1}' } };
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] },
});
export const OPENAI: readonly object[] = [
  chunk({ role: 'assistant', content: 'Good ' }),
  chunk({ content: '<think>no</think>morning' }),
  chunk({ content: [{ type: 'text', text: 'a' }] }),
  chunk({ tool_calls: [call] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
  chunk({ refusal: 'no', reasoning_content: 'hm' }),
  chunk({}, 'stop'),
  chunk({}, 'tool_calls'),
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
  { error: { message: 'x', type: 'server_error', code: 500 } },
];

export const ANTHROPIC: readonly object[] = [
  {
    type: 'message_start',
    message: { id: 'm', usage: { input_tokens: 3, cache_read_input_tokens: 1, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Good' } },
  { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'end_call', input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'thinking_delta', thinking: 'hm' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
  { type: 'ping' },
  { type: 'error', error: { type: 'overloaded_error', message: 'x' } },
];

const candidate = (parts: object[], finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, thoughtsTokenCount: 1 },
});
export const GOOGLE: readonly object[] = [
  candidate([{ text: 'Good' }]),
  candidate([{ text: 'hm', thought: true }]),
  candidate([{ functionCall: { id: 'f', name: 'end_call', args: { a: 1 } }, thoughtSignature: 's' }]),
  candidate([{ text: '.' }], 'STOP'),
  candidate([], 'MALFORMED_FUNCTION_CALL'),
  { promptFeedback: { blockReason: 'SAFETY' } },
  { error: { code: 503, message: 'x', status: 'UNAVAILABLE' } },
];
