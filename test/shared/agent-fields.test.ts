import { describe, expect, it } from 'vitest';
import { agentConfigSchema } from '../../shared/agent.ts';

/** The specification's tables of the Agent, written out once more: every field, its default, and both sides of each limit. */

const text = (length: number) => 'x'.repeat(length);
const many = <Item>(length: number, make: (index: number) => Item) => Array.from({ length }, (_, index) => make(index));
const tool = (over: object) => ({ name: 'a', description: 'abc', url: 'https://example.com', ...over });
const extraction = (over: object) => ({ key: 'a', ...over });
const target = (over: object) => ({ name: 'Desk', number: '+911234567', ...over });
const spare = (over: object) => ({ voice_id: 'v', ...over });

describe('an agent with nothing but a name', () => {
  it('has every field of the specification with its default', () => {
    expect(agentConfigSchema.parse({ name: 'A' })).toEqual({
      name: 'A',
      welcome_message: '',
      system_prompt: '',
      llm: { provider: 'openai', model: 'gpt-4.1-mini', temperature: 0.4, max_tokens: 300 },
      voice: {
        provider: 'elevenlabs',
        model: 'eleven_flash_v2_5',
        voice_id: '',
        voice_name: '',
        language: 'hi',
        speed: 1,
        pronunciations: [],
        fallbacks: [],
        by_language: [],
      },
      transcriber: {
        provider: 'deepgram_flux',
        model: 'flux-general-multi',
        turn_detection: 'balanced',
        language: 'hi',
        endpointing_ms: 300,
        keyterms: [],
        fallbacks: [],
      },
      call: {
        max_duration_seconds: 600,
        hangup_after_silence_seconds: 15,
        allow_interruptions: true,
        interruption_min_words: 2,
        calling_hours: false,
        call_start_hour: 9,
        call_end_hour: 21,
        timezone: 'Asia/Kolkata',
        record: true,
        filler_after_ms: 0,
        filler_phrases: [],
        hangup_message: '',
        hangup_on_prompt: false,
        hangup_prompt: '',
        hangup_interruptible: false,
        check_user_online: false,
        user_online_message: 'Are you still there?',
        user_online_after_seconds: 9,
        ambient_sound: '',
        ambient_volume: 30,
        noise_cancellation: false,
        noise_cancellation_strength: 50,
        voicemail_detection: false,
        voicemail_detection_seconds: 5,
        voicemail_message: '',
        caller_verification_call_reason: '',
        dtmf_input: false,
        dtmf_wait_seconds: 2.5,
        auto_reschedule: false,
        reschedule_max_days: 7,
        transfer_enabled: false,
        transfer_targets: [],
        handoffs: [],
        transfer_message: '',
        transfer_summary: true,
        hold_music: true,
        recording_notice: '',
        recording_pause: false,
        recording_pause_seconds: 120,
        redact_cards: false,
        redact_identity_numbers: false,
        follow_language: false,
      },
      analytics: { summarize: false, extractions: [], extraction_prompt: '' },
      tools: [],
      mcp_servers: [],
      knowledge_base_ids: [],
      knowledge_mode: 'auto',
      webhook_url: '',
      status: 'active',
      avatar: null,
    });
  });

  it('has every default of the objects in its lists', () => {
    const agent = agentConfigSchema.parse({
      name: 'A',
      voice: { fallbacks: [{ voice_id: 'v' }] },
      transcriber: { fallbacks: [{}] },
      call: { transfer_targets: [{ name: 'Desk', number: '+911234567' }] },
      analytics: { extractions: [{ key: 'a', choices: [{ value: 'x' }] }] },
      tools: [{ name: 'a', description: 'abc', url: 'https://example.com' }],
    });
    expect(agent.voice.fallbacks).toEqual([
      { provider: 'elevenlabs', model: 'eleven_flash_v2_5', voice_id: 'v', voice_name: '', language: 'hi' },
    ]);
    expect(agent.transcriber.fallbacks).toEqual([
      { provider: 'deepgram_flux', model: 'flux-general-multi', language: 'hi' },
    ]);
    expect(agent.call.transfer_targets).toEqual([{ name: 'Desk', number: '+911234567', description: '' }]);
    expect(agent.analytics.extractions).toEqual([
      { key: 'a', label: '', type: 'text', description: '', choices: [{ value: 'x', when: '' }] },
    ]);
    expect(agent.tools).toEqual([
      {
        name: 'a',
        description: 'abc',
        parameters: {},
        kind: 'http',
        method: 'POST',
        url: 'https://example.com',
        headers: {},
        pre_call_message: '',
        timeout_seconds: 8,
        results: { path: '', variables: {}, message: '' },
      },
    ]);
  });
});

/** A field, values that are taken, values that are refused. */
type Limit = [path: string, taken: unknown[], refused: unknown[]];

const LIMITS: Limit[] = [
  ['name', [text(1), text(120)], ['', text(121), 7, null]],
  ['welcome_message', ['', text(2_000)], [text(2_001)]],
  ['system_prompt', ['', text(60_000)], [text(60_001)]],
  ['knowledge_base_ids', [many(10, String)], [many(11, String)]],
  ['knowledge_mode', ['auto', 'search'], ['', 'inline']],
  ['webhook_url', ['', `https://example.com/${text(480)}`], [`https://example.com/${text(481)}`, 'http://example.com']],
  ['status', ['active', 'paused'], ['frozen', '']],
  ['avatar', [null, 7, 'fox'], [1.5, {}, true]],
  ['llm.provider', ['openai', 'anthropic', 'google', 'azure', 'groq', 'mistral', 'custom'], ['other', '']],
  ['llm.model', ['', text(200)], [text(201)]],
  ['llm.temperature', [0, 0.7, 2], [-0.1, 2.1]],
  ['llm.max_tokens', [16, 4_096], [15, 4_097, 20.5]],
  ['voice.provider', ['elevenlabs', 'cartesia', 'sarvam', 'local'], ['other']],
  ['voice.speed', [0.6, 1.5], [0.5, 1.6]],
  ['voice.fallbacks', [many(3, () => spare({}))], [many(4, () => spare({}))]],
  [
    'voice.fallbacks.0',
    [spare({ model: text(40), voice_id: text(100), voice_name: text(200), language: text(10) })],
    [
      spare({ model: '' }),
      spare({ model: text(41) }),
      spare({ voice_id: '' }),
      spare({ voice_id: text(101) }),
      spare({ voice_name: text(201) }),
      spare({ language: text(11) }),
      spare({ provider: 'other' }),
      {},
    ],
  ],
  [
    'transcriber.provider',
    ['deepgram_flux', 'deepgram', 'sarvam', 'soniox', 'elevenlabs', 'assemblyai', 'openai', 'local'],
    ['other'],
  ],
  ['transcriber.turn_detection', ['responsive', 'balanced', 'patient'], ['quick']],
  ['transcriber.endpointing_ms', [10, 3_000], [9, 3_001, 10.5]],
  ['transcriber.keyterms', [many(100, String)], [many(101, String)]],
  ['transcriber.fallbacks', [many(2, () => ({}))], [many(3, () => ({}))]],
  [
    'transcriber.fallbacks.0',
    [{ model: text(40), language: text(20) }, { language: 'e' }],
    [{ model: text(41) }, { language: '' }, { language: text(21) }, { provider: 'other' }],
  ],
  [
    'voice.by_language',
    [
      [],
      many(1, () => spare({ language: 'es-MX' })),
      [spare({ language: 'es', voice_id: '' }), spare({ language: 'fr' })],
    ],
    [
      many(11, () => spare({ language: 'es' })),
      [spare({ language: 'es' }), spare({ language: 'es-MX' })],
      [spare({ language: '' })],
    ],
  ],
  ['call.max_duration_seconds', [30, 3_600], [29, 3_601]],
  ['call.hangup_after_silence_seconds', [5, 120], [4, 121]],
  ['call.interruption_min_words', [1, 10], [0, 11]],
  ['call.call_start_hour', [0, 20], [-1, 24]],
  ['call.call_end_hour', [10, 24], [0, 25]],
  ['call.timezone', ['UTC', 'America/New_York'], ['+05:30', 'Mars/Base', '']],
  ['call.hangup_prompt', [text(4_000)], [text(4_001)]],
  ['call.user_online_after_seconds', [3, 60], [2, 61]],
  [
    'call.ambient_sound',
    ['', 'office', 'call_centre', 'cafe', 'street', `upload:${'a'.repeat(32)}`],
    ['rain', 'upload:x', `upload:${'A'.repeat(32)}`, 'office ', 'cafe\n'],
  ],
  ['call.ambient_volume', [0, 100], [-1, 101]],
  ['call.noise_cancellation_strength', [0, 100], [-1, 101]],
  ['call.voicemail_detection_seconds', [2, 10], [1, 11]],
  ['call.voicemail_message', [text(1_000)], [text(1_001)]],
  ['call.caller_verification_call_reason', [text(200)], [text(201)]],
  ['call.dtmf_wait_seconds', [0.5, 2.25, 10], [0.4, 10.1]],
  ['call.recording_notice', ['', text(500)], [text(501)]],
  ['call.reschedule_max_days', [1, 30], [0, 31]],
  ['call.transfer_targets', [many(5, () => target({}))], [many(6, () => target({}))]],
  [
    'call.transfer_targets.0',
    [target({ name: text(60), number: '+123456789012345', description: text(300) })],
    [
      target({ name: '' }),
      target({ name: text(61) }),
      target({ number: '+123456' }),
      target({ number: '+1234567890123456' }),
      target({ number: '+0123456789' }),
      target({ number: '911234567' }),
      target({ description: text(301) }),
    ],
  ],
  ['call.transfer_message', [text(300)], [text(301)]],
  ['analytics.extractions', [many(50, () => extraction({}))], [many(51, () => extraction({}))]],
  [
    'analytics.extractions.0',
    [
      extraction({ key: `a${'_'.repeat(39)}`, label: text(80), description: text(600) }),
      ...['text', 'number', 'boolean', 'choice', 'date', 'list'].map((type) => extraction({ type })),
      extraction({ choices: many(20, () => ({ value: text(60), when: text(300) })) }),
    ],
    [
      extraction({ key: `a${'_'.repeat(40)}` }),
      extraction({ key: '1a' }),
      extraction({ key: 'A' }),
      extraction({ label: text(81) }),
      extraction({ type: 'json' }),
      extraction({ description: text(601) }),
      extraction({ choices: many(21, () => ({ value: 'x' })) }),
      extraction({ choices: [{ value: '' }] }),
      extraction({ choices: [{ value: text(61) }] }),
      extraction({ choices: [{ value: 'x', when: text(301) }] }),
    ],
  ],
  ['analytics.extraction_prompt', [text(4_000)], [text(4_001)]],
  ['tools', [many(50, (n) => tool({ name: `t${n}` }))], [many(51, (n) => tool({ name: `t${n}` }))]],
  [
    'tools.0',
    [
      tool({ name: `_${text(63)}` }),
      tool({ description: text(1_000) }),
      tool({ method: 'GET', timeout_seconds: 1 }),
      tool({ timeout_seconds: 30, parameters: { type: 'object' }, headers: { 'X-Key': 'ä 1' } }),
      tool({ url: 'http://example.com:8080/a?b=c' }),
    ],
    [
      tool({ name: `_${text(64)}` }),
      tool({ name: '1a' }),
      tool({ name: 'a-b' }),
      tool({ description: 'ab' }),
      tool({ description: text(1_001) }),
      tool({ method: 'PUT' }),
      tool({ timeout_seconds: 0.9 }),
      tool({ timeout_seconds: 30.1 }),
      tool({ url: 'ftp://example.com' }),
      tool({ url: '' }),
      tool({ parameters: [] }),
      tool({ headers: { 'X Key': '1' } }),
      tool({ headers: { 'X-Key': 'a\r\nb' } }),
      { name: 'a', description: 'abc' },
      { name: 'a', url: 'https://example.com' },
    ],
  ],
];

describe('the limits', () => {
  it.each(LIMITS)('of %s are those of the specification', (path, taken, refused) => {
    const verdicts = (values: unknown[]) =>
      values.map((value) => agentConfigSchema.safeParse(withValue(path, value)).success);
    expect(verdicts(taken)).toEqual(taken.map(() => true));
    expect(verdicts(refused)).toEqual(refused.map(() => false));
  });
});

/** A configuration with this value at a dotted path; a number in it is a position in a list of one. */
function withValue(path: string, value: unknown): object {
  const nested = path
    .split('.')
    .reduceRight<unknown>((inner, part) => (/^\d+$/.test(part) ? [inner] : { [part]: inner }), value);
  return { name: 'A', ...(nested as object) };
}
