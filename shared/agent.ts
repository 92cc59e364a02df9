import { z } from 'zod';
import { HANDOFF_TOOL } from './handoff.ts';
import { isJsonPath, JSON_PATH_RULE } from './json-path.ts';
import { baseCode } from './languages/registry.ts';
import { E164_PATTERN } from './phone.ts';
import { isIpa } from './pronunciation.ts';
import { REALTIME_MODELS, realtimeManifest } from './providers/realtime.ts';
import {
  DEFAULT_LLM_MODEL,
  DEFAULT_SYNTHESIZER_MODEL,
  DEFAULT_TRANSCRIBER_MODEL,
  LANGUAGE_MODELS,
  LLM_PROVIDERS,
  type LlmProvider,
  SYNTHESIZER_PROVIDERS,
  SYNTHESIZERS,
  TRANSCRIBER_PROVIDERS,
  TRANSCRIBERS,
} from './providers/registry.ts';
import { mayBePublicHost } from './public-address.ts';
import { isRecordingTool } from './recording-pause.ts';
import { RESCHEDULE_TOOL } from './reschedule.ts';
import { isTimeZone } from './time-zone.ts';
import { TRANSFER_TOOL } from './transfer.ts';
import { VARIABLE_NAME } from './variables.ts';

/**
 * An agent's configuration with all defaults and rules: as a client sends it, as it is stored, and, as JSON, as the engine
 * gets it for a call. Fields and limits are those of the specification's section "Agent".
 *
 * `agentFields` is the shape alone, to describe records; `agentConfigSchema` also checks the rules across fields and fills in
 * the models; `agentDraftSchema` is the same for a configuration that is not saved and may have no name.
 */

const text = (max: number) => z.string().max(max).default('');
const modelName = (max: number) => text(max).describe("empty: the provider's default");

/** An extension of the specification: what applies when the model hears and speaks itself. */
const realtime = z.object({
  voice: text(100).describe("the model's own voice; empty: the provider's default"),
  output: z
    .enum(['audio', 'text'])
    .default('audio')
    .describe('text: the model hears the caller and writes, and the voice below speaks; not every provider can'),
  turn_detection: z
    .enum(['service', 'model'])
    .default('service')
    .describe("who decides that the caller's turn is over"),
  text_provider: z
    .enum(LLM_PROVIDERS)
    .optional()
    .describe(
      'whose model answers what is not spoken, and takes over with voice and transcriber when the session fails',
    ),
  text_model: modelName(200),
});

const llm = z.object({
  provider: z.enum(LLM_PROVIDERS).default(LANGUAGE_MODELS[0].name).describe('whose language model'),
  model: modelName(200),
  temperature: z.number().min(0).max(2).default(0.4).describe('higher is more varied'),
  max_tokens: z.int().min(16).max(4096).default(300).describe('the longest reply in tokens'),
  realtime: realtime.optional().describe('of a speech-to-speech model'),
});

const voiceFallback = z.object({
  provider: z.enum(SYNTHESIZER_PROVIDERS).default(SYNTHESIZERS[0].name).describe('whose voice'),
  model: z.string().min(1).max(40).optional().describe("left out: the provider's default"),
  voice_id: z.string().min(1).max(100).describe('a voice of the provider'),
  voice_name: text(200).describe('display name'),
  language: text(10).describe("empty: the voice's language"),
});

const languageVoice = voiceFallback.extend({
  voice_id: text(100).describe("a voice of the provider; empty: the provider's default for the language"),
  language: z.string().min(2).max(10).describe('ISO 639-1, with or without a region'),
});

const voice = z.object({
  provider: z.enum(SYNTHESIZER_PROVIDERS).default(SYNTHESIZERS[0].name).describe('whose voice'),
  model: modelName(200),
  voice_id: text(200).describe("a voice from the voices list; empty: the provider's default"),
  voice_name: text(200).describe('display name'),
  language: z.string().max(10).default('hi').describe('language the agent speaks'),
  speed: z.number().min(0.6).max(1.5).default(1).describe('1 is normal'),
  pronunciations: z
    .array(
      z.object({
        word: z.string().trim().min(1).max(80).describe('as it is written, one word or several'),
        say: z
          .string()
          .trim()
          .max(200)
          .default('')
          .describe('as it is to be said, in letters that the voice reads; empty: `ipa` alone'),
        ipa: z
          .string()
          .trim()
          .max(200)
          .refine((ipa) => ipa === '' || isIpa(ipa), 'must be IPA without slashes or brackets, like ʃɪˈvɔːn')
          .default('')
          .describe('the same in IPA, for voices that take it; others get `say`'),
      }),
    )
    .max(200)
    .default([])
    .describe('words that are said otherwise than they are written; transcripts keep the word'),
  fallbacks: z.array(voiceFallback).max(3).default([]).describe('tried in order when the voice fails'),
  by_language: z
    .array(languageVoice)
    .max(10)
    .default([])
    .describe(
      'voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice',
    ),
});

const transcriberFallback = z.object({
  provider: z.enum(TRANSCRIBER_PROVIDERS).default(TRANSCRIBERS[0].name).describe('whose transcriber'),
  model: modelName(40),
  language: z.string().min(1).max(20).default('hi').describe('language the caller speaks'),
});

const transcriber = z.object({
  provider: z.enum(TRANSCRIBER_PROVIDERS).default(TRANSCRIBERS[0].name).describe('whose transcriber'),
  model: modelName(200),
  turn_detection: z
    .enum(['responsive', 'balanced', 'patient'])
    .default('balanced')
    .describe(
      'how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms',
    ),
  language: z.string().max(20).default('hi').describe("the caller's language, for a provider that needs to be told"),
  endpointing_ms: z
    .int()
    .min(10)
    .max(3000)
    .default(300)
    .describe(
      'silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself',
    ),
  keyterms: z.array(z.string().min(1).max(200)).max(100).default([]).describe('words the recogniser should expect'),
  fallbacks: z.array(transcriberFallback).max(2).default([]).describe('tried in order when the transcriber fails'),
});

const transferTarget = z.object({
  name: z.string().min(1).max(60).describe('what the agent calls this person or team'),
  number: z.string().regex(E164_PATTERN).describe('E.164'),
  description: text(300).describe('when to transfer here'),
});

/** An extension of the specification: another agent of the workspace that may go on with the call. */
const handoff = z.object({
  agent_id: z.string().min(1).max(64).describe('an agent of the workspace'),
  name: z.string().min(1).max(60).describe('what this agent calls it'),
  description: text(300).describe('when to hand the call to it'),
  history_turns: z
    .int()
    .min(0)
    .max(100)
    .nullable()
    .default(null)
    .describe('how many of the last turns the other agent knows; null: all of them'),
  first_message: text(500).describe(
    'what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in',
  ),
});

const AMBIENT_SOUND = /^$|^(office|call_centre|cafe|street)$|^upload:[a-f0-9]{32}$/;

const call = z.object({
  max_duration_seconds: z.int().min(30).max(3600).default(600).describe('the call ends after this long'),
  hangup_after_silence_seconds: z
    .int()
    .min(5)
    .max(120)
    .default(15)
    .describe('the call ends when nobody speaks for so long'),
  follow_language: z
    .boolean()
    .default(false)
    .describe('where the caller changes to another language that the service knows, the conversation goes on in it'),
  allow_interruptions: z.boolean().default(true).describe('the caller can talk over the agent, which stops speaking'),
  interruption_min_words: z.int().min(1).max(10).default(2).describe('words of the caller that stop the agent'),
  calling_hours: z.boolean().default(false).describe('outbound calls start only inside the hours below'),
  call_start_hour: z.int().min(0).max(23).default(9).describe('in `timezone`'),
  call_end_hour: z.int().min(1).max(24).default(21).describe('calls start before this hour'),
  timezone: z
    .string()
    .refine(isTimeZone, 'Input should be an IANA time zone such as Asia/Kolkata')
    .default('Asia/Kolkata')
    .describe('IANA zone of the calling hours'),
  record: z.boolean().default(true).describe('keep a stereo recording'),
  filler_after_ms: z
    .int()
    .min(0)
    .max(10_000)
    .default(0)
    .describe('the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence'),
  filler_phrases: z
    .array(z.string().trim().min(1).max(100))
    .max(10)
    .default([])
    .describe("what it says then, in turn; empty: phrases of the voice's language"),
  hangup_message: text(2000).describe('said before the agent hangs up when the conversation is over'),
  hangup_on_prompt: z
    .boolean()
    .default(false)
    .describe('after each reply, ask the model whether the conversation is over'),
  hangup_prompt: text(4000).describe('the question; must be answerable with Yes or No'),
  hangup_interruptible: z.boolean().default(false).describe('the caller can still talk over the last message'),
  check_user_online: z.boolean().default(false).describe('ask a quiet caller once whether they are still there'),
  user_online_message: z.string().max(2000).default('Are you still there?').describe('what a quiet caller is asked'),
  user_online_after_seconds: z.int().min(3).max(60).default(9).describe('silence before the question'),
  ambient_sound: z.string().max(80).regex(AMBIENT_SOUND).default('').describe('background sound; empty for none'),
  ambient_volume: z.int().min(0).max(100).default(30).describe('percent'),
  noise_cancellation: z.boolean().default(false).describe("take noise out of the caller's sound"),
  noise_cancellation_strength: z.int().min(0).max(100).default(50).describe('percent'),
  voicemail_detection: z.boolean().default(false).describe('end the call when a machine answers'),
  voicemail_detection_seconds: z.int().min(2).max(10).default(5).describe('how long is listened for a machine'),
  voicemail_message: text(1000).describe('left on the machine; empty: nothing is left'),
  caller_verification_call_reason: text(200).describe("shown on the called person's telephone"),
  dtmf_input: z.boolean().default(false).describe('take keys the caller presses'),
  dtmf_wait_seconds: z.number().min(0.5).max(10).default(2.5).describe('pause after the last key that ends the input'),
  auto_reschedule: z
    .boolean()
    .default(false)
    .describe('book a call back when the caller asks for one, during the call or by a check after it'),
  reschedule_max_days: z.int().min(1).max(30).default(7).describe('call backs are booked at most so far ahead'),
  transfer_enabled: z.boolean().default(false).describe('the agent may hand the call to a person'),
  transfer_targets: z.array(transferTarget).max(5).default([]).describe('whom it may hand the call to'),
  handoffs: z.array(handoff).max(5).default([]).describe('other agents that it may let go on with the call'),
  transfer_message: text(300).describe('said before the transfer'),
  transfer_summary: z.boolean().default(true).describe('the person hears a summary first'),
  hold_music: z.boolean().default(true).describe('music while a transfer rings, in place of the background'),
  recording_notice: text(500).describe(
    'said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in',
  ),
  recording_pause: z
    .boolean()
    .default(false)
    .describe('the agent may pause the recording, by the tools pause_recording and resume_recording'),
  recording_pause_seconds: z
    .int()
    .min(10)
    .max(900)
    .default(120)
    .describe('a pause of the recording, also one by the API, ends by itself after this long'),
  redact_cards: z
    .boolean()
    .default(false)
    .describe(
      'card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording',
    ),
  redact_identity_numbers: z
    .boolean()
    .default(false)
    .describe(
      'Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording',
    ),
});

const extraction = z.object({
  key: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/)
    .describe('its name in `extracted`'),
  label: text(80).describe('display name'),
  type: z
    .enum(['text', 'number', 'boolean', 'choice', 'date', 'list'])
    .default('text')
    .describe('what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said'),
  description: text(600).describe('what to look for in the call'),
  choices: z
    .array(
      z.object({
        value: z.string().min(1).max(60).describe('as it is saved'),
        when: text(300).describe('when this is the one'),
      }),
    )
    .max(20)
    .default([])
    .describe('of a `choice`'),
});

const analytics = z.object({
  summarize: z.boolean().default(false).describe('write a summary of the call'),
  extractions: z.array(extraction).max(50).default([]).describe('what to find out from the call'),
  extraction_prompt: text(4000).describe('its result is saved as JSON in `extracted`'),
});

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const HEADER_VALUE = /^[\t -~\u0080-\u00ff]*$/;

/** The tool built into every agent; events contain its name. */
export const END_CALL_TOOL = 'end_call';

const toolAddress = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .describe('called by the service; no private addresses');
const toolHeaders = z
  .record(z.string().regex(HEADER_NAME), z.string().max(4000).regex(HEADER_VALUE))
  .default({})
  .describe('values are shown as `***` to callers who may not edit agents');
const toolTimeout = z.number().min(1).max(30).default(8).describe('the request is abandoned after this long');

/** One of `tools[]`: an HTTP tool the model can call. */
export const agentToolSchema = z.object({
  name: z
    .string()
    .regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/)
    .describe('what the model and the timeline call it'),
  description: z.string().min(3).max(1000).describe('when the model should use it'),
  parameters: z.record(z.string(), z.unknown()).default({}).describe('JSON Schema of the arguments'),
  kind: z
    .enum(['http', 'client'])
    .default('http')
    .describe(
      'client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it',
    ),
  method: z.enum(['GET', 'POST']).default('POST').describe('GET sends the arguments as query parameters, POST as JSON'),
  url: z
    .string()
    .max(2000)
    .superRefine((address, context) => {
      if (address === '' || toolAddress.safeParse(address).success) return;
      context.addIssue({ code: 'custom', message: 'Input should be a valid URL', params: { type: 'url_parsing' } });
    })
    .default('')
    .describe('called by the service; no private addresses; needed by an HTTP tool'),
  headers: toolHeaders,
  pre_call_message: text(1000).describe('said while the request runs'),
  timeout_seconds: toolTimeout,
  results: z
    .object({
      path: text(200)
        .refine(isJsonPath, JSON_PATH_RULE)
        .describe('where in the JSON what the model gets is; empty: all'),
      variables: z
        .record(z.string().regex(VARIABLE_NAME), z.string().min(1).max(200).refine(isJsonPath, JSON_PATH_RULE))
        .refine((variables) => Object.keys(variables).length <= 20, 'at most 20 variables')
        .default({})
        .describe('variables of the call that take a value of the JSON: name to path, like `order.items[0].price`'),
      message: text(1000).describe(
        'said after a success, in place of an answer of the model; `{variables}` are filled in',
      ),
    })
    .prefault({})
    .describe('what becomes of a JSON response of status 2xx'),
});

/** One of `mcp_servers[]`: a server whose tools the model can call (modelcontextprotocol.io, "Streamable HTTP"). */
export const mcpServerSchema = z.object({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,19}$/)
    .describe('precedes the name of a tool where another tool has that name'),
  url: toolAddress,
  headers: toolHeaders,
  tools: z
    .array(z.string().min(1).max(128))
    .max(64)
    .default([])
    .describe("names of the server's tools that the model may call; empty: all of them"),
  timeout_seconds: toolTimeout,
});

/** The writable fields of an agent, in the order of the specification. */
export const agentFields = z.object({
  name: z.string().min(1).max(120).describe('for display; 1 to 120 characters'),
  welcome_message: text(2000).describe('said first; `{variables}` are filled in'),
  system_prompt: text(60_000).describe('instructions of the language model; `{variables}` are filled in'),
  llm: llm.prefault({}).describe('language model'),
  voice: voice.prefault({}).describe('text to speech'),
  transcriber: transcriber.prefault({}).describe('speech to text'),
  call: call.prefault({}).describe('call behaviour'),
  analytics: analytics.prefault({}).describe('run once the call ends'),
  tools: z
    .array(agentToolSchema)
    .max(50)
    .default([])
    .describe('HTTP tools, and tools of the page, that the model can call'),
  mcp_servers: z
    .array(mcpServerSchema)
    .max(5)
    .default([])
    .describe('servers of the Model Context Protocol whose tools the model can call'),
  knowledge_base_ids: z.array(z.string().max(64)).max(10).default([]).describe('what the agent may look into'),
  knowledge_mode: z
    .enum(['auto', 'search'])
    .default('auto')
    .describe('auto: small bases stand in the prompt as a whole'),
  webhook_url: text(500).describe("https; receives the lifecycle events of this agent's calls"),
  status: z.enum(['active', 'paused']).default('active').describe('a paused agent takes and places no calls'),
  avatar: z
    .union([z.int(), z.string().max(500)])
    .nullable()
    .default(null)
    .describe('number of a drawing, or address of a picture; null: none'),
});

type AgentFields = z.output<typeof agentFields>;

export const agentConfigSchema = agentFields.superRefine(checkRules).transform((agent) => withDefaultModels(agent));

export const agentDraftSchema = agentFields
  .extend({ name: text(120).describe('may be left out') })
  .superRefine(checkRules)
  .transform((agent) => withDefaultModels(agent));

function checkRules(agent: AgentFields, context: z.RefinementCtx): void {
  const broken = (message: string, ...path: (string | number)[]) => context.addIssue({ code: 'custom', message, path });
  if (agent.call.call_start_hour >= agent.call.call_end_hour) {
    broken('call_start_hour must be before call_end_hour', 'call', 'call_start_hour');
  }
  if (agent.call.transfer_enabled && agent.call.transfer_targets.length === 0) {
    broken('transfer_enabled needs at least one transfer target', 'call', 'transfer_targets');
  }
  if (agent.call.hangup_on_prompt && agent.call.hangup_prompt.trim() === '') {
    broken('hangup_on_prompt needs a hangup_prompt', 'call', 'hangup_prompt');
  }
  checkRealtime(agent.llm, (message, ...path) => broken(message, 'llm', ...path));
  const languages = new Set<string>();
  for (const [index, { language }] of agent.voice.by_language.entries()) {
    const code = baseCode(language);
    if (languages.has(code)) broken(`two voices for the language ${code}`, 'voice', 'by_language', index, 'language');
    languages.add(code);
  }
  const words = new Set<string>();
  for (const [index, { word, say, ipa }] of agent.voice.pronunciations.entries()) {
    if (say === '' && ipa === '') broken('needs `say` or `ipa`', 'voice', 'pronunciations', index, 'say');
    if (words.has(word)) broken(`two pronunciations of ${word}`, 'voice', 'pronunciations', index, 'word');
    words.add(word);
  }
  if (agent.call.filler_after_ms > 0 && agent.call.filler_after_ms < 300) {
    broken('filler_after_ms must be 0, or at least 300', 'call', 'filler_after_ms');
  }
  const agents = new Set<string>();
  for (const [index, { name }] of agent.call.handoffs.entries()) {
    if (agents.has(name)) broken(`two handoffs are named ${name}`, 'call', 'handoffs', index, 'name');
    agents.add(name);
  }
  if (agents.size > 0 && realtimeManifest(agent.llm)) {
    broken('an agent whose model hears and speaks itself cannot hand the call to another one', 'call', 'handoffs');
  }
  const names = new Set<string>();
  for (const [index, { name, kind, url }] of agent.tools.entries()) {
    const builtIn =
      name === END_CALL_TOOL ||
      (name === TRANSFER_TOOL && agent.call.transfer_enabled) ||
      (name === HANDOFF_TOOL && agent.call.handoffs.length > 0) ||
      (name === RESCHEDULE_TOOL && agent.call.auto_reschedule) ||
      (isRecordingTool(name) && agent.call.recording_pause);
    if (builtIn) broken(`the tool ${name} is built in`, 'tools', index, 'name');
    if (kind === 'http' && url === '') broken('an HTTP tool needs a url', 'tools', index, 'url');
    if (names.has(name)) broken(`two tools are named ${name}`, 'tools', index, 'name');
    names.add(name);
  }
  const servers = new Set<string>();
  for (const [index, { name }] of agent.mcp_servers.entries()) {
    if (servers.has(name)) broken(`two MCP servers are named ${name}`, 'mcp_servers', index, 'name');
    servers.add(name);
  }
  const { webhook_url } = agent;
  if (webhook_url !== '' && !URL.canParse(webhook_url)) {
    const params = { type: 'url_parsing' };
    context.addIssue({ code: 'custom', message: 'Input should be a valid URL', path: ['webhook_url'], params });
  } else if (webhook_url !== '') {
    const { protocol, hostname } = new URL(webhook_url);
    if (protocol !== 'https:' || !mayBePublicHost(hostname)) {
      broken('the url must be https on the public internet', 'webhook_url');
    }
  }
}

function checkRealtime(
  { provider, model, realtime: given }: AgentFields['llm'],
  broken: (message: string, ...path: string[]) => void,
): void {
  if (!given) return;
  const manifest = realtimeManifest({ provider, model });
  if (!manifest) {
    const known = REALTIME_MODELS.map(({ defaultModel }) => defaultModel).join(' or ');
    broken(
      `these are settings of a speech-to-speech model such as ${known}, and ${model || 'the default'} is none`,
      'realtime',
    );
    return;
  }
  const { label, voices } = manifest;
  if (given.output === 'text' && !manifest.capabilities.textOutput) {
    broken(`${label} answers in audio only`, 'realtime', 'output');
  }
  if (given.turn_detection === 'model' && !manifest.capabilities.turnDetection) {
    broken(`${label} leaves the caller's turns to the service`, 'realtime', 'turn_detection');
  }
  if (given.voice !== '' && !voices.includes(given.voice)) {
    broken(`${label} has no voice ${given.voice}; it has ${voices.join(', ')}`, 'realtime', 'voice');
  }
  if (realtimeManifest({ provider: given.text_provider ?? provider, model: given.text_model })) {
    broken('this has to be a model that writes text', 'realtime', 'text_model');
  }
}

/** A whole configuration with all defaults and models filled in. */
export type AgentConfig = z.output<typeof agentConfigSchema>;
/** A configuration as a client sends it: everything but the name is optional. */
export type AgentInput = z.input<typeof agentConfigSchema>;
export type AgentTool = AgentConfig['tools'][number];
export type McpServer = AgentConfig['mcp_servers'][number];
/** How soon the agent takes a pause for the end of a turn. */
export type TurnDetection = AgentConfig['transcriber']['turn_detection'];
export type VoiceFallback = AgentConfig['voice']['fallbacks'][number];
export type TranscriberFallback = AgentConfig['transcriber']['fallbacks'][number];

const TRANSCRIBER_DEFAULTS = new Set(Object.values(DEFAULT_TRANSCRIBER_MODEL));

function withDefaultModels(agent: AgentFields) {
  const { llm, voice, transcriber } = agent;
  return {
    ...agent,
    llm: withRealtime({ ...llm, model: llm.model || DEFAULT_LLM_MODEL[llm.provider] }),
    voice: {
      ...voice,
      model: voice.model || DEFAULT_SYNTHESIZER_MODEL[voice.provider],
      fallbacks: voice.fallbacks.map((each) => ({
        ...each,
        model: each.model ?? DEFAULT_SYNTHESIZER_MODEL[each.provider],
        language: each.language || voice.language,
      })),
      by_language: voice.by_language.map((each) => ({
        ...each,
        model: each.model ?? DEFAULT_SYNTHESIZER_MODEL[each.provider],
      })),
    },
    transcriber: {
      ...transcriber,
      model: modelFor(transcriber),
      fallbacks: transcriber.fallbacks.map((each) => ({ ...each, model: modelFor(each) })),
    },
  };
}

/** Of a speech-to-speech model, with all defaults filled in. */
export type RealtimeSettings = Required<z.output<typeof realtime>>;

/** A speech-to-speech model has all of its settings; no other model has any. */
function withRealtime({ realtime: given, ...llm }: AgentFields['llm']): Omit<AgentFields['llm'], 'realtime'> & {
  realtime?: RealtimeSettings;
} {
  const manifest = realtimeManifest(llm);
  if (!manifest) return llm;
  const settings = given ?? realtime.parse({});
  const text_provider = settings.text_provider ?? llm.provider;
  const text_model = settings.text_model || DEFAULT_LLM_MODEL[text_provider];
  const voice = settings.voice || manifest.voices[0]!;
  return { ...llm, realtime: { ...settings, voice, text_provider, text_model } };
}

/** The model that writes: the agent's own, or the one beside its speech-to-speech model. */
export function textModelOf(llm: { provider: LlmProvider; model: string; realtime?: RealtimeSettings }): {
  provider: LlmProvider;
  model: string;
} {
  const { provider, model } = llm;
  if (!llm.realtime) return { provider, model };
  return { provider: llm.realtime.text_provider, model: llm.realtime.text_model };
}

/** The default model of another provider is left over from before the provider was changed. */
function modelFor({ provider, model }: Pick<AgentFields['transcriber'], 'provider' | 'model'>): string {
  const own = DEFAULT_TRANSCRIBER_MODEL[provider];
  return model === '' || (model !== own && TRANSCRIBER_DEFAULTS.has(model)) ? own : model;
}
