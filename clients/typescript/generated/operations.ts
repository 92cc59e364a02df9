/** Written by `make docs` from /openapi.json. Do not edit. */

export type SignupInput = {
  /** of the person */
  name: string;
  /** what one will sign in with */
  email: string;
  /** only a hash of it is stored */
  password: string;
  /** default `<name>'s workspace` */
  workspace_name?: string;
  /** IANA name */
  timezone?: string;
};

export type LoginInput = {
  /** upper and lower case are the same */
  email: string;
  /** as it was chosen */
  password: string;
};

export type TwoFactorLoginInput = {
  /** from the first step */
  login_token: string;
  /** six digits, or a recovery code */
  code: string;
};

export type Error = {
  detail: string;
};

export type Forbidden = {
  detail: string;
  /** `workspace_inactive`, `confirmation_required`, `email_unverified`, or absent */
  code?: string;
};

export type ValidationError = {
  detail: Array<{
    type: string;
    loc: Array<string | number>;
    msg: string;
    input: unknown;
  }>;
};

export type InternalError = {
  detail: string;
  /** the same as the header `X-Request-ID` */
  request_id?: string;
};

export type WorkspaceOfUser = {
  /** 32 hex characters */
  id: string;
  /** for display */
  name: string;
  /** what one may do there */
  role: "owner" | "admin" | "developer" | "viewer";
  /** only an active one may place calls */
  state: "onboarding" | "active" | "suspended" | "closed";
};

export type SignedInUser = {
  /** 32 hex characters */
  id: string;
  /** 1 to 80 characters */
  name: string;
  /** what one signs in with */
  email: string;
  /** sign-in takes two steps */
  two_factor: boolean;
};

export type AuthResult = {
  /** who signed in */
  user: SignedInUser;
  /** the one a session acts in unless another is chosen comes first */
  workspaces: Array<WorkspaceOfUser>;
  /** only when the request has no `Origin`: browsers get a cookie */
  token?: string;
  /** 30 days after the last use, 90 days after signing in at the latest */
  expires_at: string;
};

export type Passkey = {
  /** 32 hex characters */
  id: string;
  /** 1 to 80 characters */
  name: string;
  /** it is on more than one of the user's devices */
  synced: boolean;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** null: never */
  last_used_at: string | null;
};

export type PasskeySetup = {
  /** for `navigator.credentials.create`, as JSON of Web Authentication level 3 */
  options: Record<string, unknown>;
  /** of the challenge, which is used once */
  expires_at: string;
};

export type PasskeyChallenge = {
  /** for `navigator.credentials.get`, as JSON of Web Authentication level 3 */
  options: Record<string, unknown>;
  /** of the challenge, which is used once */
  expires_at: string;
};

export type Account = {
  /** 32 hex characters */
  id: string;
  /** 1 to 80 characters */
  name: string;
  /** what one signs in with */
  email: string;
  /** waits for its link to be followed; empty when none does */
  pending_email: string;
  /** the link in the email was followed */
  email_verified: boolean;
  /** sign-in takes two steps */
  two_factor: boolean;
  /** the second step may be a code of an authenticator app */
  authenticator: boolean;
  /** of ten */
  recovery_codes_left: number;
  /** IANA name */
  timezone: string;
  /** number of a drawing, or address of a picture; null: none */
  avatar: number | string | null;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** those one is a member of */
  workspaces: Array<WorkspaceOfUser>;
};

export type Session = {
  /** 32 hex characters */
  id: string;
  /** the one this request is made with */
  current: boolean;
  /** browser and system */
  client: string;
  /** where the client was last seen, an IP address */
  address: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** ISO 8601 with the offset of the zone asked for */
  last_seen_at: string;
  /** ISO 8601 with the offset of the zone asked for */
  expires_at: string;
};

export type TwoFactorRequired = {
  /** distinguishes this response from a completed sign-in */
  two_factor_required: true;
  /** for the second step: 10 minutes, 5 tries */
  login_token: string;
  /** ISO 8601 with the offset of the zone asked for */
  expires_at: string;
  /** what the second step may be made with; left out where the user has no passkey: a code */
  methods?: Array<"passkey" | "authenticator" | "recovery_code">;
};

export type Me = {
  /** what the request was made with */
  credential: "session" | "api_key" | "oauth_app";
  /** null for a key */
  user: SignedInUser | null;
  /** null unless the credential is a key */
  key: {
    /** 32 hex characters */
    id: string;
    /** its label */
    name: string;
    /** its first 12 characters */
    prefix: string;
    /** what it may do; null: all that keys may */
    scopes: Array<string> | null;
  } | null;
  /** the one that is acted in; null when none is open */
  workspace: {
    /** 32 hex characters */
    id: string;
    /** 1 to 120 characters */
    name: string;
    /** only an active one may place calls */
    state: "onboarding" | "active" | "suspended" | "closed";
    /** what credits and prices are counted in */
    currency: "INR" | "USD";
    /** IANA name */
    timezone: string;
  } | null;
  /** a key shows developer */
  role: "owner" | "admin" | "developer" | "viewer" | null;
  /** what this credential may do here */
  permissions: Array<"agents.view" | "calls.view" | "logs.view" | "members.view" | "agents.edit" | "calls.place" | "keys.manage" | "billing.view" | "numbers.manage" | "members.manage" | "billing.manage" | "kyc.manage">;
  /** for a key only its own */
  workspaces: Array<WorkspaceOfUser>;
};

export type CallSummary = {
  /** the id of the call */
  id: string;
  agent_id: string | null;
  /** as when the call was placed */
  agent_name: string;
  /** the agent's version the call was placed with */
  agent_version: number;
  batch_id: string | null;
  /** who called whom: `outbound` is placed by the service */
  direction: "outbound" | "inbound";
  /** `web`: from a browser, or over a client's stream */
  channel: "phone" | "web";
  /** moves forward only; live while `ringing` or `in-progress`; `ended` until analytics and transfers are over */
  status: "queued" | "ringing" | "in-progress" | "ended" | "completed" | "no-answer" | "busy" | "canceled" | "failed";
  /** E.164; empty where `channel` is `web` */
  from_number: string;
  /** E.164; empty where `channel` is `web` */
  to_number: string;
  /** values of the variables in welcome message and prompt */
  user_data: Record<string, unknown>;
  /** only while queued, 1 is next; 1001: a thousand or more are before it */
  queue_position: number | null;
  /** a person, the label of a key, `batch <name>`, or empty for inbound calls */
  started_by: string;
  /** the carrier; `stream` for a call over a client's stream, empty for browser calls */
  provider: string;
  /** when the call was placed or came in */
  created_at: string;
  not_before_at: string | null;
  placed_at: string | null;
  started_at: string | null;
  ended_at: string | null;
  completed_at: string | null;
  /** live time, rounded up; 0 before the end */
  duration_seconds: number;
  /** who ended it: `caller` (the person at the other end), `agent` (it said goodbye, heard nothing, met an answering machine, or transferred the call), `member` (somebody of the workspace, or a key or an app of it), `carrier` (it could not connect or carry the call, also busy and no-answer), `service` (a limit, credits, or a failure of its own); null while live */
  hangup_by: "caller" | "agent" | "member" | "carrier" | "service" | null;
  /** why it ended, one of a closed list; empty while live */
  hangup_reason: string;
  /** null when not known */
  answered_by: "human" | "machine" | null;
  /** of the post-call analytics; empty until analysed or when off */
  summary: string;
  /** a recording can be fetched */
  recorded: boolean;
  /** from the caller's last word to the agent's first audio, on average; null without a turn */
  avg_first_audio_ms: number | null;
  /** the last transfer to a person; null when there was none */
  transfer: {
    /** of the target */
    name: string;
    /** of the target, E.164 */
    number: string;
    /** why, as the agent gave it */
    reason: string;
    /** `ringing`, or its outcome */
    status: string;
    /** when the transfer began */
    at: string;
  } | null;
  rescheduled_from: string | null;
  rescheduled_to: string | null;
  /** what was charged for it, in the smallest unit of `currency` */
  cost_paise: number;
  /** seconds paid from the plan's included minutes */
  plan_seconds_covered: number;
  /** what its post-call analytics cost, charged apart */
  analysis_cost_paise: number;
  /** `INR` or `USD` */
  currency: string;
};

export type Call = {
  /** the id of the call */
  id: string;
  agent_id: string | null;
  /** as when the call was placed */
  agent_name: string;
  /** the agent's version the call was placed with */
  agent_version: number;
  batch_id: string | null;
  /** who called whom: `outbound` is placed by the service */
  direction: "outbound" | "inbound";
  /** `web`: from a browser, or over a client's stream */
  channel: "phone" | "web";
  /** moves forward only; live while `ringing` or `in-progress`; `ended` until analytics and transfers are over */
  status: "queued" | "ringing" | "in-progress" | "ended" | "completed" | "no-answer" | "busy" | "canceled" | "failed";
  /** E.164; empty where `channel` is `web` */
  from_number: string;
  /** E.164; empty where `channel` is `web` */
  to_number: string;
  /** values of the variables in welcome message and prompt */
  user_data: Record<string, unknown>;
  /** only while queued, 1 is next; 1001: a thousand or more are before it */
  queue_position: number | null;
  /** a person, the label of a key, `batch <name>`, or empty for inbound calls */
  started_by: string;
  /** the carrier; `stream` for a call over a client's stream, empty for browser calls */
  provider: string;
  /** when the call was placed or came in */
  created_at: string;
  not_before_at: string | null;
  placed_at: string | null;
  started_at: string | null;
  ended_at: string | null;
  completed_at: string | null;
  /** live time, rounded up; 0 before the end */
  duration_seconds: number;
  /** who ended it: `caller` (the person at the other end), `agent` (it said goodbye, heard nothing, met an answering machine, or transferred the call), `member` (somebody of the workspace, or a key or an app of it), `carrier` (it could not connect or carry the call, also busy and no-answer), `service` (a limit, credits, or a failure of its own); null while live */
  hangup_by: "caller" | "agent" | "member" | "carrier" | "service" | null;
  /** why it ended, one of a closed list; empty while live */
  hangup_reason: string;
  /** null when not known */
  answered_by: "human" | "machine" | null;
  /** of the post-call analytics; empty until analysed or when off */
  summary: string;
  /** a recording can be fetched */
  recorded: boolean;
  /** from the caller's last word to the agent's first audio, on average; null without a turn */
  avg_first_audio_ms: number | null;
  /** the last transfer to a person; null when there was none */
  transfer: {
    /** of the target */
    name: string;
    /** of the target, E.164 */
    number: string;
    /** why, as the agent gave it */
    reason: string;
    /** `ringing`, or its outcome */
    status: string;
    /** when the transfer began */
    at: string;
  } | null;
  rescheduled_from: string | null;
  rescheduled_to: string | null;
  /** what was charged for it, in the smallest unit of `currency` */
  cost_paise: number;
  /** seconds paid from the plan's included minutes */
  plan_seconds_covered: number;
  /** what its post-call analytics cost, charged apart */
  analysis_cost_paise: number;
  /** `INR` or `USD` */
  currency: string;
  /** what was said, in order */
  transcript: Array<{
    /** `user` is the caller, `human_agent` a person who spoke to the caller in a live call */
    role: "user" | "agent" | "human_agent";
    /** what was said; of the agent, what was played */
    text: string;
    /** when it was said: of the agent when it began, of people when it was over */
    at: string;
    /** the caller spoke over the rest of it */
    interrupted: boolean;
    /** the same in milliseconds from the answer, where the recording begins; null when it was never answered */
    offset_ms: number | null;
  }>;
  /** of the post-call analytics: one entry per extraction key, and the keys of the extraction prompt */
  extracted: Record<string, unknown>;
  /** what the call consumed; null when never connected */
  usage: {
    /** of the caller, and of people who spoke to them, that was transcribed */
    stt_seconds: number;
    /** of the agent that were played */
    tts_characters: number;
    /** read by the language model */
    llm_input_tokens: number;
    /** written by the language model */
    llm_output_tokens: number;
    /** requests to the language model */
    llm_calls: number;
  } | null;
  /** how `cost_paise` came about; empty until charged */
  cost_breakdown: {
    /** amounts by component */
    components?: {
      /** of this component */
      transcriber: number;
      /** of this component */
      llm: number;
      /** of this component */
      voice: number;
      /** of this component */
      telephony: number;
      /** of this component */
      platform: number;
    };
    /** what was used, by provider and model */
    lines?: Array<{
      /** what it is a part of */
      component: "transcriber" | "llm" | "voice" | "telephony" | "platform";
      /** that served it */
      provider: string;
      /** that served it; `transfer` and `transfer-caller` for the legs of a transfer */
      model: string;
      /** of `unit` */
      quantity: number;
      /** what the rate is for */
      unit: "minute" | "1k_characters" | "1m_input_tokens" | "1m_output_tokens" | "1m_text_input_tokens" | "1m_text_output_tokens" | "1m_audio_input_tokens" | "1m_audio_output_tokens" | "1m_cached_text_input_tokens" | "1m_cached_audio_input_tokens";
      /** per unit */
      rate_paise: number;
      /** quantity × rate */
      amount_paise: number;
    }>;
    /** the sum of the lines, rounded up */
    usage_paise?: number;
    /** the least that a minute costs, by the plan */
    floor_per_minute_paise?: number;
    /** the least that the call costs, without what the plan covers */
    floor_paise?: number;
    /** the floor was charged */
    floor_applied?: boolean;
    /** what was charged */
    total_paise?: number;
    /** live time, rounded up */
    duration_seconds?: number;
    /** which floor applies */
    channel?: "phone" | "web";
    /** what the plan covered */
    plan_minutes?: {
      /** included minutes that a minute of the call takes */
      multiplier: number;
      /** seconds taken from the plan's included minutes */
      allowance_seconds_used: number;
    };
    /** `failed`: the call is free because the service ended it by a failure */
    waived?: "failed" | null;
    /** the cost without the waiver */
    waived_paise?: number;
    /** the exchange rate that prices in rupees were converted at; null: the workspace pays in rupees */
    paise_per_dollar?: unknown;
  };
};

export type TimelineItem = {
  /** `evt_` and 32 hex characters; the same in webhooks */
  id: string;
  /** its position on the timeline, from 1 without a gap */
  seq: number;
  /** what happened */
  type: string;
  /** one line for a person; what was said, for events that carry speech */
  message: string;
  /** severity */
  level: "info" | "warning" | "error";
  /** for events that measure something */
  latency_ms: number | null;
  /** fields of this type of event */
  data: Record<string, unknown>;
  /** when it happened */
  created_at: string;
  /** the same in milliseconds from the answer, where the recording begins; null when it was never answered */
  offset_ms: number | null;
};

/** a scenario that is not saved */
export type TestScenarioDraft = {
  /** for display */
  name: string;
  /** who the caller is and what they want */
  persona: string;
  /** what the caller says first; empty: the caller waits */
  first_message: string;
  /** values of the variables in welcome message and prompt */
  user_data: Record<string, string | number | boolean>;
  /** what must be true of the conversation; the run passes when all are */
  criteria: Array<string>;
  /** the conversation ends after so many turns of the caller */
  max_turns: number;
  /** language the caller speaks, a tag such as `hi` or `en-IN`; empty: the agent's */
  language: string;
  /** tool name → text the model receives; a tool without an entry answers `ok`, and no request is sent. With an entry for `transfer_call` the caller comes back to the agent with this text */
  tool_results: Record<string, string>;
};

export type TestScenario = {
  /** 32 hex characters */
  id: string;
  /** the agent that is tested */
  agent_id: string;
  /** for display */
  name: string;
  /** who the caller is and what they want */
  persona: string;
  /** what the caller says first; empty: the caller waits */
  first_message: string;
  /** values of the variables in welcome message and prompt */
  user_data: Record<string, string | number | boolean>;
  /** what must be true of the conversation; the run passes when all are */
  criteria: Array<string>;
  /** the conversation ends after so many turns of the caller */
  max_turns: number;
  /** language the caller speaks, a tag such as `hi` or `en-IN`; empty: the agent's */
  language: string;
  /** tool name → text the model receives; a tool without an entry answers `ok`, and no request is sent. With an entry for `transfer_call` the caller comes back to the agent with this text */
  tool_results: Record<string, string>;
  /** the run that was queued last; null while there is none */
  last_run: {
    /** the id of the run */
    id: string;
    /** `passed`, `failed` and `error` are final */
    status: "queued" | "running" | "passed" | "failed" | "error";
    finished_at: string | null;
  } | null;
  /** a person or the label of a key */
  created_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** ISO 8601 with the offset of the zone asked for */
  updated_at: string;
};

export type TestRunVoice = {
  /** as it was asked for */
  background_noise: string;
  /** of the call */
  duration_seconds: number;
  /** median from the end of the caller's speech to the first audio of the reply, in milliseconds; null where there is none */
  first_audio_p50_ms: unknown;
  /** the same, 95th percentile, in milliseconds; null where there is none */
  first_audio_p95_ms: unknown;
  /** replies that the caller talked over */
  interruptions: number;
  /** replies that the agent broke off */
  replies_interrupted: number;
  /** median from the beginning of the caller's interruption to the agent's silence, in milliseconds; null where there is none */
  stopped_after_p50_ms: unknown;
  /** the same, the longest, in milliseconds; null where there is none */
  stopped_after_max_ms: unknown;
  /** for how long both spoke at once, interruptions included */
  talk_over_ms: number;
  /** audio given to the agent's transcriber */
  stt_seconds: number;
  /** synthesized for the agent and the caller */
  tts_characters: number;
};

export type TestRun = {
  /** 32 hex characters */
  id: string;
  /** the scenario, which may be removed since */
  scenario_id: string;
  /** the agent that is tested */
  agent_id: string;
  /** as when the run was queued */
  scenario_name: string;
  /** the agent's saved version that is tested */
  agent_version: number;
  /** `queued`, then `running`, then `passed`, `failed` or `error` */
  status: "queued" | "running" | "passed" | "failed" | "error";
  /** what was said and done, in order; empty before the end */
  transcript: Array<{
    /** `user` is the simulated caller */
    role: "user" | "agent";
    /** what was said */
    text: string;
    /** when it was said */
    at: string;
    /** the agent was talked over, and the text is what was played; always false in text */
    interrupted: boolean;
    /** of the caller, aloud: what the agent's transcriber wrote; empty where it wrote nothing */
    transcribed?: string;
  } | {
    /** a tool that the agent called */
    role: "tool";
    /** of the tool */
    name: string;
    /** as the model wrote them */
    args: Record<string, unknown>;
    /** what the model received; empty for `end_call` */
    result: string;
    /** when it was called */
    at: string;
  }>;
  /** as it was asked for */
  mode: "text" | "voice";
  /** what was measured aloud; null in text, before the end and after an error */
  voice: TestRunVoice | null;
  /** path of the recording, for a year: stereo WAV, caller left, agent right; null where there is none */
  recording_url: unknown;
  /** as the judge decided them; empty before the end and after an error */
  criteria: Array<{
    /** the criterion */
    text: string;
    /** whether it was met */
    passed: boolean;
    /** why, in one sentence */
    reason: string;
    /** words of the transcript that decide it; empty where none can */
    quote: string;
  }>;
  /** why there is no result; empty unless the status is `error` */
  error: string;
  /** what it took */
  usage: {
    /** of the agent, the caller and the judge together */
    llm_input_tokens: number;
    /** of the agent, the caller and the judge together */
    llm_output_tokens: number;
    /** requests to language models */
    llm_calls: number;
  };
  /** charged at the end; 0 after an error */
  cost_paise: number;
  /** the billing currency of the workspace */
  currency: "INR" | "USD";
  /** a person or the label of a key */
  started_by: string;
  /** when it was asked for */
  queued_at: string;
  started_at: string | null;
  finished_at: string | null;
};

export type KnowledgeBase = {
  /** 32 hex characters */
  id: string;
  /** 1 to 120 characters */
  name: string;
  /** at most 500 characters; may be empty */
  description: string;
  /** of its sources together */
  status: "empty" | "processing" | "ready" | "failed";
  /** texts, pages and files in it */
  source_count: number;
  /** of all sources, after processing */
  characters: number;
  /** small enough to be put whole into the prompt when knowledge_mode is `auto` */
  inline: boolean;
  /** agents that use it */
  agent_ids: Array<string>;
  /** a name */
  created_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** ISO 8601 with the offset of the zone asked for */
  updated_at: string;
};

export type KnowledgeSource = {
  /** 32 hex characters */
  id: string;
  /** how it came */
  kind: "file" | "url" | "text";
  /** file name, page title or given name */
  name: string;
  /** queued and processing become ready or failed */
  status: "queued" | "processing" | "ready" | "failed";
  /** why it failed */
  error: string;
  /** of a page; otherwise empty */
  url: string;
  /** as it was uploaded; otherwise empty */
  file_name: string;
  /** of what was given */
  size_bytes: number;
  /** after processing */
  characters: number;
  /** after processing */
  passages: number;
  /** a name */
  created_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** ISO 8601 with the offset of the zone asked for */
  updated_at: string;
};

export type KnowledgeBaseWithSources = {
  /** 32 hex characters */
  id: string;
  /** 1 to 120 characters */
  name: string;
  /** at most 500 characters; may be empty */
  description: string;
  /** of its sources together */
  status: "empty" | "processing" | "ready" | "failed";
  /** texts, pages and files in it */
  source_count: number;
  /** of all sources, after processing */
  characters: number;
  /** small enough to be put whole into the prompt when knowledge_mode is `auto` */
  inline: boolean;
  /** agents that use it */
  agent_ids: Array<string>;
  /** a name */
  created_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** ISO 8601 with the offset of the zone asked for */
  updated_at: string;
  /** newest first */
  sources: Array<KnowledgeSource>;
};

export type KnowledgeSearch = {
  /** best first */
  items: Array<{
    /** where the passage is from */
    source_id: string;
    /** as the source is called */
    source_name: string;
    /** the passage itself */
    text: string;
    /** 0 to 1 */
    score: number;
    /** holds words of the query */
    keyword_match: boolean;
  }>;
  /** 0 without a provider of embeddings */
  embed_ms: number;
  /** time the search took */
  search_ms: number;
};

export type AmbientSound = {
  /** as `call.ambient_sound` of an agent names it */
  id: string;
  /** for display */
  name: string;
  /** uploads belong to the workspace */
  kind: "builtin" | "upload";
  /** until it begins again */
  duration_seconds: number;
  /** of the WAV file */
  size_bytes: number;
  /** agents whose calls it plays in */
  used_by_agents: number;
  /** a name; empty for a built-in one */
  created_by: string;
  created_at: string | null;
};

export type Agent = {
  /** 32 hex characters */
  id: string;
  /** for display; 1 to 120 characters */
  name: string;
  /** said first; `{variables}` are filled in */
  welcome_message: string;
  /** instructions of the language model; `{variables}` are filled in */
  system_prompt: string;
  /** language model */
  llm: {
    /** whose language model */
    provider: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
    /** empty: the provider's default */
    model: string;
    /** higher is more varied */
    temperature: number;
    /** the longest reply in tokens */
    max_tokens: number;
    /** of a speech-to-speech model */
    realtime?: {
      /** the model's own voice; empty: the provider's default */
      voice: string;
      /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
      output: "audio" | "text";
      /** who decides that the caller's turn is over */
      turn_detection: "service" | "model";
      /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
      text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
      /** empty: the provider's default */
      text_model: string;
    };
  };
  /** text to speech */
  voice: {
    /** whose voice */
    provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
    /** empty: the provider's default */
    model: string;
    /** a voice from the voices list; empty: the provider's default */
    voice_id: string;
    /** display name */
    voice_name: string;
    /** language the agent speaks */
    language: string;
    /** 1 is normal */
    speed: number;
    /** words that are said otherwise than they are written; transcripts keep the word */
    pronunciations: Array<{
      /** as it is written, one word or several */
      word: string;
      /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
      say: string;
      /** the same in IPA, for voices that take it; others get `say` */
      ipa: string;
    }>;
    /** tried in order when the voice fails */
    fallbacks: Array<{
      /** whose voice */
      provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** left out: the provider's default */
      model?: string;
      /** a voice of the provider */
      voice_id: string;
      /** display name */
      voice_name: string;
      /** empty: the voice's language */
      language: string;
    }>;
    /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
    by_language: Array<{
      /** whose voice */
      provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** left out: the provider's default */
      model?: string;
      /** a voice of the provider; empty: the provider's default for the language */
      voice_id: string;
      /** display name */
      voice_name: string;
      /** ISO 639-1, with or without a region */
      language: string;
    }>;
  };
  /** speech to text */
  transcriber: {
    /** whose transcriber */
    provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
    /** empty: the provider's default */
    model: string;
    /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
    turn_detection: "responsive" | "balanced" | "patient";
    /** the caller's language, for a provider that needs to be told */
    language: string;
    /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
    endpointing_ms: number;
    /** words the recogniser should expect */
    keyterms: Array<string>;
    /** tried in order when the transcriber fails */
    fallbacks: Array<{
      /** whose transcriber */
      provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
      /** empty: the provider's default */
      model: string;
      /** language the caller speaks */
      language: string;
    }>;
  };
  /** call behaviour */
  call: {
    /** the call ends after this long */
    max_duration_seconds: number;
    /** the call ends when nobody speaks for so long */
    hangup_after_silence_seconds: number;
    /** where the caller changes to another language that the service knows, the conversation goes on in it */
    follow_language: boolean;
    /** the caller can talk over the agent, which stops speaking */
    allow_interruptions: boolean;
    /** words of the caller that stop the agent */
    interruption_min_words: number;
    /** outbound calls start only inside the hours below */
    calling_hours: boolean;
    /** in `timezone` */
    call_start_hour: number;
    /** calls start before this hour */
    call_end_hour: number;
    /** IANA zone of the calling hours */
    timezone: string;
    /** keep a stereo recording */
    record: boolean;
    /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
    filler_after_ms: number;
    /** what it says then, in turn; empty: phrases of the voice's language */
    filler_phrases: Array<string>;
    /** said before the agent hangs up when the conversation is over */
    hangup_message: string;
    /** after each reply, ask the model whether the conversation is over */
    hangup_on_prompt: boolean;
    /** the question; must be answerable with Yes or No */
    hangup_prompt: string;
    /** the caller can still talk over the last message */
    hangup_interruptible: boolean;
    /** ask a quiet caller once whether they are still there */
    check_user_online: boolean;
    /** what a quiet caller is asked */
    user_online_message: string;
    /** silence before the question */
    user_online_after_seconds: number;
    /** background sound; empty for none */
    ambient_sound: string;
    /** percent */
    ambient_volume: number;
    /** take noise out of the caller's sound */
    noise_cancellation: boolean;
    /** percent */
    noise_cancellation_strength: number;
    /** end the call when a machine answers */
    voicemail_detection: boolean;
    /** how long is listened for a machine */
    voicemail_detection_seconds: number;
    /** left on the machine; empty: nothing is left */
    voicemail_message: string;
    /** shown on the called person's telephone */
    caller_verification_call_reason: string;
    /** take keys the caller presses */
    dtmf_input: boolean;
    /** pause after the last key that ends the input */
    dtmf_wait_seconds: number;
    /** book a call back when the caller asks for one, during the call or by a check after it */
    auto_reschedule: boolean;
    /** call backs are booked at most so far ahead */
    reschedule_max_days: number;
    /** the agent may hand the call to a person */
    transfer_enabled: boolean;
    /** whom it may hand the call to */
    transfer_targets: Array<{
      /** what the agent calls this person or team */
      name: string;
      /** E.164 */
      number: string;
      /** when to transfer here */
      description: string;
    }>;
    /** other agents that it may let go on with the call */
    handoffs: Array<{
      /** an agent of the workspace */
      agent_id: string;
      /** what this agent calls it */
      name: string;
      /** when to hand the call to it */
      description: string;
      /** how many of the last turns the other agent knows; null: all of them */
      history_turns: number | null;
      /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
      first_message: string;
    }>;
    /** said before the transfer */
    transfer_message: string;
    /** the person hears a summary first */
    transfer_summary: boolean;
    /** music while a transfer rings, in place of the background */
    hold_music: boolean;
    /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
    recording_notice: string;
    /** the agent may pause the recording, by the tools pause_recording and resume_recording */
    recording_pause: boolean;
    /** a pause of the recording, also one by the API, ends by itself after this long */
    recording_pause_seconds: number;
    /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
    redact_cards: boolean;
    /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
    redact_identity_numbers: boolean;
  };
  /** run once the call ends */
  analytics: {
    /** write a summary of the call */
    summarize: boolean;
    /** what to find out from the call */
    extractions: Array<{
      /** its name in `extracted` */
      key: string;
      /** display name */
      label: string;
      /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
      type: "text" | "number" | "boolean" | "choice" | "date" | "list";
      /** what to look for in the call */
      description: string;
      /** of a `choice` */
      choices: Array<{
        /** as it is saved */
        value: string;
        /** when this is the one */
        when: string;
      }>;
    }>;
    /** its result is saved as JSON in `extracted` */
    extraction_prompt: string;
  };
  /** HTTP tools, and tools of the page, that the model can call */
  tools: Array<{
    /** what the model and the timeline call it */
    name: string;
    /** when the model should use it */
    description: string;
    /** JSON Schema of the arguments */
    parameters: Record<string, unknown>;
    /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
    kind: "http" | "client";
    /** GET sends the arguments as query parameters, POST as JSON */
    method: "GET" | "POST";
    /** called by the service; no private addresses; needed by an HTTP tool */
    url: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers: Record<string, string>;
    /** said while the request runs */
    pre_call_message: string;
    /** the request is abandoned after this long */
    timeout_seconds: number;
    /** what becomes of a JSON response of status 2xx */
    results: {
      /** where in the JSON what the model gets is; empty: all */
      path: string;
      /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
      variables: Record<string, string>;
      /** said after a success, in place of an answer of the model; `{variables}` are filled in */
      message: string;
    };
  }>;
  /** servers of the Model Context Protocol whose tools the model can call */
  mcp_servers: Array<{
    /** precedes the name of a tool where another tool has that name */
    name: string;
    /** called by the service; no private addresses */
    url: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers: Record<string, string>;
    /** names of the server's tools that the model may call; empty: all of them */
    tools: Array<string>;
    /** the request is abandoned after this long */
    timeout_seconds: number;
  }>;
  /** what the agent may look into */
  knowledge_base_ids: Array<string>;
  /** auto: small bases stand in the prompt as a whole */
  knowledge_mode: "auto" | "search";
  /** https; receives the lifecycle events of this agent's calls */
  webhook_url: string;
  /** a frozen agent takes and places no calls */
  status: "active" | "paused" | "frozen";
  /** number of a drawing, or address of a picture; null: none */
  avatar: number | string | null;
  /** number that answers for this agent */
  phone_number: string;
  /** increases with every saved change */
  version: number;
  /** who made the last change */
  updated_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** ISO 8601 with the offset of the zone asked for */
  updated_at: string;
  frozen_at: string | null;
  /** the rule that was broken; set when frozen */
  frozen_reason: string;
  /** the incident that froze it; empty otherwise */
  frozen_incident_id: string;
  /** the status before */
  frozen_from: string;
  /** every `{variable}` used by the welcome message and prompt, in order */
  variables: Array<string>;
};

export type SavedAgent = {
  /** 32 hex characters */
  id: string;
  /** for display; 1 to 120 characters */
  name: string;
  /** said first; `{variables}` are filled in */
  welcome_message: string;
  /** instructions of the language model; `{variables}` are filled in */
  system_prompt: string;
  /** language model */
  llm: {
    /** whose language model */
    provider: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
    /** empty: the provider's default */
    model: string;
    /** higher is more varied */
    temperature: number;
    /** the longest reply in tokens */
    max_tokens: number;
    /** of a speech-to-speech model */
    realtime?: {
      /** the model's own voice; empty: the provider's default */
      voice: string;
      /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
      output: "audio" | "text";
      /** who decides that the caller's turn is over */
      turn_detection: "service" | "model";
      /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
      text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
      /** empty: the provider's default */
      text_model: string;
    };
  };
  /** text to speech */
  voice: {
    /** whose voice */
    provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
    /** empty: the provider's default */
    model: string;
    /** a voice from the voices list; empty: the provider's default */
    voice_id: string;
    /** display name */
    voice_name: string;
    /** language the agent speaks */
    language: string;
    /** 1 is normal */
    speed: number;
    /** words that are said otherwise than they are written; transcripts keep the word */
    pronunciations: Array<{
      /** as it is written, one word or several */
      word: string;
      /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
      say: string;
      /** the same in IPA, for voices that take it; others get `say` */
      ipa: string;
    }>;
    /** tried in order when the voice fails */
    fallbacks: Array<{
      /** whose voice */
      provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** left out: the provider's default */
      model?: string;
      /** a voice of the provider */
      voice_id: string;
      /** display name */
      voice_name: string;
      /** empty: the voice's language */
      language: string;
    }>;
    /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
    by_language: Array<{
      /** whose voice */
      provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** left out: the provider's default */
      model?: string;
      /** a voice of the provider; empty: the provider's default for the language */
      voice_id: string;
      /** display name */
      voice_name: string;
      /** ISO 639-1, with or without a region */
      language: string;
    }>;
  };
  /** speech to text */
  transcriber: {
    /** whose transcriber */
    provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
    /** empty: the provider's default */
    model: string;
    /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
    turn_detection: "responsive" | "balanced" | "patient";
    /** the caller's language, for a provider that needs to be told */
    language: string;
    /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
    endpointing_ms: number;
    /** words the recogniser should expect */
    keyterms: Array<string>;
    /** tried in order when the transcriber fails */
    fallbacks: Array<{
      /** whose transcriber */
      provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
      /** empty: the provider's default */
      model: string;
      /** language the caller speaks */
      language: string;
    }>;
  };
  /** call behaviour */
  call: {
    /** the call ends after this long */
    max_duration_seconds: number;
    /** the call ends when nobody speaks for so long */
    hangup_after_silence_seconds: number;
    /** where the caller changes to another language that the service knows, the conversation goes on in it */
    follow_language: boolean;
    /** the caller can talk over the agent, which stops speaking */
    allow_interruptions: boolean;
    /** words of the caller that stop the agent */
    interruption_min_words: number;
    /** outbound calls start only inside the hours below */
    calling_hours: boolean;
    /** in `timezone` */
    call_start_hour: number;
    /** calls start before this hour */
    call_end_hour: number;
    /** IANA zone of the calling hours */
    timezone: string;
    /** keep a stereo recording */
    record: boolean;
    /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
    filler_after_ms: number;
    /** what it says then, in turn; empty: phrases of the voice's language */
    filler_phrases: Array<string>;
    /** said before the agent hangs up when the conversation is over */
    hangup_message: string;
    /** after each reply, ask the model whether the conversation is over */
    hangup_on_prompt: boolean;
    /** the question; must be answerable with Yes or No */
    hangup_prompt: string;
    /** the caller can still talk over the last message */
    hangup_interruptible: boolean;
    /** ask a quiet caller once whether they are still there */
    check_user_online: boolean;
    /** what a quiet caller is asked */
    user_online_message: string;
    /** silence before the question */
    user_online_after_seconds: number;
    /** background sound; empty for none */
    ambient_sound: string;
    /** percent */
    ambient_volume: number;
    /** take noise out of the caller's sound */
    noise_cancellation: boolean;
    /** percent */
    noise_cancellation_strength: number;
    /** end the call when a machine answers */
    voicemail_detection: boolean;
    /** how long is listened for a machine */
    voicemail_detection_seconds: number;
    /** left on the machine; empty: nothing is left */
    voicemail_message: string;
    /** shown on the called person's telephone */
    caller_verification_call_reason: string;
    /** take keys the caller presses */
    dtmf_input: boolean;
    /** pause after the last key that ends the input */
    dtmf_wait_seconds: number;
    /** book a call back when the caller asks for one, during the call or by a check after it */
    auto_reschedule: boolean;
    /** call backs are booked at most so far ahead */
    reschedule_max_days: number;
    /** the agent may hand the call to a person */
    transfer_enabled: boolean;
    /** whom it may hand the call to */
    transfer_targets: Array<{
      /** what the agent calls this person or team */
      name: string;
      /** E.164 */
      number: string;
      /** when to transfer here */
      description: string;
    }>;
    /** other agents that it may let go on with the call */
    handoffs: Array<{
      /** an agent of the workspace */
      agent_id: string;
      /** what this agent calls it */
      name: string;
      /** when to hand the call to it */
      description: string;
      /** how many of the last turns the other agent knows; null: all of them */
      history_turns: number | null;
      /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
      first_message: string;
    }>;
    /** said before the transfer */
    transfer_message: string;
    /** the person hears a summary first */
    transfer_summary: boolean;
    /** music while a transfer rings, in place of the background */
    hold_music: boolean;
    /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
    recording_notice: string;
    /** the agent may pause the recording, by the tools pause_recording and resume_recording */
    recording_pause: boolean;
    /** a pause of the recording, also one by the API, ends by itself after this long */
    recording_pause_seconds: number;
    /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
    redact_cards: boolean;
    /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
    redact_identity_numbers: boolean;
  };
  /** run once the call ends */
  analytics: {
    /** write a summary of the call */
    summarize: boolean;
    /** what to find out from the call */
    extractions: Array<{
      /** its name in `extracted` */
      key: string;
      /** display name */
      label: string;
      /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
      type: "text" | "number" | "boolean" | "choice" | "date" | "list";
      /** what to look for in the call */
      description: string;
      /** of a `choice` */
      choices: Array<{
        /** as it is saved */
        value: string;
        /** when this is the one */
        when: string;
      }>;
    }>;
    /** its result is saved as JSON in `extracted` */
    extraction_prompt: string;
  };
  /** HTTP tools, and tools of the page, that the model can call */
  tools: Array<{
    /** what the model and the timeline call it */
    name: string;
    /** when the model should use it */
    description: string;
    /** JSON Schema of the arguments */
    parameters: Record<string, unknown>;
    /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
    kind: "http" | "client";
    /** GET sends the arguments as query parameters, POST as JSON */
    method: "GET" | "POST";
    /** called by the service; no private addresses; needed by an HTTP tool */
    url: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers: Record<string, string>;
    /** said while the request runs */
    pre_call_message: string;
    /** the request is abandoned after this long */
    timeout_seconds: number;
    /** what becomes of a JSON response of status 2xx */
    results: {
      /** where in the JSON what the model gets is; empty: all */
      path: string;
      /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
      variables: Record<string, string>;
      /** said after a success, in place of an answer of the model; `{variables}` are filled in */
      message: string;
    };
  }>;
  /** servers of the Model Context Protocol whose tools the model can call */
  mcp_servers: Array<{
    /** precedes the name of a tool where another tool has that name */
    name: string;
    /** called by the service; no private addresses */
    url: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers: Record<string, string>;
    /** names of the server's tools that the model may call; empty: all of them */
    tools: Array<string>;
    /** the request is abandoned after this long */
    timeout_seconds: number;
  }>;
  /** what the agent may look into */
  knowledge_base_ids: Array<string>;
  /** auto: small bases stand in the prompt as a whole */
  knowledge_mode: "auto" | "search";
  /** https; receives the lifecycle events of this agent's calls */
  webhook_url: string;
  /** a frozen agent takes and places no calls */
  status: "active" | "paused" | "frozen";
  /** number of a drawing, or address of a picture; null: none */
  avatar: number | string | null;
  /** number that answers for this agent */
  phone_number: string;
  /** increases with every saved change */
  version: number;
  /** who made the last change */
  updated_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** ISO 8601 with the offset of the zone asked for */
  updated_at: string;
  frozen_at: string | null;
  /** the rule that was broken; set when frozen */
  frozen_reason: string;
  /** the incident that froze it; empty otherwise */
  frozen_incident_id: string;
  /** the status before */
  frozen_from: string;
  /** every `{variable}` used by the welcome message and prompt, in order */
  variables: Array<string>;
  /** settings that its providers take in part or not at all; left out when there are none */
  warnings?: Array<{
    /** the field, as in a 422 */
    loc: Array<string | number>;
    /** what is saved instead, or has no effect */
    msg: string;
  }>;
};

export type AgentCanary = {
  /** the version that a share of the new calls uses */
  version: number;
  /** of the agent's new calls, for a call decided when it is made */
  percent: number;
  /** ISO 8601 with the offset of the zone asked for */
  started_at: string;
  /** a name */
  started_by: string;
  /** of calls made since the canary began, those that wait in the queue left out: of the newest 20000 finished ones, 2000 each at most */
  figures: {
    /** of the calls with this version */
    canary: {
      /** created in this time */
      calls: number;
      /** of them answered */
      connected: number;
      /** with status `completed` */
      completed: number;
      /** with status `failed` */
      failed: number;
      /** with status `no-answer` */
      no_answer: number;
      /** with status `busy` */
      busy: number;
      /** with status `canceled` */
      canceled: number;
      /** connected ones among those that are over, 0 to 1 */
      answer_rate: number;
      /** of connected calls that are over */
      avg_duration_seconds: number;
      /** from the caller's last word to the agent's first sound, median; at most 2.5 % off */
      first_audio_p50_ms: number | null;
      /** the same, 95th percentile */
      first_audio_p95_ms: number | null;
      /** charged for these calls, in the smallest unit of `currency` */
      cost_paise: number;
      /** answered by a machine */
      voicemail: number;
    };
    /** of the agent's other calls */
    others: {
      /** created in this time */
      calls: number;
      /** of them answered */
      connected: number;
      /** with status `completed` */
      completed: number;
      /** with status `failed` */
      failed: number;
      /** with status `no-answer` */
      no_answer: number;
      /** with status `busy` */
      busy: number;
      /** with status `canceled` */
      canceled: number;
      /** connected ones among those that are over, 0 to 1 */
      answer_rate: number;
      /** of connected calls that are over */
      avg_duration_seconds: number;
      /** from the caller's last word to the agent's first sound, median; at most 2.5 % off */
      first_audio_p50_ms: number | null;
      /** the same, 95th percentile */
      first_audio_p95_ms: number | null;
      /** charged for these calls, in the smallest unit of `currency` */
      cost_paise: number;
      /** answered by a machine */
      voicemail: number;
    };
  };
  /** `INR` or `USD` */
  currency: string;
};

export type AgentCanarySettings = {
  /** the version that a share of the new calls uses */
  version: number;
  /** of the agent's new calls, for a call decided when it is made */
  percent: number;
  /** ISO 8601 with the offset of the zone asked for */
  started_at: string;
  /** a name */
  started_by: string;
};

export type AgentLatency = {
  /** length of the period */
  days: number;
  /** answered calls of these days */
  calls: number;
  /** replies whose first audio was measured */
  turns: number;
  /** from the end of the caller's speech to the first audio of the reply, in milliseconds, at most 2.5 % off; null where nothing was measured */
  first_audio_ms: {
    /** milliseconds; null when nothing was measured */
    p50: number | null;
    /** milliseconds; null when nothing was measured */
    p90: number | null;
    /** milliseconds; null when nothing was measured */
    p95: number | null;
  };
  /** from the end of the caller's speech to the model's first token, in milliseconds, at most 2.5 % off; null where nothing was measured */
  llm_first_token_ms: {
    /** milliseconds; null when nothing was measured */
    p50: number | null;
    /** milliseconds; null when nothing was measured */
    p90: number | null;
    /** milliseconds; null when nothing was measured */
    p95: number | null;
  };
  /** from the start of the call to the first audio of the welcome message, in milliseconds, at most 2.5 % off; null where nothing was measured */
  welcome_ms: {
    /** milliseconds; null when nothing was measured */
    p50: number | null;
    /** milliseconds; null when nothing was measured */
    p90: number | null;
    /** milliseconds; null when nothing was measured */
    p95: number | null;
  };
  /** time of a tool's request, in milliseconds, at most 2.5 % off; null where nothing was measured */
  tool_ms: {
    /** milliseconds; null when nothing was measured */
    p50: number | null;
    /** milliseconds; null when nothing was measured */
    p90: number | null;
    /** milliseconds; null when nothing was measured */
    p95: number | null;
  };
  /** every day, oldest first; a call counts for the day it was created in */
  by_day: Array<{
    /** YYYY-MM-DD in the zone of the request */
    day: string;
    /** replies measured on that day */
    turns: number;
    /** milliseconds; null when nothing was measured */
    first_audio_p50_ms: number | null;
    /** milliseconds; null when nothing was measured */
    first_audio_p95_ms: number | null;
  }>;
};

export type PriceEstimate = {
  /** the parts of the price */
  components: Array<{
    /** what is paid for */
    key: "transcriber" | "llm" | "voice" | "telephony" | "platform";
    /** for display */
    label: string;
    /** who is paid */
    provider: string;
    /** which of its models; may be empty */
    model: string;
    /** with up to four decimals */
    paise_per_minute: number;
  }>;
  /** the components together, rounded up once */
  usage_paise_per_minute: number;
  /** the plan's price of a minute */
  floor_paise_per_minute: number;
  /** the greater of the two */
  total_paise_per_minute: number;
  /** the plan's price is the greater one */
  floor_applied: boolean;
  /** what the estimate takes for a usual minute */
  assumptions: {
    /** seconds of audio that are transcribed */
    caller_audio_seconds_per_minute: number;
    /** characters the voice speaks */
    tts_characters_per_minute: number;
    /** replies of the language model */
    llm_turns_per_minute: number;
    /** every turn reads the prompt, the service's instructions and the conversation so far */
    llm_input_tokens_per_minute: number;
    /** tokens of all replies */
    llm_output_tokens_per_minute: number;
    /** characters of the prompt and of the knowledge in it / 4 */
    prompt_tokens: number;
  };
  /** included minutes that one minute uses up; at least 1 */
  plan_minutes_multiplier: number;
  /** what the estimate is for */
  channel: "phone" | "web";
  /** of all amounts */
  currency: "INR" | "USD";
};

export type GeneratedPrompt = {
  /** what the agent says first */
  welcome_message: string;
  /** its instructions */
  system_prompt: string;
  /** every `{variable}` used by them, in order */
  variables: Array<string>;
  /** what it cost, taken from the credits */
  cost_paise: number;
  /** the billing currency of the workspace */
  currency: "INR" | "USD";
};

export type AgentShare = {
  /** the share's name in paths; anyone who knows it can read and copy the agent */
  token: string;
  /** the agent that was shared */
  agent_id: string;
  /** as it was called then */
  agent_name: string;
  /** the version shared; later changes are not followed */
  version: number;
  /** page of the console */
  url: string;
  /** how often it was copied */
  copies: number;
  /** a name */
  created_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** null: never */
  expires_at: string | null;
};

export type SharedAgent = {
  /** its name in paths */
  token: string;
  /** as it was called then */
  agent_name: string;
  /** whose agent it is */
  workspace_name: string;
  /** the configuration without webhook address, header values, knowledge bases, transfer targets and uploads */
  agent: {
    /** for display; 1 to 120 characters */
    name: string;
    /** said first; `{variables}` are filled in */
    welcome_message: string;
    /** instructions of the language model; `{variables}` are filled in */
    system_prompt: string;
    /** language model */
    llm: {
      /** whose language model */
      provider: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
      /** empty: the provider's default */
      model: string;
      /** higher is more varied */
      temperature: number;
      /** the longest reply in tokens */
      max_tokens: number;
      /** of a speech-to-speech model */
      realtime?: {
        /** the model's own voice; empty: the provider's default */
        voice: string;
        /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
        output: "audio" | "text";
        /** who decides that the caller's turn is over */
        turn_detection: "service" | "model";
        /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
        text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
        /** empty: the provider's default */
        text_model: string;
      };
    };
    /** text to speech */
    voice: {
      /** whose voice */
      provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** empty: the provider's default */
      model: string;
      /** a voice from the voices list; empty: the provider's default */
      voice_id: string;
      /** display name */
      voice_name: string;
      /** language the agent speaks */
      language: string;
      /** 1 is normal */
      speed: number;
      /** words that are said otherwise than they are written; transcripts keep the word */
      pronunciations: Array<{
        /** as it is written, one word or several */
        word: string;
        /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
        say: string;
        /** the same in IPA, for voices that take it; others get `say` */
        ipa: string;
      }>;
      /** tried in order when the voice fails */
      fallbacks: Array<{
        /** whose voice */
        provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
        /** left out: the provider's default */
        model?: string;
        /** a voice of the provider */
        voice_id: string;
        /** display name */
        voice_name: string;
        /** empty: the voice's language */
        language: string;
      }>;
      /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
      by_language: Array<{
        /** whose voice */
        provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
        /** left out: the provider's default */
        model?: string;
        /** a voice of the provider; empty: the provider's default for the language */
        voice_id: string;
        /** display name */
        voice_name: string;
        /** ISO 639-1, with or without a region */
        language: string;
      }>;
    };
    /** speech to text */
    transcriber: {
      /** whose transcriber */
      provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
      /** empty: the provider's default */
      model: string;
      /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
      turn_detection: "responsive" | "balanced" | "patient";
      /** the caller's language, for a provider that needs to be told */
      language: string;
      /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
      endpointing_ms: number;
      /** words the recogniser should expect */
      keyterms: Array<string>;
      /** tried in order when the transcriber fails */
      fallbacks: Array<{
        /** whose transcriber */
        provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
        /** empty: the provider's default */
        model: string;
        /** language the caller speaks */
        language: string;
      }>;
    };
    /** call behaviour */
    call: {
      /** the call ends after this long */
      max_duration_seconds: number;
      /** the call ends when nobody speaks for so long */
      hangup_after_silence_seconds: number;
      /** where the caller changes to another language that the service knows, the conversation goes on in it */
      follow_language: boolean;
      /** the caller can talk over the agent, which stops speaking */
      allow_interruptions: boolean;
      /** words of the caller that stop the agent */
      interruption_min_words: number;
      /** outbound calls start only inside the hours below */
      calling_hours: boolean;
      /** in `timezone` */
      call_start_hour: number;
      /** calls start before this hour */
      call_end_hour: number;
      /** IANA zone of the calling hours */
      timezone: string;
      /** keep a stereo recording */
      record: boolean;
      /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
      filler_after_ms: number;
      /** what it says then, in turn; empty: phrases of the voice's language */
      filler_phrases: Array<string>;
      /** said before the agent hangs up when the conversation is over */
      hangup_message: string;
      /** after each reply, ask the model whether the conversation is over */
      hangup_on_prompt: boolean;
      /** the question; must be answerable with Yes or No */
      hangup_prompt: string;
      /** the caller can still talk over the last message */
      hangup_interruptible: boolean;
      /** ask a quiet caller once whether they are still there */
      check_user_online: boolean;
      /** what a quiet caller is asked */
      user_online_message: string;
      /** silence before the question */
      user_online_after_seconds: number;
      /** background sound; empty for none */
      ambient_sound: string;
      /** percent */
      ambient_volume: number;
      /** take noise out of the caller's sound */
      noise_cancellation: boolean;
      /** percent */
      noise_cancellation_strength: number;
      /** end the call when a machine answers */
      voicemail_detection: boolean;
      /** how long is listened for a machine */
      voicemail_detection_seconds: number;
      /** left on the machine; empty: nothing is left */
      voicemail_message: string;
      /** shown on the called person's telephone */
      caller_verification_call_reason: string;
      /** take keys the caller presses */
      dtmf_input: boolean;
      /** pause after the last key that ends the input */
      dtmf_wait_seconds: number;
      /** book a call back when the caller asks for one, during the call or by a check after it */
      auto_reschedule: boolean;
      /** call backs are booked at most so far ahead */
      reschedule_max_days: number;
      /** the agent may hand the call to a person */
      transfer_enabled: boolean;
      /** whom it may hand the call to */
      transfer_targets: Array<{
        /** what the agent calls this person or team */
        name: string;
        /** E.164 */
        number: string;
        /** when to transfer here */
        description: string;
      }>;
      /** other agents that it may let go on with the call */
      handoffs: Array<{
        /** an agent of the workspace */
        agent_id: string;
        /** what this agent calls it */
        name: string;
        /** when to hand the call to it */
        description: string;
        /** how many of the last turns the other agent knows; null: all of them */
        history_turns: number | null;
        /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
        first_message: string;
      }>;
      /** said before the transfer */
      transfer_message: string;
      /** the person hears a summary first */
      transfer_summary: boolean;
      /** music while a transfer rings, in place of the background */
      hold_music: boolean;
      /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
      recording_notice: string;
      /** the agent may pause the recording, by the tools pause_recording and resume_recording */
      recording_pause: boolean;
      /** a pause of the recording, also one by the API, ends by itself after this long */
      recording_pause_seconds: number;
      /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
      redact_cards: boolean;
      /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
      redact_identity_numbers: boolean;
    };
    /** run once the call ends */
    analytics: {
      /** write a summary of the call */
      summarize: boolean;
      /** what to find out from the call */
      extractions: Array<{
        /** its name in `extracted` */
        key: string;
        /** display name */
        label: string;
        /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
        type: "text" | "number" | "boolean" | "choice" | "date" | "list";
        /** what to look for in the call */
        description: string;
        /** of a `choice` */
        choices: Array<{
          /** as it is saved */
          value: string;
          /** when this is the one */
          when: string;
        }>;
      }>;
      /** its result is saved as JSON in `extracted` */
      extraction_prompt: string;
    };
    /** HTTP tools, and tools of the page, that the model can call */
    tools: Array<{
      /** what the model and the timeline call it */
      name: string;
      /** when the model should use it */
      description: string;
      /** JSON Schema of the arguments */
      parameters: Record<string, unknown>;
      /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
      kind: "http" | "client";
      /** GET sends the arguments as query parameters, POST as JSON */
      method: "GET" | "POST";
      /** called by the service; no private addresses; needed by an HTTP tool */
      url: string;
      /** values are shown as `***` to callers who may not edit agents */
      headers: Record<string, string>;
      /** said while the request runs */
      pre_call_message: string;
      /** the request is abandoned after this long */
      timeout_seconds: number;
      /** what becomes of a JSON response of status 2xx */
      results: {
        /** where in the JSON what the model gets is; empty: all */
        path: string;
        /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
        variables: Record<string, string>;
        /** said after a success, in place of an answer of the model; `{variables}` are filled in */
        message: string;
      };
    }>;
    /** servers of the Model Context Protocol whose tools the model can call */
    mcp_servers: Array<{
      /** precedes the name of a tool where another tool has that name */
      name: string;
      /** called by the service; no private addresses */
      url: string;
      /** values are shown as `***` to callers who may not edit agents */
      headers: Record<string, string>;
      /** names of the server's tools that the model may call; empty: all of them */
      tools: Array<string>;
      /** the request is abandoned after this long */
      timeout_seconds: number;
    }>;
    /** what the agent may look into */
    knowledge_base_ids: Array<string>;
    /** auto: small bases stand in the prompt as a whole */
    knowledge_mode: "auto" | "search";
    /** https; receives the lifecycle events of this agent's calls */
    webhook_url: string;
    /** a paused agent takes and places no calls */
    status: "active" | "paused";
    /** number of a drawing, or address of a picture; null: none */
    avatar: number | string | null;
  };
  expires_at: string | null;
};

export type AgentVersion = {
  /** counts from 1 */
  version: number;
  /** the present version of the agent */
  current: boolean;
  /** the version it was restored from */
  restored_from: number | null;
  /** dotted names of the fields that differ from the version before */
  changes: Array<string>;
  /** ISO 8601 with the offset of the zone asked for */
  saved_at: string;
  /** a name */
  saved_by: string;
};

export type AgentVersionWithConfiguration = {
  /** counts from 1 */
  version: number;
  /** the present version of the agent */
  current: boolean;
  /** the version it was restored from */
  restored_from: number | null;
  /** dotted names of the fields that differ from the version before */
  changes: Array<string>;
  /** ISO 8601 with the offset of the zone asked for */
  saved_at: string;
  /** a name */
  saved_by: string;
  /** the configuration as it was */
  agent: {
    /** for display; 1 to 120 characters */
    name: string;
    /** said first; `{variables}` are filled in */
    welcome_message: string;
    /** instructions of the language model; `{variables}` are filled in */
    system_prompt: string;
    /** language model */
    llm: {
      /** whose language model */
      provider: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
      /** empty: the provider's default */
      model: string;
      /** higher is more varied */
      temperature: number;
      /** the longest reply in tokens */
      max_tokens: number;
      /** of a speech-to-speech model */
      realtime?: {
        /** the model's own voice; empty: the provider's default */
        voice: string;
        /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
        output: "audio" | "text";
        /** who decides that the caller's turn is over */
        turn_detection: "service" | "model";
        /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
        text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
        /** empty: the provider's default */
        text_model: string;
      };
    };
    /** text to speech */
    voice: {
      /** whose voice */
      provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** empty: the provider's default */
      model: string;
      /** a voice from the voices list; empty: the provider's default */
      voice_id: string;
      /** display name */
      voice_name: string;
      /** language the agent speaks */
      language: string;
      /** 1 is normal */
      speed: number;
      /** words that are said otherwise than they are written; transcripts keep the word */
      pronunciations: Array<{
        /** as it is written, one word or several */
        word: string;
        /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
        say: string;
        /** the same in IPA, for voices that take it; others get `say` */
        ipa: string;
      }>;
      /** tried in order when the voice fails */
      fallbacks: Array<{
        /** whose voice */
        provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
        /** left out: the provider's default */
        model?: string;
        /** a voice of the provider */
        voice_id: string;
        /** display name */
        voice_name: string;
        /** empty: the voice's language */
        language: string;
      }>;
      /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
      by_language: Array<{
        /** whose voice */
        provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
        /** left out: the provider's default */
        model?: string;
        /** a voice of the provider; empty: the provider's default for the language */
        voice_id: string;
        /** display name */
        voice_name: string;
        /** ISO 639-1, with or without a region */
        language: string;
      }>;
    };
    /** speech to text */
    transcriber: {
      /** whose transcriber */
      provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
      /** empty: the provider's default */
      model: string;
      /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
      turn_detection: "responsive" | "balanced" | "patient";
      /** the caller's language, for a provider that needs to be told */
      language: string;
      /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
      endpointing_ms: number;
      /** words the recogniser should expect */
      keyterms: Array<string>;
      /** tried in order when the transcriber fails */
      fallbacks: Array<{
        /** whose transcriber */
        provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
        /** empty: the provider's default */
        model: string;
        /** language the caller speaks */
        language: string;
      }>;
    };
    /** call behaviour */
    call: {
      /** the call ends after this long */
      max_duration_seconds: number;
      /** the call ends when nobody speaks for so long */
      hangup_after_silence_seconds: number;
      /** where the caller changes to another language that the service knows, the conversation goes on in it */
      follow_language: boolean;
      /** the caller can talk over the agent, which stops speaking */
      allow_interruptions: boolean;
      /** words of the caller that stop the agent */
      interruption_min_words: number;
      /** outbound calls start only inside the hours below */
      calling_hours: boolean;
      /** in `timezone` */
      call_start_hour: number;
      /** calls start before this hour */
      call_end_hour: number;
      /** IANA zone of the calling hours */
      timezone: string;
      /** keep a stereo recording */
      record: boolean;
      /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
      filler_after_ms: number;
      /** what it says then, in turn; empty: phrases of the voice's language */
      filler_phrases: Array<string>;
      /** said before the agent hangs up when the conversation is over */
      hangup_message: string;
      /** after each reply, ask the model whether the conversation is over */
      hangup_on_prompt: boolean;
      /** the question; must be answerable with Yes or No */
      hangup_prompt: string;
      /** the caller can still talk over the last message */
      hangup_interruptible: boolean;
      /** ask a quiet caller once whether they are still there */
      check_user_online: boolean;
      /** what a quiet caller is asked */
      user_online_message: string;
      /** silence before the question */
      user_online_after_seconds: number;
      /** background sound; empty for none */
      ambient_sound: string;
      /** percent */
      ambient_volume: number;
      /** take noise out of the caller's sound */
      noise_cancellation: boolean;
      /** percent */
      noise_cancellation_strength: number;
      /** end the call when a machine answers */
      voicemail_detection: boolean;
      /** how long is listened for a machine */
      voicemail_detection_seconds: number;
      /** left on the machine; empty: nothing is left */
      voicemail_message: string;
      /** shown on the called person's telephone */
      caller_verification_call_reason: string;
      /** take keys the caller presses */
      dtmf_input: boolean;
      /** pause after the last key that ends the input */
      dtmf_wait_seconds: number;
      /** book a call back when the caller asks for one, during the call or by a check after it */
      auto_reschedule: boolean;
      /** call backs are booked at most so far ahead */
      reschedule_max_days: number;
      /** the agent may hand the call to a person */
      transfer_enabled: boolean;
      /** whom it may hand the call to */
      transfer_targets: Array<{
        /** what the agent calls this person or team */
        name: string;
        /** E.164 */
        number: string;
        /** when to transfer here */
        description: string;
      }>;
      /** other agents that it may let go on with the call */
      handoffs: Array<{
        /** an agent of the workspace */
        agent_id: string;
        /** what this agent calls it */
        name: string;
        /** when to hand the call to it */
        description: string;
        /** how many of the last turns the other agent knows; null: all of them */
        history_turns: number | null;
        /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
        first_message: string;
      }>;
      /** said before the transfer */
      transfer_message: string;
      /** the person hears a summary first */
      transfer_summary: boolean;
      /** music while a transfer rings, in place of the background */
      hold_music: boolean;
      /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
      recording_notice: string;
      /** the agent may pause the recording, by the tools pause_recording and resume_recording */
      recording_pause: boolean;
      /** a pause of the recording, also one by the API, ends by itself after this long */
      recording_pause_seconds: number;
      /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
      redact_cards: boolean;
      /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
      redact_identity_numbers: boolean;
    };
    /** run once the call ends */
    analytics: {
      /** write a summary of the call */
      summarize: boolean;
      /** what to find out from the call */
      extractions: Array<{
        /** its name in `extracted` */
        key: string;
        /** display name */
        label: string;
        /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
        type: "text" | "number" | "boolean" | "choice" | "date" | "list";
        /** what to look for in the call */
        description: string;
        /** of a `choice` */
        choices: Array<{
          /** as it is saved */
          value: string;
          /** when this is the one */
          when: string;
        }>;
      }>;
      /** its result is saved as JSON in `extracted` */
      extraction_prompt: string;
    };
    /** HTTP tools, and tools of the page, that the model can call */
    tools: Array<{
      /** what the model and the timeline call it */
      name: string;
      /** when the model should use it */
      description: string;
      /** JSON Schema of the arguments */
      parameters: Record<string, unknown>;
      /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
      kind: "http" | "client";
      /** GET sends the arguments as query parameters, POST as JSON */
      method: "GET" | "POST";
      /** called by the service; no private addresses; needed by an HTTP tool */
      url: string;
      /** values are shown as `***` to callers who may not edit agents */
      headers: Record<string, string>;
      /** said while the request runs */
      pre_call_message: string;
      /** the request is abandoned after this long */
      timeout_seconds: number;
      /** what becomes of a JSON response of status 2xx */
      results: {
        /** where in the JSON what the model gets is; empty: all */
        path: string;
        /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
        variables: Record<string, string>;
        /** said after a success, in place of an answer of the model; `{variables}` are filled in */
        message: string;
      };
    }>;
    /** servers of the Model Context Protocol whose tools the model can call */
    mcp_servers: Array<{
      /** precedes the name of a tool where another tool has that name */
      name: string;
      /** called by the service; no private addresses */
      url: string;
      /** values are shown as `***` to callers who may not edit agents */
      headers: Record<string, string>;
      /** names of the server's tools that the model may call; empty: all of them */
      tools: Array<string>;
      /** the request is abandoned after this long */
      timeout_seconds: number;
    }>;
    /** what the agent may look into */
    knowledge_base_ids: Array<string>;
    /** auto: small bases stand in the prompt as a whole */
    knowledge_mode: "auto" | "search";
    /** https; receives the lifecycle events of this agent's calls */
    webhook_url: string;
    /** a paused agent takes and places no calls */
    status: "active" | "paused";
    /** number of a drawing, or address of a picture; null: none */
    avatar: number | string | null;
  };
};

export type Batch = {
  /** the id of the batch */
  id: string;
  /** who calls */
  agent_id: string;
  /** as the agent was called when the batch was made */
  agent_name: string;
  /** shown as `batch <name>` in `started_by` of its calls */
  name: string;
  /** `completed` and `canceled` are final */
  status: "scheduled" | "running" | "paused" | "completed" | "canceled";
  /** caller numbers, used in turn; none: as for a single call */
  from_numbers: Array<string>;
  /** receives the lifecycle events of its calls; empty for none */
  webhook_url: string;
  /** when it starts, or started; null: at once */
  scheduled_at: string | null;
  /** at most this many of its calls live; null: no limit of its own */
  concurrency: number | null;
  /** calls to one contact at most */
  max_attempts: number;
  /** from the end of a call to the next one to the same contact */
  retry_after_minutes: number;
  /** outcomes after which a contact is called again */
  retry_on: Array<"no-answer" | "busy" | "failed" | "voicemail">;
  /** contacts */
  total: number;
  /** how many contacts are in each status */
  counts: {
    /** contacts in this status */
    pending: number;
    /** contacts in this status */
    queued: number;
    /** contacts in this status */
    'in-progress': number;
    /** contacts in this status */
    retrying: number;
    /** contacts in this status */
    completed: number;
    /** contacts in this status */
    'no-answer': number;
    /** contacts in this status */
    busy: number;
    /** contacts in this status */
    failed: number;
    /** contacts in this status */
    voicemail: number;
    /** contacts in this status */
    canceled: number;
    /** contacts in this status */
    skipped: number;
  };
  /** percent of contacts in a final status, rounded down */
  progress: number;
  /** why it is paused: `by <person>`, `out of credits`, `too many failures`, `no caller number`, or empty */
  paused_reason: string;
  /** its calls so far, without their analyses */
  cost_paise: number;
  /** of cost_paise */
  currency: string;
  /** a person, or the label of a key */
  created_by: string;
  /** when it was made */
  created_at: string;
  /** when it began to call */
  started_at: string | null;
  /** when it was completed or canceled */
  completed_at: string | null;
};

export type BatchContact = {
  /** the id of the contact */
  id: string;
  /** as in the file, whose header is row 1; from 1 in a list */
  row: number;
  /** E.164 */
  to_number: string;
  /** values of the variables in welcome message and prompt */
  user_data: Record<string, unknown>;
  /** where it stands */
  status: "pending" | "queued" | "in-progress" | "retrying" | "completed" | "no-answer" | "busy" | "failed" | "voicemail" | "canceled" | "skipped";
  /** calls placed; what expired in the queue is not counted */
  attempts: number;
  /** while `retrying`: not called again before */
  next_attempt_at: string | null;
  /** the last call */
  call_id: unknown;
  /** of the last call */
  duration_seconds: number;
  /** of the last call, or why the contact was skipped */
  hangup_reason: string;
  /** of all its calls */
  cost_paise: number;
  /** when it last changed */
  updated_at: string;
};

export type ContactUpload = {
  /** for `upload_id` of a batch */
  id: string;
  /** as it was sent */
  file_name: string;
  /** the header */
  columns: Array<string>;
  /** the column with the numbers */
  phone_column: string;
  /** rows that are not empty */
  total_rows: number;
  /** contacts of a batch made from it */
  valid_rows: number;
  /** numbers of an earlier row */
  duplicate_rows: number;
  /** rows that cannot be called */
  invalid_rows: number;
  /** the first 100 */
  errors: Array<{
    /** as a spreadsheet counts: the header is row 1 */
    row: number;
    /** empty when it is the row as a whole */
    column: string;
    /** what is wrong */
    msg: string;
  }>;
  /** the first 5 rows by column */
  preview: Array<Record<string, string>>;
  /** when it was sent */
  created_at: string;
  /** deleted then, 24 hours later */
  expires_at: string;
};

export type Invoice = {
  /** 32 hex characters */
  id: string;
  /** `2026-27/000123`, without gaps in a financial year of India */
  number: string;
  /** what was bought */
  kind: "topup" | "plan" | "lines" | "number" | "caller_id";
  /** what was bought, in words */
  description: string;
  /** before tax */
  amount_paise: number;
  /** all tax lines together */
  tax_paise: number;
  /** amount and tax */
  total_paise: number;
  /** empty for exports, and where credits paid: their tax was charged when they were bought */
  tax_lines: Array<{
    /** the tax */
    name: "CGST" | "SGST" | "IGST";
    /** of the amount */
    rate_percent: number;
    /** the tax itself */
    amount_paise: number;
  }>;
  /** of all amounts */
  currency: "INR" | "USD";
  /** a payment, or the credits of the workspace */
  paid_from: "gateway" | "credits";
  /** the payment it is for */
  payment_id: unknown;
  /** as it was when the invoice was issued */
  buyer: {
    /** as in the business details, else the name of the workspace */
    name: string;
    /** lines; may be empty */
    address: string;
    /** empty: not registered for GST */
    gstin: string;
    /** in India its name */
    state: string;
  };
  /** empty unless it is an export of services, without GST */
  export_note: string;
  /** what of it was given back, oldest first */
  credit_notes: Array<{
    /** its PDF is read like that of an invoice */
    id: string;
    /** `CN/26-27/000004`, without gaps in a financial year */
    number: string;
    /** why it was issued */
    reason: string;
    /** what was given back, tax included */
    total_paise: number;
    /** when it was issued */
    issued_at: string;
  }>;
  /** when it was issued */
  issued_at: string;
};

export type WorkspaceProfile = {
  /** empty until it was filled in */
  company_name: string;
  /** empty until it was filled in */
  website: string;
  /** empty until it was filled in */
  industry: string;
  /** empty until it was filled in */
  use_case: string;
  /** empty until it was filled in */
  team_size: string;
  /** empty until it was filled in */
  monthly_calls: string;
  /** empty until it was filled in */
  phone: string;
  /** empty until it was filled in */
  country: string;
};

export type WorkspaceSecurity = {
  /** off: only people make and rotate API keys; on: keys without limits and connected apps as well */
  keys_may_make_keys: boolean;
  /** keys, members, invites, exports and these settings: the password or second factor of the last 15 minutes */
  confirm_password: boolean;
};

export type Workspace = {
  /** 32 hex characters */
  id: string;
  /** 1 to 120 characters */
  name: string;
  /** onboarding until the business details are approved; only an active one may place calls */
  state: "onboarding" | "active" | "suspended" | "closed";
  /** where the business details stand */
  kyc_status: "not_submitted" | "submitted" | "approved" | "rejected";
  /** what credits and prices are counted in */
  currency: "INR" | "USD";
  /** IANA name */
  timezone: string;
  /** as in the list of plans */
  plan_id: string;
  /** for display */
  plan_name: string;
  /** who gets an email when something needs attention; unless set, the owner */
  alert_emails: Array<string>;
  /** what the workspace entered about its business */
  profile: WorkspaceProfile;
  /** which lines are logged */
  system_logs: {
    /** off: nothing is written */
    enabled: boolean;
    /** the lowest that is logged */
    level: "info" | "warning" | "error";
  };
  /** what asks for more than the permission of a role */
  security: WorkspaceSecurity;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
};

export type LimitRequest = {
  /** 32 hex characters */
  id: string;
  /** live calls */
  requested_limit: number;
  /** why more are needed, in its own words */
  reason: string;
  /** open until the service's team has decided */
  status: "open" | "approved" | "declined";
  /** the service's team's words; empty until it is decided */
  answer: string;
  /** a name */
  requested_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  decided_at: string | null;
};

export type Limits = {
  /** live calls at most, extra lines included */
  concurrency_limit: number;
  /** ringing or in progress */
  active_calls: number;
  /** waiting for their turn */
  queued_calls: number;
  /** the open request; null when there is none */
  pending_request: LimitRequest | null;
  /** live calls of the plan */
  plan_limit: number;
  /** bought besides */
  extra_lines: number;
  /** of each key and connected app */
  api_requests_per_minute: number;
  /** of the workspace */
  agents: {
    /** how many there are */
    used: number;
    /** how many there may be */
    limit: number;
  };
  /** limit null: as many as you like */
  members: {
    /** members and pending invites */
    used: number;
    /** null: no limit */
    limit: number | null;
  };
};

export type Member = {
  /** the id of the person */
  user_id: string;
  /** of the person */
  name: string;
  /** what they sign in with */
  email: string;
  /** what they may do here */
  role: "owner" | "admin" | "developer" | "viewer";
  /** signs in with two steps */
  two_factor: boolean;
  /** the one who asks */
  you: boolean;
  /** ISO 8601 with the offset of the zone asked for */
  joined_at: string;
  last_seen_at: string | null;
};

export type Invite = {
  /** 32 hex characters */
  id: string;
  /** whom it was sent to */
  email: string;
  /** of the member to be */
  role: "admin" | "developer" | "viewer";
  /** expired after 7 days */
  status: "pending" | "expired";
  /** a name */
  invited_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** ISO 8601 with the offset of the zone asked for */
  expires_at: string;
};

export type NewInvite = {
  /** 32 hex characters */
  id: string;
  /** whom it was sent to */
  email: string;
  /** of the member to be */
  role: "admin" | "developer" | "viewer";
  /** expired after 7 days */
  status: "pending" | "expired";
  /** a name */
  invited_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** ISO 8601 with the offset of the zone asked for */
  expires_at: string;
  /** also mailed; shown this once */
  link: string;
};

export type InviteInfo = {
  /** where one is invited to */
  workspace_name: string;
  /** whom it was sent to */
  email: string;
  /** of the member to be */
  role: "admin" | "developer" | "viewer";
  /** a name */
  invited_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  expires_at: string;
};

export type ApiKey = {
  /** 32 hex characters */
  id: string;
  /** the label it was given */
  name: string;
  /** its first 12 characters */
  prefix: string;
  /** a person, or the key that made it */
  created_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  last_used_at: string | null;
  /** the IP address it was used from then; empty before */
  last_used_address: string;
  /** what it may do; null: all that keys may */
  scopes: Array<"agents:read" | "agents:write" | "agent_tests:read" | "agent_tests:write" | "batches:read" | "batches:write" | "billing:read" | "calls:read" | "calls:write" | "catalog:read" | "keys:read" | "keys:write" | "knowledge_bases:read" | "knowledge_bases:write" | "numbers:read" | "observability:read" | "tools:read" | "tools:write" | "webhooks:read" | "webhooks:write" | "workspace:read" | "workspace:write"> | null;
  expires_at: string | null;
  /** where it is accepted from; empty: anywhere */
  allowed_addresses: Array<string>;
  /** the id of the key that was made when it was rotated */
  replaced_by: unknown;
};

export type NewApiKey = {
  /** 32 hex characters */
  id: string;
  /** the label it was given */
  name: string;
  /** its first 12 characters */
  prefix: string;
  /** a person, or the key that made it */
  created_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  last_used_at: string | null;
  /** the IP address it was used from then; empty before */
  last_used_address: string;
  /** what it may do; null: all that keys may */
  scopes: Array<"agents:read" | "agents:write" | "agent_tests:read" | "agent_tests:write" | "batches:read" | "batches:write" | "billing:read" | "calls:read" | "calls:write" | "catalog:read" | "keys:read" | "keys:write" | "knowledge_bases:read" | "knowledge_bases:write" | "numbers:read" | "observability:read" | "tools:read" | "tools:write" | "webhooks:read" | "webhooks:write" | "workspace:read" | "workspace:write"> | null;
  expires_at: string | null;
  /** where it is accepted from; empty: anywhere */
  allowed_addresses: Array<string>;
  /** the id of the key that was made when it was rotated */
  replaced_by: unknown;
  /** the whole key; shown this once */
  key: string;
};

export type Choice = {
  /** what is sent */
  id: string;
  /** what people read */
  name: string;
};

export type Masters = {
  /** choices of a form, in their order */
  business_types: Array<Choice>;
  /** choices of a form, in their order */
  industries: Array<Choice>;
  /** choices of a form, in their order */
  use_cases: Array<Choice>;
  /** choices of a form, in their order */
  team_sizes: Array<Choice>;
  /** choices of a form, in their order */
  document_kinds: Array<Choice>;
  /** ISO 3166-1, two letters */
  countries: Array<Choice>;
  /** ISO 639-1 */
  languages: Array<Choice>;
  /** IANA names */
  timezones: Array<Choice>;
  /** choices of a form, in their order */
  roles: Array<Choice>;
};

export type Balance = {
  /** paid and free credits together; below 0: a debt */
  credits_paise: number;
  /** the plan's price of a minute */
  price_per_minute_paise: number;
  /** what the credits pay for at the plan's price; included minutes not counted */
  minutes_left: number;
  /** fewer than 10 minutes are left */
  low_balance: boolean;
  /** the billing currency of the workspace */
  currency: "INR" | "USD";
  /** of the present plan */
  plan_name: string;
  /** of the present plan */
  plan_id: string;
  /** a bonus that waits for the next top-up */
  pending_bonus: {
    /** of the coupon */
    code: string;
    /** of the next top-up, as extra credits */
    percent: number;
    /** limit of the bonus; null: none */
    max_paise: number | null;
    /** smallest top-up that gets it, before GST */
    min_topup_paise: number;
    /** when the code was redeemed */
    redeemed_at: string;
  } | null;
  /** included seconds that are left in this cycle */
  plan_minutes_left_seconds: number;
  /** included seconds of the whole cycle */
  plan_minutes_total_seconds: number;
  /** null: the plan has neither a fee nor included minutes */
  plan_minutes_cycle_end: string | null;
};

export type LedgerItem = {
  /** 32 hex characters */
  id: string;
  /** when the credits moved */
  at: string;
  /** why they moved */
  kind: "grant" | "coupon" | "topup" | "call" | "plan" | "number" | "caller_id" | "lines" | "composer" | "test" | "conversion" | "adjustment";
  /** negative: a charge; 0: included minutes paid for all of it */
  amount_paise: number;
  /** the credits after it */
  balance_after_paise: number;
  /** what it was for */
  note: string;
  /** the call it was for */
  call_id: unknown;
  /** the payment it came with */
  payment_id: unknown;
  /** who caused it; empty: the service */
  by_name: string;
  /** the billing currency of the workspace */
  currency: "INR" | "USD";
  /** `free`: it moved only free credits */
  funded: "paid" | "free";
  /** the part of it that moved paid credits */
  paid_paise: number;
  /** the part of it that moved free credits */
  free_paise: number;
};

export type Usage = {
  /** `YYYY-MM`, in the zone asked for */
  month: string;
  /** talked on connected calls, with two decimals; waived calls are left out */
  total_minutes: number;
  /** connected calls that ended in the month; waived ones are left out */
  total_calls: number;
  /** credits spent on calls, prompts and tests; fees are in the ledger only */
  spent_paise: number;
  /** every day of the month that has begun, oldest first */
  daily: Array<{
    /** `YYYY-MM-DD` */
    day: string;
    /** connected calls that ended on this day */
    calls: number;
    /** talked on them */
    minutes: number;
    /** credits spent on this day */
    spent_paise: number;
  }>;
  /** the month the workspace was made in */
  first_month: string;
  /** the billing currency of the workspace */
  currency: "INR" | "USD";
};

export type Plan = {
  /** for switching to it */
  id: string;
  /** for people */
  name: string;
  /** a name or an address of a picture; may be empty */
  icon: string;
  /** minimum price of a minute on the phone; a price agreed with the workspace holds on every plan */
  price_per_minute_paise: number;
  /** in a browser; null: as on the phone */
  browser_price_per_minute_paise: number | null;
  /** for 30 days; 0: none */
  monthly_fee_paise: number;
  /** of every 30 days that are paid */
  included_minutes: number;
  /** phone numbers without a fee */
  included_numbers: number;
  /** a shown caller id has no fee */
  includes_caller_verification: boolean;
  /** live calls */
  concurrency_limit: number;
  /** null: no limit */
  member_limit: number | null;
  /** agreed with each workspace */
  custom: boolean;
  /** the workspace is on it */
  current: boolean;
  /** it can be switched to now */
  can_switch: boolean;
  /** the billing currency of the workspace */
  currency: "INR" | "USD";
};

export type OwnPlan = {
  /** for switching to it */
  id: string;
  /** for people */
  name: string;
  /** a name or an address of a picture; may be empty */
  icon: string;
  /** minimum price of a minute on the phone; a price agreed with the workspace holds on every plan */
  price_per_minute_paise: number;
  /** in a browser; null: as on the phone */
  browser_price_per_minute_paise: number | null;
  /** for 30 days; 0: none */
  monthly_fee_paise: number;
  /** of every 30 days that are paid */
  included_minutes: number;
  /** phone numbers without a fee */
  included_numbers: number;
  /** a shown caller id has no fee */
  includes_caller_verification: boolean;
  /** live calls */
  concurrency_limit: number;
  /** null: no limit */
  member_limit: number | null;
  /** agreed with each workspace */
  custom: boolean;
  /** the workspace is on it */
  current: boolean;
  /** it can be switched to now */
  can_switch: boolean;
  /** the billing currency of the workspace */
  currency: "INR" | "USD";
  /** null: nothing is paid */
  plan_paid_until: string | null;
  /** the fee at the end of the cycle; 0: none */
  next_charge_paise: number;
  /** null: it was taken */
  plan_past_due_since: string | null;
  /** included seconds that are left in this cycle */
  plan_minutes_left_seconds: number;
  /** included seconds of the whole cycle */
  plan_minutes_total_seconds: number;
  /** null: the plan has neither a fee nor included minutes */
  plan_minutes_cycle_end: string | null;
};

export type CreditPack = {
  /** for buying it */
  id: string;
  /** for people */
  name: string;
  /** credits bought, and what they cost before tax */
  amount_paise: number;
  /** free credits on top */
  bonus_paise: number;
  /** the billing currency of the workspace */
  currency: "INR" | "USD";
  /** the most popular one */
  popular: boolean;
};

export type CallLines = {
  /** lines beyond the limit of the plan */
  extra_lines: number;
  /** of one line for 30 days */
  price_per_line_paise: number;
  /** null: nothing is paid */
  lines_paid_until: string | null;
  /** of all lines at the end of the cycle */
  next_charge_paise: number;
  /** null: they were paid */
  lines_past_due_since: string | null;
  /** live calls, these lines included */
  concurrency_limit: number;
  /** lines that can still be bought */
  can_add: number;
  /** the billing currency of the workspace */
  currency: "INR" | "USD";
};

export type RedeemedCoupon = {
  /** credits at once, or more of them with the next top-up */
  kind: "credit" | "topup_bonus";
  /** of a credit */
  amount_paise: number | null;
  /** of a bonus */
  percent: number | null;
  /** of a credit: the credits with it */
  credits_paise: number | null;
  /** a bonus that waits for the next top-up */
  pending_bonus: {
    /** of the coupon */
    code: string;
    /** of the next top-up, as extra credits */
    percent: number;
    /** limit of the bonus; null: none */
    max_paise: number | null;
    /** smallest top-up that gets it, before GST */
    min_topup_paise: number;
    /** when the code was redeemed */
    redeemed_at: string;
  } | null;
  /** the billing currency of the workspace */
  currency: "INR" | "USD";
};

export type CallerIdRequest = {
  /** 32 hex characters */
  id: string;
  /** E.164; own numbers that show the name */
  numbers: Array<string>;
  /** what the called person reads; at most 32 characters */
  display_name: string;
  /** shown beside the name; at most 200 characters */
  call_reason: string;
  /** always true: a request needs one */
  has_logo: boolean;
  /** where it stands */
  status: "submitted" | "in_review" | "active" | "rejected" | "withdrawn" | "removed";
  /** words of the service's team; empty unless rejected */
  rejection_reason: string;
  /** for 30 days; 0 when the plan includes it */
  fee_paise: number;
  /** of the fee */
  currency: string;
  /** null: nothing is paid for it */
  paid_until: string | null;
  /** a name */
  created_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  decided_at: string | null;
};

export type AnalyticsTest = {
  /** empty when it was not asked for */
  summary: string;
  /** one entry per extraction key, plus the keys of extraction_prompt's JSON */
  extracted: Record<string, unknown>;
  /** what this run was charged */
  cost_paise: number;
  /** of cost_paise */
  currency: "INR" | "USD";
};

export type LiveOrderDone = {
  /** the engine of the call has taken the order */
  done: true;
  /** how, in a line for people; mostly empty */
  detail: string;
};

export type PingEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "ping";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
  };
};

export type CallQueuedEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "call.queued";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** in the queue of the workspace, from 1 */
    position: number;
    /** who placed it */
    by: string;
    /** variables of the agent that got no value */
    missing?: Array<string>;
    /** the call that this one is a call back of */
    rescheduled_from?: string;
  };
};

export type CallPlacedEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "call.placed";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** the carrier */
    provider: string;
  };
};

export type CallStartedEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "call.started";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** how the caller is connected */
    channel: "phone" | "web";
    /** E.164; empty in a browser */
    from: string;
    /** E.164; empty in a browser */
    to: string;
    /** transcriber, as `provider/model` */
    stt: string;
    /** language model, as `provider/model` */
    llm: string;
    /** voice, as `provider/model` */
    tts: string;
    /** a person; browser calls only */
    started_by?: string;
    /** variables that have a value */
    values: Array<string>;
  };
};

export type CallEndedEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "call.ended";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** live time, rounded up; connected calls only */
    duration_seconds?: number;
    /** from the caller's last word to the agent's first audio, on average; null without a turn */
    avg_first_audio_ms?: number | null;
    /** what the call consumed; connected calls only */
    usage?: {
      /** of the caller, and of people who spoke to them, that was transcribed */
      stt_seconds: number;
      /** of the agent that were played */
      tts_characters: number;
      /** read by the language model */
      llm_input_tokens: number;
      /** written by the language model */
      llm_output_tokens: number;
      /** requests to the language model */
      llm_calls: number;
    };
    /** how caller and agent took their turns, by the detector of voices */
    turn_taking?: {
      /** caller and agent spoke at once, in milliseconds */
      talk_over_ms: number;
      /** the caller spoke over a reply for 2 s, and the agent spoke on */
      missed_interruptions: number;
      /** the agent fell silent for a voice, and went on with the same reply */
      false_interruptions: number;
      /** nobody spoke for 4 s */
      long_silences: number;
    };
    /** that got a value in the call */
    variables?: Record<string, unknown>;
    /** who ended a call that the engine did not end */
    hangup_by?: string;
    /** the carrier's word for why it was not connected */
    carrier_status?: string;
  };
};

export type CallCompletedEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "call.completed";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** the record of the call; times in UTC */
    call: {
      /** the id of the call */
      id: string;
      agent_id: string | null;
      /** as when the call was placed */
      agent_name: string;
      /** the agent's version the call was placed with */
      agent_version: number;
      batch_id: string | null;
      /** who called whom: `outbound` is placed by the service */
      direction: "outbound" | "inbound";
      /** `web`: from a browser, or over a client's stream */
      channel: "phone" | "web";
      /** moves forward only; live while `ringing` or `in-progress`; `ended` until analytics and transfers are over */
      status: "queued" | "ringing" | "in-progress" | "ended" | "completed" | "no-answer" | "busy" | "canceled" | "failed";
      /** E.164; empty where `channel` is `web` */
      from_number: string;
      /** E.164; empty where `channel` is `web` */
      to_number: string;
      /** values of the variables in welcome message and prompt */
      user_data: Record<string, unknown>;
      /** only while queued, 1 is next; 1001: a thousand or more are before it */
      queue_position: number | null;
      /** a person, the label of a key, `batch <name>`, or empty for inbound calls */
      started_by: string;
      /** the carrier; `stream` for a call over a client's stream, empty for browser calls */
      provider: string;
      /** when the call was placed or came in */
      created_at: string;
      not_before_at: string | null;
      placed_at: string | null;
      started_at: string | null;
      ended_at: string | null;
      completed_at: string | null;
      /** live time, rounded up; 0 before the end */
      duration_seconds: number;
      /** who ended it: `caller` (the person at the other end), `agent` (it said goodbye, heard nothing, met an answering machine, or transferred the call), `member` (somebody of the workspace, or a key or an app of it), `carrier` (it could not connect or carry the call, also busy and no-answer), `service` (a limit, credits, or a failure of its own); null while live */
      hangup_by: "caller" | "agent" | "member" | "carrier" | "service" | null;
      /** why it ended, one of a closed list; empty while live */
      hangup_reason: string;
      /** null when not known */
      answered_by: "human" | "machine" | null;
      /** of the post-call analytics; empty until analysed or when off */
      summary: string;
      /** a recording can be fetched */
      recorded: boolean;
      /** from the caller's last word to the agent's first audio, on average; null without a turn */
      avg_first_audio_ms: number | null;
      /** the last transfer to a person; null when there was none */
      transfer: {
        /** of the target */
        name: string;
        /** of the target, E.164 */
        number: string;
        /** why, as the agent gave it */
        reason: string;
        /** `ringing`, or its outcome */
        status: string;
        /** when the transfer began */
        at: string;
      } | null;
      rescheduled_from: string | null;
      rescheduled_to: string | null;
      /** what was charged for it, in the smallest unit of `currency` */
      cost_paise: number;
      /** seconds paid from the plan's included minutes */
      plan_seconds_covered: number;
      /** what its post-call analytics cost, charged apart */
      analysis_cost_paise: number;
      /** `INR` or `USD` */
      currency: string;
      /** of the post-call analytics: one entry per extraction key, and the keys of the extraction prompt */
      extracted: Record<string, unknown>;
      /** what the call consumed; null when never connected */
      usage: {
        /** of the caller, and of people who spoke to them, that was transcribed */
        stt_seconds: number;
        /** of the agent that were played */
        tts_characters: number;
        /** read by the language model */
        llm_input_tokens: number;
        /** written by the language model */
        llm_output_tokens: number;
        /** requests to the language model */
        llm_calls: number;
      } | null;
      /** how `cost_paise` came about; empty until charged */
      cost_breakdown: {
        /** amounts by component */
        components?: {
          /** of this component */
          transcriber: number;
          /** of this component */
          llm: number;
          /** of this component */
          voice: number;
          /** of this component */
          telephony: number;
          /** of this component */
          platform: number;
        };
        /** what was used, by provider and model */
        lines?: Array<{
          /** what it is a part of */
          component: "transcriber" | "llm" | "voice" | "telephony" | "platform";
          /** that served it */
          provider: string;
          /** that served it; `transfer` and `transfer-caller` for the legs of a transfer */
          model: string;
          /** of `unit` */
          quantity: number;
          /** what the rate is for */
          unit: "minute" | "1k_characters" | "1m_input_tokens" | "1m_output_tokens" | "1m_text_input_tokens" | "1m_text_output_tokens" | "1m_audio_input_tokens" | "1m_audio_output_tokens" | "1m_cached_text_input_tokens" | "1m_cached_audio_input_tokens";
          /** per unit */
          rate_paise: number;
          /** quantity × rate */
          amount_paise: number;
        }>;
        /** the sum of the lines, rounded up */
        usage_paise?: number;
        /** the least that a minute costs, by the plan */
        floor_per_minute_paise?: number;
        /** the least that the call costs, without what the plan covers */
        floor_paise?: number;
        /** the floor was charged */
        floor_applied?: boolean;
        /** what was charged */
        total_paise?: number;
        /** live time, rounded up */
        duration_seconds?: number;
        /** which floor applies */
        channel?: "phone" | "web";
        /** what the plan covered */
        plan_minutes?: {
          /** included minutes that a minute of the call takes */
          multiplier: number;
          /** seconds taken from the plan's included minutes */
          allowance_seconds_used: number;
        };
        /** `failed`: the call is free because the service ended it by a failure */
        waived?: "failed" | null;
        /** the cost without the waiver */
        waived_paise?: number;
        /** the exchange rate that prices in rupees were converted at; null: the workspace pays in rupees */
        paise_per_dollar?: unknown;
      };
      /** what was said, in order */
      transcript: Array<{
        /** `user` is the caller, `human_agent` a person who spoke to the caller in a live call */
        role: "user" | "agent" | "human_agent";
        /** what was said; of the agent, what was played */
        text: string;
        /** when it was said: of the agent when it began, of people when it was over */
        at: string;
        /** the caller spoke over the rest of it */
        interrupted: boolean;
      }>;
      /** the same as text, one line each */
      transcript_text: string;
    };
  };
};

export type CallVoicemailEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "call.voicemail";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** what answered */
    answered_by: "machine";
    /** the message for voicemail was said */
    message_left: boolean;
  };
};

export type CallRescheduledEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "call.rescheduled";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** the call back; empty when none was booked */
    call_id: string;
    at: string | null;
    /** the agent in the call, or the check after it */
    source: "tool" | "post_call";
    /** what the caller wants */
    note: string;
  };
};

export type CallTransferredEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "call.transferred";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** of the target */
    name: string;
    /** of the target, E.164 */
    number: string;
    /** why, as the agent gave it */
    reason: string;
  };
};

export type CallTransferStatusEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "call.transfer_status";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** the outcome */
    status: "answered" | "no-answer" | "busy" | "failed" | "canceled";
    /** of the target */
    name: string;
    /** of the target, E.164 */
    number: string;
    /** the carrier's word for it, when not answered */
    dial_status?: string;
  };
};

export type AgentHandoffEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "agent.handoff";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** of the agent that goes on */
    agent_id: string;
    /** what the agent before calls it */
    name: string;
    /** why, as that agent gave it; may be empty */
    reason: string;
  };
};

export type CallControlEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "call.control";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** what was ordered: `say`, `instruct`, `set_variables`, `mute`, `press_keys`, `transfer`, … */
    action: string;
    /** who ordered it */
    by: string;
    /** of the person or key; empty for the service */
    by_id: string;
    /** how a person takes part */
    mode?: string;
    /** of `say` */
    interrupt?: boolean;
    /** variables of `set_variables` */
    names?: Array<string>;
    /** of `mute` */
    side?: "agent" | "caller";
    /** of `mute` */
    muted?: boolean;
    /** of `mute` */
    max_seconds?: number;
    /** of `press_keys` */
    digits?: string;
    /** of `transfer` */
    target?: string;
    /** of `transfer` */
    number?: string;
    /** of `transfer` */
    reason?: string;
  };
};

export type CallDtmfEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "call.dtmf";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** the keys */
    digits: string;
  };
};

export type UserTurnEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "user.turn";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** said after the agent decided to hang up */
    after_goodbye?: boolean;
    /** the words came after the reply to them */
    late?: boolean;
  };
};

export type HumanAgentTurnEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "human_agent.turn";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
  };
};

export type AgentReplyEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "agent.reply";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
  };
};

export type InterruptedEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "interrupted";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** what was played of the reply */
    heard: string;
  };
};

export type UserOnlineCheckEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "user.online_check";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
  };
};

export type ToolCallEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "tool.call";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** of the tool */
    name: string;
    /** as the model gave them; not of `end_call` */
    args?: unknown;
    /** where the request goes; HTTP tools only */
    url?: string;
  };
};

export type ToolResultEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "tool.result";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** of the tool */
    name: string;
    /** HTTP status; 0: no answer */
    status: number;
    /** what the model received */
    result: string;
    /** that took a value of the answer */
    variables?: unknown;
  };
};

export type KbSearchEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "kb.search";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** what was searched for */
    query: string;
    /** passages that fitted */
    hits: number;
    /** for the embedding of the query */
    embed_ms: number;
    /** for the search */
    search_ms: number;
    /** that the model received */
    passages: number;
    /** the passages */
    top: Array<{
      /** its title */
      source: string;
      score: number;
      keyword_match: boolean;
    }>;
    /** why it failed, or empty */
    error: string;
  };
};

export type FallbackUsedEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "fallback.used";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** the part it happened to: `stt`, `llm`, `tts`, `transcriber`, `voice`, `carrier`, … */
    component: string;
    /** why */
    reason: string;
    /** what failed */
    from: {
      /** as in the catalog */
      provider: string;
      /** as in the catalog */
      model: string;
      /** of a voice */
      voice_id?: string;
      /** of a voice */
      voice_name?: string;
      /** where one is set */
      language?: string;
    };
    /** what took over */
    to: {
      /** as in the catalog */
      provider: string;
      /** as in the catalog */
      model: string;
      /** of a voice */
      voice_id?: string;
      /** of a voice */
      voice_name?: string;
      /** where one is set */
      language?: string;
    };
  };
};

export type CapacityFallbackEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "capacity.fallback";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** the part it happened to: `stt`, `llm`, `tts`, `transcriber`, `voice`, `carrier`, … */
    component: string;
    /** that is at its limit */
    provider: string;
    /** what is at its limit */
    from: {
      /** as in the catalog */
      provider: string;
      /** as in the catalog */
      model: string;
      /** of a voice */
      voice_id?: string;
      /** of a voice */
      voice_name?: string;
      /** where one is set */
      language?: string;
    };
    /** what took over */
    to: {
      /** as in the catalog */
      provider: string;
      /** as in the catalog */
      model: string;
      /** of a voice */
      voice_id?: string;
      /** of a voice */
      voice_name?: string;
      /** where one is set */
      language?: string;
    };
  };
};

export type CapacityExceededEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "capacity.exceeded";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** the part it happened to: `stt`, `llm`, `tts`, `transcriber`, `voice`, `carrier`, … */
    component: string;
    /** that is at its limit */
    provider: string;
    /** what is at its limit */
    from: {
      /** as in the catalog */
      provider: string;
      /** as in the catalog */
      model: string;
      /** of a voice */
      voice_id?: string;
      /** of a voice */
      voice_name?: string;
      /** where one is set */
      language?: string;
    };
  };
};

export type ErrorEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "error";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** the part it happened to: `stt`, `llm`, `tts`, `transcriber`, `voice`, `carrier`, … */
    component?: string;
    /** as in the catalog */
    provider?: string;
    /** the kind of failure */
    kind?: string;
    /** why */
    reason?: string;
    /** of speech without words */
    speech_ms?: number;
    /** of the recording */
    lost_seconds?: number;
    /** first event that is lost */
    lost_from?: number;
    /** last event that is lost */
    lost_to?: number;
    /** of a stream that did not open */
    stream_id?: string;
  };
};

export type GuardrailViolationEvent = {
  /** `evt_` and 32 hex characters; the same for every receiver */
  id: string;
  type: "guardrail.violation";
  /** when it happened, in UTC; sort by it */
  created_at: string;
  /** whose call it is */
  workspace_id: string;
  /** the call; empty for `ping` */
  call_id: string;
  /** the agent; empty for `ping`, and where the number has none */
  agent_id: string;
  /** what happened */
  data: {
    /** one line for a person; for events with speech, the words */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: unknown;
    /** of the incident */
    incident_id: string;
    /** of the rule */
    rule_id: string;
    /** of the rule */
    rule_name: string;
    /** `violation` or `warning` */
    severity: string;
    /** what broke it */
    quote: string;
    /** 0 to 1 */
    confidence: number;
    /** `notice`, `frozen` or `warning` */
    action: string;
    /** how many there were */
    strike: number;
  };
};

export type CatalogEntry = {
  /** as `llm.model`, `voice.model` or `transcriber.model` of an agent names it */
  id: string;
  /** whose model */
  provider: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom" | "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "local" | "deepgram_flux" | "deepgram" | "soniox" | "assemblyai";
  /** for display */
  name: string;
  /** language model, text to speech or speech to text */
  kind: "llm" | "tts" | "stt";
  /** what an agent gets that names neither provider nor model; one of each kind */
  default: boolean;
  /** this workspace may use it: the service has credentials of its provider */
  available: boolean;
  /** ISO 639 codes; empty: all */
  languages: Array<string>;
  /** what `price_paise` buys: a minute of audio, characters spoken, or tokens read */
  unit: "minute" | "1k_characters" | "1m_input_tokens";
  /** of one unit, in the smallest unit of `currency`, with fractions */
  price_paise: number;
  /** of a million tokens written; null for all but language models */
  output_price_paise: unknown;
  /** median of the last week: of the first token, of the first audio, of finding the end of a turn; null: too few */
  latency_ms: number | null;
  /** what it is good at, and the settings it takes in part or not at all */
  description: string;
  /** an extension: a speech-to-speech model, which hears and speaks itself; its prices are of audio */
  realtime: boolean;
};

export type Language = {
  /** ISO 639 */
  code: string;
  /** in English */
  name: string;
  /** in the language itself */
  native_name: string;
};

export type Catalog = {
  /** language models; left out when `kind` leaves them out */
  llm_models?: Array<CatalogEntry>;
  /** text to speech, likewise */
  tts_models?: Array<CatalogEntry>;
  /** speech to text, likewise */
  stt_models?: Array<CatalogEntry>;
  /** of all voices and transcribers, likewise */
  languages?: Array<Language>;
  /** of all prices */
  currency: "INR" | "USD";
};

export type Voice = {
  /** as `voice.voice_id` of an agent names it */
  id: string;
  /** whose voice */
  provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
  /** for display */
  name: string;
  /** as the provider describes it */
  gender: "female" | "male" | "neutral";
  /** ISO 639 codes it was made for; empty: any that its models speak */
  languages: Array<string>;
  /** what `voice.model` can be with it */
  models: Array<string>;
  /** may be empty */
  accent: string;
  /** the provider's own; may be empty */
  description: string;
  /** it can be listened to */
  preview: boolean;
};

export type WorkspaceExport = {
  /** 32 hex characters */
  id: string;
  /** it can be downloaded when it is ready; one that failed is started again by a new one */
  status: "queued" | "running" | "ready" | "failed";
  /** whether it has the recordings of calls */
  recordings: boolean;
  /** rows in it so far */
  records: number;
  /** recordings in it so far */
  recording_count: number;
  /** of the archive; 0 until it is ready */
  size_bytes: number;
  /** name of who started it */
  created_by: string;
  /** when it was started */
  created_at: string;
  /** when it was ready or failed */
  finished_at: string | null;
  /** when it is removed, seven days after it was ready */
  expires_at: string | null;
};

export type CallErasure = {
  /** with the person; deleted within minutes */
  calls: number;
  /** of these, those that are queued or go on: deleted when they are over */
  going_on: number;
  /** archives of the workspace, which had the calls */
  exports_removed: number;
};

export type GuardrailRule = {
  /** 32 hex characters */
  id: string;
  /** for display */
  name: string;
  /** what an agent must not do */
  description: string;
  /** kind of rule */
  category: "abuse" | "fraud" | "privacy" | "regulated_advice" | "impersonation" | "other";
  /** a warning never counts as a strike */
  severity: "violation" | "warning";
  /** the agent is frozen on that many violations within 30 days; 0: never */
  strikes: number;
  /** whether calls are checked against it */
  enabled: boolean;
  /** ISO 8601 with the offset of the zone asked for */
  updated_at: string;
};

export type GuardrailIncident = {
  /** 32 hex characters */
  id: string;
  /** the rule that was broken */
  rule_id: string;
  /** as it was called then */
  rule_name: string;
  /** of the rule then */
  category: "abuse" | "fraud" | "privacy" | "regulated_advice" | "impersonation" | "other";
  /** of the rule then */
  severity: "violation" | "warning";
  /** who broke it */
  agent_id: string;
  /** as it was called then */
  agent_name: string;
  /** where it happened */
  call_id: string;
  /** what was said */
  quote: string;
  /** 0 to 1 */
  confidence: number;
  /** what followed at once */
  action: "notice" | "frozen" | "warning";
  /** running number within 30 days for the agent and the rule; 0 for warnings and when dismissed */
  strike: number;
  /** open until somebody of the workspace has seen it */
  status: "open" | "acknowledged" | "appealed" | "upheld" | "dismissed";
  /** words of the workspace; empty without an appeal */
  appeal_text: string;
  /** of the service's team to an appeal */
  answer: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  acknowledged_at: string | null;
  appealed_at: string | null;
  resolved_at: string | null;
  /** a name, or empty */
  acknowledged_by: string;
  /** a name, or empty */
  appealed_by: string;
};

export type GuardrailSummary = {
  /** seen by nobody yet */
  open: number;
  /** seen, and not appealed */
  acknowledged: number;
  /** waiting for an answer */
  appealed: number;
  /** without those that were dismissed */
  violations_30_days: number;
  /** without those that were dismissed */
  warnings_30_days: number;
  /** stopped by an incident now */
  frozen_agents: number;
  /** within 30 days, the most broken rule first */
  by_rule: Array<{
    /** the rule */
    rule_id: string;
    /** as it was called last */
    rule_name: string;
    /** incidents within 30 days */
    count: number;
  }>;
};

export type KycDocument = {
  /** 32 hex characters */
  id: string;
  /** what paper it is */
  kind: "registration" | "tax" | "identity" | "address" | "authorization" | "other";
  /** as it was uploaded */
  file_name: string;
  /** of the PDF that is stored */
  size_bytes: number;
  /** a name */
  uploaded_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  uploaded_at: string;
};

export type Kyc = {
  /** rejected details can be changed and submitted again */
  status: "not_submitted" | "submitted" | "approved" | "rejected";
  /** as registered */
  legal_name: string;
  /** empty until it is chosen */
  business_type: string;
  /** ten characters; India */
  pan: string;
  /** 15 characters, holds the PAN; India */
  gstin: string;
  /** of companies in India */
  cin: string;
  /** outside India */
  tax_id: string;
  /** address of the business's pages */
  website: string;
  /** where the business is registered */
  address: {
    /** street and number */
    line1: string;
    /** further lines; may be empty */
    line2: string;
    /** town or city */
    city: string;
    /** in India its name or code */
    state: string;
    /** in India six digits */
    pincode: string;
    /** ISO 3166-1, two letters */
    country: string;
  };
  /** whom to ask */
  contact_name: string;
  /** of the person to ask */
  contact_email: string;
  /** of the person to ask */
  contact_phone: string;
  /** what the calls are for */
  use_case: string;
  /** what an agent would say */
  sample_script: string;
  /** newest first */
  documents: Array<KycDocument>;
  submitted_at: string | null;
  decided_at: string | null;
  /** words of the service's team; empty unless rejected */
  rejection_reason: string;
};

export type PhoneNumber = {
  /** E.164; the number in paths, where the plus is `%2B` */
  number: string;
  /** two letters; empty for numbers of no country */
  country: string;
  /** `series_140` and `series_160` are the Indian series of promotions and of banks */
  type: "local" | "mobile" | "toll_free" | "series_140" | "series_160";
  /** its carrier */
  provider: "twilio" | "plivo" | "telnyx" | "exotel" | "vonage" | "asterisk";
  /** `past_due`: its renewal could not be paid */
  status: "active" | "past_due" | "released";
  /** who answers it; null: inbound calls are rejected */
  agent_id: unknown;
  /** the name of that agent, or empty */
  agent_name: string;
  /** covered by the plan's included numbers */
  included: boolean;
  /** for 30 days; 0 when included, or entered by the service */
  monthly_fee_paise: number;
  /** of the fee */
  currency: string;
  /** a caller-id request is active on it */
  caller_verification: boolean;
  /** a name; empty when the service entered it */
  bought_by: string;
  /** when it was bought or entered */
  bought_at: string;
  /** null when nothing is charged, or the fee is not paid */
  paid_until: string | null;
  /** null unless `past_due` */
  past_due_since: string | null;
};

export type AvailableNumber = {
  /** E.164; buy it within an hour, or search again */
  number: string;
  /** two letters */
  country: string;
  /** as its carrier says */
  type: "local" | "mobile" | "toll_free";
  /** its carrier */
  provider: "twilio" | "plivo" | "telnyx" | "exotel" | "vonage" | "asterisk";
  /** for 30 days; nothing while it is one of the plan's included numbers */
  monthly_fee_paise: number;
  /** once, when it is bought */
  setup_fee_paise: number;
  /** of both fees */
  currency: string;
};

export type CallsSummary = {
  /** of the whole period */
  totals: {
    /** created in this time */
    calls: number;
    /** of them answered */
    connected: number;
    /** with status `completed` */
    completed: number;
    /** with status `failed` */
    failed: number;
    /** with status `no-answer` */
    no_answer: number;
    /** with status `busy` */
    busy: number;
    /** with status `canceled` */
    canceled: number;
    /** connected ones among those that are over, 0 to 1 */
    answer_rate: number;
    /** of connected calls that are over */
    avg_duration_seconds: number;
    /** from the caller's last word to the agent's first sound, median; at most 2.5 % off */
    first_audio_p50_ms: number | null;
    /** the same, 95th percentile */
    first_audio_p95_ms: number | null;
    /** charged for these calls, in the smallest unit of `currency` */
    cost_paise: number;
    /** answered by a machine */
    voicemail: number;
  };
  /** every day or hour of the period, oldest first */
  items: Array<{
    /** `YYYY-MM-DD`; of an hour its beginning, with the zone's offset */
    day: string;
    /** created in this time */
    calls: number;
    /** of them answered */
    connected: number;
    /** with status `completed` */
    completed: number;
    /** with status `failed` */
    failed: number;
    /** with status `no-answer` */
    no_answer: number;
    /** with status `busy` */
    busy: number;
    /** with status `canceled` */
    canceled: number;
    /** connected ones among those that are over, 0 to 1 */
    answer_rate: number;
    /** of connected calls that are over */
    avg_duration_seconds: number;
    /** from the caller's last word to the agent's first sound, median; at most 2.5 % off */
    first_audio_p50_ms: number | null;
    /** the same, 95th percentile */
    first_audio_p95_ms: number | null;
    /** charged for these calls, in the smallest unit of `currency` */
    cost_paise: number;
    /** answered by a machine */
    voicemail: number;
  }>;
  /** the fifty most frequent, those first */
  hangup_reasons: Array<{
    /** as in a call's `hangup_reason` */
    reason: string;
    /** calls that ended so */
    count: number;
  }>;
  /** `INR` or `USD` */
  currency: string;
};

export type LiveCalls = {
  /** live calls at most, extra lines included */
  concurrency_limit: number;
  /** ringing or in progress */
  active_calls: number;
  /** waiting for their turn */
  queued_calls: number;
  oldest_queued_at: string | null;
  /** the live ones, newest first */
  calls: Array<{
    /** the id of the call */
    id: string;
    /** its agent */
    agent_id: unknown;
    /** as when the call was placed */
    agent_name: string;
    /** who called whom */
    direction: "outbound" | "inbound";
    /** `web`: from a browser, or over a client's stream */
    channel: "phone" | "web";
    /** the carrier; `stream` for a call over a client's stream, empty for browser calls */
    provider: string;
    /** E.164; empty where `channel` is `web` */
    to_number: string;
    /** E.164; empty where `channel` is `web` */
    from_number: string;
    /** where it is */
    status: "ringing" | "in-progress";
    started_at: string | null;
    /** its batch */
    batch_id: unknown;
  }>;
  /** the first 100 that wait, in the order in which they are served, without those of paused agents and batches */
  queue: Array<{
    /** the id of the call */
    id: string;
    /** its agent */
    agent_id: unknown;
    /** as when the call was placed */
    agent_name: string;
    /** E.164 */
    to_number: string;
    /** E.164 */
    from_number: string;
    /** a person, the label of a key, or `batch <name>` */
    started_by: string;
    /** since when it waits; for a call back the time it waits for */
    queued_at: string;
    /** its batch */
    batch_id: unknown;
  }>;
};

export type AuditEvent = {
  /** 32 hex characters */
  id: string;
  /** ISO 8601 with the offset of the zone asked for */
  at: string;
  /** what happened to what, like `agent.updated` */
  action: string;
  /** who did it */
  actor: {
    /** a person, a key, a connected app, or the service itself */
    kind: "user" | "api_key" | "oauth_app" | "service";
    /** of the person, key or app */
    id: string;
    /** a person's name, or the label of a key */
    name: string;
  };
  /** what was changed */
  target: {
    /** such as `agent` */
    kind: string;
    /** of what was changed */
    id: string;
    /** as it was called then */
    name: string;
  };
  /** field → [old, new]; secrets and prompts as ["changed", "changed"] */
  changes: Record<string, Array<unknown>>;
  /** further facts */
  data: Record<string, unknown>;
  /** where the request came from; empty for what the service did by itself */
  address: string;
  /** the `X-Request-ID` of that request, or empty */
  request_id: string;
};

export type ServerLog = {
  /** 32 hex characters */
  id: string;
  /** ISO 8601 with the offset of the zone asked for */
  at: string;
  /** how bad it is */
  level: "info" | "warning" | "error";
  /** a fixed sentence; what varies is in `data` */
  message: string;
  /** which part of the service wrote it */
  source: "api" | "call" | "webhook" | "batch" | "test" | "job";
  /** the `X-Request-ID` of the request, or empty */
  request_id: string;
  /** the call it is about, or empty */
  call_id: string;
  /** the agent it is about, or empty */
  agent_id: string;
  /** of the request, or empty */
  method: string;
  /** of the endpoint, with names instead of values, or empty */
  path: string;
  /** of the response */
  status: number | null;
  /** until the response was sent */
  duration_ms: number | null;
  /** further facts */
  data: Record<string, unknown>;
};

export type Payment = {
  /** 32 hex characters */
  id: string;
  /** `expired`: not paid within 30 minutes; money that arrives later is credited all the same */
  status: "created" | "paid" | "failed" | "expired";
  /** credits bought, and their price before tax */
  amount_paise: number;
  /** free credits on top: of the pack, and once it is paid of a coupon */
  bonus_paise: number;
  /** GST */
  tax_paise: number;
  /** what is paid */
  total_paise: number;
  /** what went back of it by refunds and disputes */
  refunded_paise: number;
  /** what it is paid in */
  currency: "INR" | "USD";
  /** the pack that was bought; null: an amount */
  pack_id: unknown;
  /** how it was paid, in the words of the gateway, as `card` or `upi`; empty: not known */
  method: string;
  /** its invoice; null until it is paid */
  invoice_id: unknown;
  /** who began it */
  created_by: string;
  /** when it began */
  created_at: string;
  /** null: it has not */
  paid_at: string | null;
  /** why it failed, or why the last attempt did; empty: it did not */
  failure_reason: string;
};

export type StartedPayment = {
  /** 32 hex characters */
  id: string;
  /** `expired`: not paid within 30 minutes; money that arrives later is credited all the same */
  status: "created" | "paid" | "failed" | "expired";
  /** credits bought, and their price before tax */
  amount_paise: number;
  /** free credits on top: of the pack, and once it is paid of a coupon */
  bonus_paise: number;
  /** GST */
  tax_paise: number;
  /** what is paid */
  total_paise: number;
  /** what went back of it by refunds and disputes */
  refunded_paise: number;
  /** what it is paid in */
  currency: "INR" | "USD";
  /** the pack that was bought; null: an amount */
  pack_id: unknown;
  /** how it was paid, in the words of the gateway, as `card` or `upi`; empty: not known */
  method: string;
  /** its invoice; null until it is paid */
  invoice_id: unknown;
  /** who began it */
  created_by: string;
  /** when it began */
  created_at: string;
  /** null: it has not */
  paid_at: string | null;
  /** why it failed, or why the last attempt did; empty: it did not */
  failure_reason: string;
  /** what a page needs to let somebody pay */
  gateway: {
    /** the payment gateway of the currency */
    name: "razorpay" | "stripe";
    /** the gateway's id of what is to be paid */
    order_id: string;
    /** names the account in the checkout; may be empty */
    public_key: string;
    /** the gateway's checkout script for the page; empty: there is none */
    script_url: string;
    /** the page to send the browser to instead; empty: the script opens the checkout */
    checkout_url: string;
  };
};

export type Tool = {
  /** 32 hex characters */
  id: string;
  /** unique in the workspace; what the model and the timeline call it */
  name: string;
  /** when the model should use it */
  description: string;
  /** JSON Schema of the arguments */
  parameters: Record<string, unknown>;
  /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
  kind: "http" | "client";
  /** GET sends the arguments as query parameters, POST as JSON */
  method: "GET" | "POST";
  /** called by the service; no private addresses; needed by an HTTP tool */
  url: string;
  /** values are shown as `***` to callers who may not edit agents */
  headers: Record<string, string>;
  /** said while the request runs */
  pre_call_message: string;
  /** the request is abandoned after this long */
  timeout_seconds: number;
  /** what becomes of a JSON response of status 2xx */
  results: {
    /** where in the JSON what the model gets is; empty: all */
    path: string;
    /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
    variables: Record<string, string>;
    /** said after a success, in place of an answer of the model; `{variables}` are filled in */
    message: string;
  };
  /** agents with a tool of this name and url */
  used_by_agents: number;
  /** a name */
  created_by: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** ISO 8601 with the offset of the zone asked for */
  updated_at: string;
};

export type ToolTest = {
  /** HTTP status of the response; 0 when there was none */
  status: number;
  /** milliseconds from the request to the end of the response */
  latency_ms: number;
  /** what was sent */
  request: {
    /** as the tool says */
    method: "GET" | "POST";
    /** with the query, without user name and password */
    url: string;
    /** values of the tool's own headers are `***` */
    headers: Record<string, string>;
    /** the JSON that was sent; null for GET */
    body: unknown;
  };
  /** names in lower case; 100 at most, values cut to 1,000 characters; empty without a response */
  response_headers: Record<string, string>;
  /** what the model would receive, cut to 3,000 characters */
  result: string;
  /** what variables of the call would get of it */
  variables: Record<string, unknown>;
  /** why there was no response, like `timeout`; empty for a response of any status */
  error: string;
};

export type McpToolList = {
  /** as the server calls itself; empty when it did not answer */
  server_name: string;
  /** revision of the protocol, such as `2025-11-25`; empty when it did not answer */
  protocol: string;
  /** milliseconds to connect and to list */
  latency_ms: number;
  /** what the server has */
  tools: Array<{
    /** as the server calls it */
    name: string;
    /** as the model would call it; empty for a tool that it does not get */
    called: string;
    /** cut to 1,000 characters */
    description: string;
    /** JSON Schema of the arguments */
    parameters: Record<string, unknown>;
    /** why the model does not get it; empty when it does */
    problem: string;
  }>;
  /** why there is no list; empty when there is one */
  error: string;
};

export type WebSession = {
  /** `wss://…/web/<token>`: the socket that a browser opens */
  url: string;
  /** the token alone; works once */
  token: string;
  /** as RTCPeerConnection takes them; empty when browsers reach the engine directly */
  ice_servers: Array<{
    /** `stun:…` or `turn:…` */
    urls: Array<string>;
    /** of a relay that requires one */
    username?: string;
    /** of a relay that requires one; expires after some hours */
    credential?: string;
  }>;
  /** the token is invalid after that, and once the call has ended, which it does after 30 seconds without audio */
  expires_at: string;
};

export type StreamSession = {
  /** `wss://…/stream/<token>`: the socket that the client opens */
  url: string;
  /** the token alone; works once, and again within 5 seconds where the connection broke */
  token: string;
  /** the token is invalid after that, and once the call has ended, which it does after 30 seconds without a stream */
  expires_at: string;
};

export type WebhookDelivery = {
  /** `whd_…` */
  id: string;
  /** the same for all deliveries of one event */
  event_id: string;
  /** such as `call.completed` */
  event_type: string;
  /** `we_…`, `agent` or `campaign` */
  endpoint_id: string;
  /** as at the last attempt */
  url: string;
  /** empty for a ping */
  call_id: string;
  /** whose call it is; may be empty */
  agent_id: string;
  /** retrying: it failed and is tried again */
  status: "pending" | "delivered" | "retrying" | "failed";
  /** automatic and manual */
  attempts: number;
  /** null when nothing answered */
  last_status_code: number | null;
  /** why the last attempt failed; empty when it did not */
  last_error: string;
  /** until the receiver answered; null before the first attempt */
  last_latency_ms: number | null;
  last_attempt_at: string | null;
  next_attempt_at: string | null;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
};

export type WebhookDeliveryWithBodies = {
  /** `whd_…` */
  id: string;
  /** the same for all deliveries of one event */
  event_id: string;
  /** such as `call.completed` */
  event_type: string;
  /** `we_…`, `agent` or `campaign` */
  endpoint_id: string;
  /** as at the last attempt */
  url: string;
  /** empty for a ping */
  call_id: string;
  /** whose call it is; may be empty */
  agent_id: string;
  /** retrying: it failed and is tried again */
  status: "pending" | "delivered" | "retrying" | "failed";
  /** automatic and manual */
  attempts: number;
  /** null when nothing answered */
  last_status_code: number | null;
  /** why the last attempt failed; empty when it did not */
  last_error: string;
  /** until the receiver answered; null before the first attempt */
  last_latency_ms: number | null;
  last_attempt_at: string | null;
  next_attempt_at: string | null;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** of the last attempt, the signature hidden */
  request_headers: Record<string, string>;
  /** exactly what was sent */
  request_body: string;
  /** of the last answer */
  response_headers: Record<string, string>;
  /** the first 4096 bytes */
  response_body: string;
};

export type WebhookEndpoint = {
  /** `we_…` */
  id: string;
  /** https; where deliveries are sent */
  url: string;
  /** at most 200 characters; may be empty */
  description: string;
  /** `*`, or names of events */
  events: Array<string>;
  /** an inactive endpoint gets nothing */
  active: boolean;
  /** `whsec_`, and the first and last four characters of the secret */
  secret_hint: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** a name */
  created_by: string;
};

export type WebhookEndpointWithSecret = {
  /** `we_…` */
  id: string;
  /** https; where deliveries are sent */
  url: string;
  /** at most 200 characters; may be empty */
  description: string;
  /** `*`, or names of events */
  events: Array<string>;
  /** an inactive endpoint gets nothing */
  active: boolean;
  /** `whsec_`, and the first and last four characters of the secret */
  secret_hint: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
  /** a name */
  created_by: string;
  /** `whsec_…`, shown only now */
  secret: string;
};

export type WebhookDefaultSecret = {
  /** `whsec_`, and the first and last four characters of the secret */
  secret_hint: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
};

export type NewWebhookDefaultSecret = {
  /** `whsec_…`, shown only now */
  secret: string;
  /** `whsec_`, and its first and last four characters */
  secret_hint: string;
  /** ISO 8601 with the offset of the zone asked for */
  created_at: string;
};

export type WebhookEventType = {
  /** as in the `type` of a delivery */
  type: string;
  /** when it is sent */
  description: string;
  /** one of those that `*` stands for */
  lifecycle: boolean;
};

export type SearchHit = {
  /** as in the paths of its group */
  id: string;
  /** for display */
  title: string;
  /** a second line; may be empty */
  subtitle: string;
  at: string | null;
};

export type SearchResult = {
  /** newest first, at most 5 */
  agents: Array<SearchHit>;
  /** newest first, at most 5 */
  calls: Array<SearchHit>;
  /** newest first, at most 5 */
  batches: Array<SearchHit>;
  /** newest first, at most 5 */
  knowledge_bases: Array<SearchHit>;
  /** newest first, at most 5 */
  numbers: Array<SearchHit>;
};

export type State = {
  /** two letters, ISO 3166-2:IN */
  code: string;
  /** as it is written */
  name: string;
  /** the first two digits of a GSTIN */
  gst_code: string;
  /** all of them, by name */
  districts: Array<string>;
};

export type Locations = {
  /** states and union territories, by name */
  states: Array<State>;
};

export type PasskeyAdded = {
  /** as it is listed */
  passkey: Passkey;
  /** ten, where two-step sign-in was off; otherwise empty */
  recovery_codes: Array<string>;
};

export type SuggestedTestScenarios = {
  /** as they can be saved */
  items: Array<TestScenarioDraft>;
  /** what it cost, taken from the credits */
  cost_paise: number;
  /** the billing currency of the workspace */
  currency: "INR" | "USD";
};

export type WebCall = {
  /** the call, `ringing` */
  call: Call;
  /** for the browser alone */
  session: WebSession;
};

export type StreamCall = {
  /** the call, `ringing` */
  call: Call;
  /** for the program that carries the audio alone */
  session: StreamSession;
};

export type ListAuditEventsResult = {
  /** this page */
  items: Array<AuditEvent>;
  /** everything that matches the filters */
  total: number;
  /** there are more than `total`; only 10000 are counted */
  total_is_estimate?: true;
};

export type ListLogsResult = {
  /** this page */
  items: Array<ServerLog>;
  /** everything that matches the filters */
  total: number;
  /** there are more than `total`; only 10000 are counted */
  total_is_estimate?: true;
};

export type UpdateAccountBody = {
  /** left out: stays */
  name?: string;
  /** left out: stays */
  timezone?: string;
  /** number of a drawing, or address of a picture; null: none */
  avatar?: number | string | null;
};

export type DeleteAccountBody = {
  /** the present one */
  password: string;
};

export type ChangeEmailBody = {
  /** the new address */
  email: string;
  /** the present one */
  password: string;
};

export type ChangePasswordBody = {
  /** as it was until now */
  current_password: string;
  /** 10 to 200 characters; ends all other sessions */
  new_password: string;
};

export type ConfirmAccountBody = {
  /** the present one; or `code` or `passkey` */
  password?: string;
  /** six digits, or a recovery code; instead of `password` */
  code?: string;
  /** what a passkey signed of `POST /account/passkeys/challenge`; instead of `password` */
  passkey?: {
    /** of the credential, base64url */
    id: string;
    /** the same, base64url */
    rawId: string;
    /** of the credential */
    type: "public-key";
    /** `platform` or `cross-platform`; not read */
    authenticatorAttachment?: string;
    /** not read, because no extension is asked for */
    clientExtensionResults?: {
    };
    /** the authenticator's part */
    response: {
      /** challenge and origin, base64url */
      clientDataJSON: string;
      /** site, flags and counter, base64url */
      authenticatorData: string;
      /** of both, base64url */
      signature: string;
      /** not read */
      userHandle?: string;
    };
  };
};

export type ConfirmAccountResult = {
  /** until when this session counts as confirmed */
  confirmed_until: string;
};

export type RevokeOtherSessionsResult = {
  /** how many ended */
  revoked: number;
};

export type SetUpTwoFactorResult = {
  /** base 32 */
  secret: string;
  /** what the QR code holds */
  otpauth_url: string;
};

export type EnableTwoFactorBody = {
  /** six digits */
  code: string;
};

export type EnableTwoFactorResult = {
  /** ten; each works once, shown only now */
  recovery_codes: Array<string>;
};

export type DisableTwoFactorBody = {
  /** the present one */
  password: string;
  /** or a recovery code */
  code: string;
};

export type CreatePasskeyBody = {
  /** to tell passkeys apart */
  name: string;
  /** what the browser made */
  response: {
    /** of the credential, base64url */
    id: string;
    /** the same, base64url */
    rawId: string;
    /** of the credential */
    type: "public-key";
    /** `platform` or `cross-platform`; not read */
    authenticatorAttachment?: string;
    /** not read, because no extension is asked for */
    clientExtensionResults?: {
    };
    /** the authenticator's part */
    response: {
      /** challenge and origin, base64url */
      clientDataJSON: string;
      /** the public key and what the authenticator says of it, base64url */
      attestationObject: string;
      /** how the authenticator is reached */
      transports?: Array<string>;
    };
  };
};

export type UpdatePasskeyBody = {
  /** to tell passkeys apart */
  name: string;
};

export type CreateLoginChallengeBody = {
  /** from the first step */
  login_token: string;
};

export type LogInWithPasskeyBody = {
  /** from the first step */
  login_token: string;
  /** what the browser made */
  response: {
    /** of the credential, base64url */
    id: string;
    /** the same, base64url */
    rawId: string;
    /** of the credential */
    type: "public-key";
    /** `platform` or `cross-platform`; not read */
    authenticatorAttachment?: string;
    /** not read, because no extension is asked for */
    clientExtensionResults?: {
    };
    /** the authenticator's part */
    response: {
      /** challenge and origin, base64url */
      clientDataJSON: string;
      /** site, flags and counter, base64url */
      authenticatorData: string;
      /** of both, base64url */
      signature: string;
      /** not read */
      userHandle?: string;
    };
  };
};

export type SetAgentCanaryBody = {
  /** the version that a share of the new calls uses */
  version: number;
  /** of the agent's new calls, for a call decided when it is made */
  percent: number;
};

export type CreateAgentShareBody = {
  /** the agent to share */
  agent_id: string;
  /** null: never */
  expires_in_days?: number | null;
};

export type CopySharedAgentBody = {
  /** left out: the shared agent's name */
  name?: string;
};

export type AgentDraft = {
  /** may be left out */
  name?: string;
  /** said first; `{variables}` are filled in */
  welcome_message?: string;
  /** instructions of the language model; `{variables}` are filled in */
  system_prompt?: string;
  /** language model */
  llm?: {
    /** whose language model */
    provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
    /** empty: the provider's default */
    model?: string;
    /** higher is more varied */
    temperature?: number;
    /** the longest reply in tokens */
    max_tokens?: number;
    /** of a speech-to-speech model */
    realtime?: {
      /** the model's own voice; empty: the provider's default */
      voice?: string;
      /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
      output?: "audio" | "text";
      /** who decides that the caller's turn is over */
      turn_detection?: "service" | "model";
      /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
      text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
      /** empty: the provider's default */
      text_model?: string;
    };
  };
  /** text to speech */
  voice?: {
    /** whose voice */
    provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
    /** empty: the provider's default */
    model?: string;
    /** a voice from the voices list; empty: the provider's default */
    voice_id?: string;
    /** display name */
    voice_name?: string;
    /** language the agent speaks */
    language?: string;
    /** 1 is normal */
    speed?: number;
    /** words that are said otherwise than they are written; transcripts keep the word */
    pronunciations?: Array<{
      /** as it is written, one word or several */
      word: string;
      /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
      say?: string;
      /** the same in IPA, for voices that take it; others get `say` */
      ipa?: string;
    }>;
    /** tried in order when the voice fails */
    fallbacks?: Array<{
      /** whose voice */
      provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** left out: the provider's default */
      model?: string;
      /** a voice of the provider */
      voice_id: string;
      /** display name */
      voice_name?: string;
      /** empty: the voice's language */
      language?: string;
    }>;
    /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
    by_language?: Array<{
      /** whose voice */
      provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** left out: the provider's default */
      model?: string;
      /** a voice of the provider; empty: the provider's default for the language */
      voice_id?: string;
      /** display name */
      voice_name?: string;
      /** ISO 639-1, with or without a region */
      language: string;
    }>;
  };
  /** speech to text */
  transcriber?: {
    /** whose transcriber */
    provider?: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
    /** empty: the provider's default */
    model?: string;
    /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
    turn_detection?: "responsive" | "balanced" | "patient";
    /** the caller's language, for a provider that needs to be told */
    language?: string;
    /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
    endpointing_ms?: number;
    /** words the recogniser should expect */
    keyterms?: Array<string>;
    /** tried in order when the transcriber fails */
    fallbacks?: Array<{
      /** whose transcriber */
      provider?: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
      /** empty: the provider's default */
      model?: string;
      /** language the caller speaks */
      language?: string;
    }>;
  };
  /** call behaviour */
  call?: {
    /** the call ends after this long */
    max_duration_seconds?: number;
    /** the call ends when nobody speaks for so long */
    hangup_after_silence_seconds?: number;
    /** where the caller changes to another language that the service knows, the conversation goes on in it */
    follow_language?: boolean;
    /** the caller can talk over the agent, which stops speaking */
    allow_interruptions?: boolean;
    /** words of the caller that stop the agent */
    interruption_min_words?: number;
    /** outbound calls start only inside the hours below */
    calling_hours?: boolean;
    /** in `timezone` */
    call_start_hour?: number;
    /** calls start before this hour */
    call_end_hour?: number;
    /** IANA zone of the calling hours */
    timezone?: string;
    /** keep a stereo recording */
    record?: boolean;
    /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
    filler_after_ms?: number;
    /** what it says then, in turn; empty: phrases of the voice's language */
    filler_phrases?: Array<string>;
    /** said before the agent hangs up when the conversation is over */
    hangup_message?: string;
    /** after each reply, ask the model whether the conversation is over */
    hangup_on_prompt?: boolean;
    /** the question; must be answerable with Yes or No */
    hangup_prompt?: string;
    /** the caller can still talk over the last message */
    hangup_interruptible?: boolean;
    /** ask a quiet caller once whether they are still there */
    check_user_online?: boolean;
    /** what a quiet caller is asked */
    user_online_message?: string;
    /** silence before the question */
    user_online_after_seconds?: number;
    /** background sound; empty for none */
    ambient_sound?: string;
    /** percent */
    ambient_volume?: number;
    /** take noise out of the caller's sound */
    noise_cancellation?: boolean;
    /** percent */
    noise_cancellation_strength?: number;
    /** end the call when a machine answers */
    voicemail_detection?: boolean;
    /** how long is listened for a machine */
    voicemail_detection_seconds?: number;
    /** left on the machine; empty: nothing is left */
    voicemail_message?: string;
    /** shown on the called person's telephone */
    caller_verification_call_reason?: string;
    /** take keys the caller presses */
    dtmf_input?: boolean;
    /** pause after the last key that ends the input */
    dtmf_wait_seconds?: number;
    /** book a call back when the caller asks for one, during the call or by a check after it */
    auto_reschedule?: boolean;
    /** call backs are booked at most so far ahead */
    reschedule_max_days?: number;
    /** the agent may hand the call to a person */
    transfer_enabled?: boolean;
    /** whom it may hand the call to */
    transfer_targets?: Array<{
      /** what the agent calls this person or team */
      name: string;
      /** E.164 */
      number: string;
      /** when to transfer here */
      description?: string;
    }>;
    /** other agents that it may let go on with the call */
    handoffs?: Array<{
      /** an agent of the workspace */
      agent_id: string;
      /** what this agent calls it */
      name: string;
      /** when to hand the call to it */
      description?: string;
      /** how many of the last turns the other agent knows; null: all of them */
      history_turns?: number | null;
      /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
      first_message?: string;
    }>;
    /** said before the transfer */
    transfer_message?: string;
    /** the person hears a summary first */
    transfer_summary?: boolean;
    /** music while a transfer rings, in place of the background */
    hold_music?: boolean;
    /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
    recording_notice?: string;
    /** the agent may pause the recording, by the tools pause_recording and resume_recording */
    recording_pause?: boolean;
    /** a pause of the recording, also one by the API, ends by itself after this long */
    recording_pause_seconds?: number;
    /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
    redact_cards?: boolean;
    /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
    redact_identity_numbers?: boolean;
  };
  /** run once the call ends */
  analytics?: {
    /** write a summary of the call */
    summarize?: boolean;
    /** what to find out from the call */
    extractions?: Array<{
      /** its name in `extracted` */
      key: string;
      /** display name */
      label?: string;
      /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
      type?: "text" | "number" | "boolean" | "choice" | "date" | "list";
      /** what to look for in the call */
      description?: string;
      /** of a `choice` */
      choices?: Array<{
        /** as it is saved */
        value: string;
        /** when this is the one */
        when?: string;
      }>;
    }>;
    /** its result is saved as JSON in `extracted` */
    extraction_prompt?: string;
  };
  /** HTTP tools, and tools of the page, that the model can call */
  tools?: Array<{
    /** what the model and the timeline call it */
    name: string;
    /** when the model should use it */
    description: string;
    /** JSON Schema of the arguments */
    parameters?: Record<string, unknown>;
    /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
    kind?: "http" | "client";
    /** GET sends the arguments as query parameters, POST as JSON */
    method?: "GET" | "POST";
    /** called by the service; no private addresses; needed by an HTTP tool */
    url?: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers?: Record<string, string>;
    /** said while the request runs */
    pre_call_message?: string;
    /** the request is abandoned after this long */
    timeout_seconds?: number;
    /** what becomes of a JSON response of status 2xx */
    results?: {
      /** where in the JSON what the model gets is; empty: all */
      path?: string;
      /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
      variables?: Record<string, string>;
      /** said after a success, in place of an answer of the model; `{variables}` are filled in */
      message?: string;
    };
  }>;
  /** servers of the Model Context Protocol whose tools the model can call */
  mcp_servers?: Array<{
    /** precedes the name of a tool where another tool has that name */
    name: string;
    /** called by the service; no private addresses */
    url: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers?: Record<string, string>;
    /** names of the server's tools that the model may call; empty: all of them */
    tools?: Array<string>;
    /** the request is abandoned after this long */
    timeout_seconds?: number;
  }>;
  /** what the agent may look into */
  knowledge_base_ids?: Array<string>;
  /** auto: small bases stand in the prompt as a whole */
  knowledge_mode?: "auto" | "search";
  /** https; receives the lifecycle events of this agent's calls */
  webhook_url?: string;
  /** a paused agent takes and places no calls */
  status?: "active" | "paused";
  /** number of a drawing, or address of a picture; null: none */
  avatar?: number | string | null;
};

export type GeneratePromptBody = {
  /** what the agent is for, in your words */
  brief: string;
  /** language the agent speaks */
  language?: string;
  /** the agent whose prompt is to be improved */
  agent_id?: string;
  /** how it should sound */
  tone?: string;
};

export type SaveAgentVersionBody = {
  /** for display; 1 to 120 characters */
  name: string;
  /** said first; `{variables}` are filled in */
  welcome_message?: string;
  /** instructions of the language model; `{variables}` are filled in */
  system_prompt?: string;
  /** language model */
  llm?: {
    /** whose language model */
    provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
    /** empty: the provider's default */
    model?: string;
    /** higher is more varied */
    temperature?: number;
    /** the longest reply in tokens */
    max_tokens?: number;
    /** of a speech-to-speech model */
    realtime?: {
      /** the model's own voice; empty: the provider's default */
      voice?: string;
      /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
      output?: "audio" | "text";
      /** who decides that the caller's turn is over */
      turn_detection?: "service" | "model";
      /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
      text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
      /** empty: the provider's default */
      text_model?: string;
    };
  };
  /** text to speech */
  voice?: {
    /** whose voice */
    provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
    /** empty: the provider's default */
    model?: string;
    /** a voice from the voices list; empty: the provider's default */
    voice_id?: string;
    /** display name */
    voice_name?: string;
    /** language the agent speaks */
    language?: string;
    /** 1 is normal */
    speed?: number;
    /** words that are said otherwise than they are written; transcripts keep the word */
    pronunciations?: Array<{
      /** as it is written, one word or several */
      word: string;
      /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
      say?: string;
      /** the same in IPA, for voices that take it; others get `say` */
      ipa?: string;
    }>;
    /** tried in order when the voice fails */
    fallbacks?: Array<{
      /** whose voice */
      provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** left out: the provider's default */
      model?: string;
      /** a voice of the provider */
      voice_id: string;
      /** display name */
      voice_name?: string;
      /** empty: the voice's language */
      language?: string;
    }>;
    /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
    by_language?: Array<{
      /** whose voice */
      provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** left out: the provider's default */
      model?: string;
      /** a voice of the provider; empty: the provider's default for the language */
      voice_id?: string;
      /** display name */
      voice_name?: string;
      /** ISO 639-1, with or without a region */
      language: string;
    }>;
  };
  /** speech to text */
  transcriber?: {
    /** whose transcriber */
    provider?: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
    /** empty: the provider's default */
    model?: string;
    /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
    turn_detection?: "responsive" | "balanced" | "patient";
    /** the caller's language, for a provider that needs to be told */
    language?: string;
    /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
    endpointing_ms?: number;
    /** words the recogniser should expect */
    keyterms?: Array<string>;
    /** tried in order when the transcriber fails */
    fallbacks?: Array<{
      /** whose transcriber */
      provider?: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
      /** empty: the provider's default */
      model?: string;
      /** language the caller speaks */
      language?: string;
    }>;
  };
  /** call behaviour */
  call?: {
    /** the call ends after this long */
    max_duration_seconds?: number;
    /** the call ends when nobody speaks for so long */
    hangup_after_silence_seconds?: number;
    /** where the caller changes to another language that the service knows, the conversation goes on in it */
    follow_language?: boolean;
    /** the caller can talk over the agent, which stops speaking */
    allow_interruptions?: boolean;
    /** words of the caller that stop the agent */
    interruption_min_words?: number;
    /** outbound calls start only inside the hours below */
    calling_hours?: boolean;
    /** in `timezone` */
    call_start_hour?: number;
    /** calls start before this hour */
    call_end_hour?: number;
    /** IANA zone of the calling hours */
    timezone?: string;
    /** keep a stereo recording */
    record?: boolean;
    /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
    filler_after_ms?: number;
    /** what it says then, in turn; empty: phrases of the voice's language */
    filler_phrases?: Array<string>;
    /** said before the agent hangs up when the conversation is over */
    hangup_message?: string;
    /** after each reply, ask the model whether the conversation is over */
    hangup_on_prompt?: boolean;
    /** the question; must be answerable with Yes or No */
    hangup_prompt?: string;
    /** the caller can still talk over the last message */
    hangup_interruptible?: boolean;
    /** ask a quiet caller once whether they are still there */
    check_user_online?: boolean;
    /** what a quiet caller is asked */
    user_online_message?: string;
    /** silence before the question */
    user_online_after_seconds?: number;
    /** background sound; empty for none */
    ambient_sound?: string;
    /** percent */
    ambient_volume?: number;
    /** take noise out of the caller's sound */
    noise_cancellation?: boolean;
    /** percent */
    noise_cancellation_strength?: number;
    /** end the call when a machine answers */
    voicemail_detection?: boolean;
    /** how long is listened for a machine */
    voicemail_detection_seconds?: number;
    /** left on the machine; empty: nothing is left */
    voicemail_message?: string;
    /** shown on the called person's telephone */
    caller_verification_call_reason?: string;
    /** take keys the caller presses */
    dtmf_input?: boolean;
    /** pause after the last key that ends the input */
    dtmf_wait_seconds?: number;
    /** book a call back when the caller asks for one, during the call or by a check after it */
    auto_reschedule?: boolean;
    /** call backs are booked at most so far ahead */
    reschedule_max_days?: number;
    /** the agent may hand the call to a person */
    transfer_enabled?: boolean;
    /** whom it may hand the call to */
    transfer_targets?: Array<{
      /** what the agent calls this person or team */
      name: string;
      /** E.164 */
      number: string;
      /** when to transfer here */
      description?: string;
    }>;
    /** other agents that it may let go on with the call */
    handoffs?: Array<{
      /** an agent of the workspace */
      agent_id: string;
      /** what this agent calls it */
      name: string;
      /** when to hand the call to it */
      description?: string;
      /** how many of the last turns the other agent knows; null: all of them */
      history_turns?: number | null;
      /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
      first_message?: string;
    }>;
    /** said before the transfer */
    transfer_message?: string;
    /** the person hears a summary first */
    transfer_summary?: boolean;
    /** music while a transfer rings, in place of the background */
    hold_music?: boolean;
    /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
    recording_notice?: string;
    /** the agent may pause the recording, by the tools pause_recording and resume_recording */
    recording_pause?: boolean;
    /** a pause of the recording, also one by the API, ends by itself after this long */
    recording_pause_seconds?: number;
    /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
    redact_cards?: boolean;
    /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
    redact_identity_numbers?: boolean;
  };
  /** run once the call ends */
  analytics?: {
    /** write a summary of the call */
    summarize?: boolean;
    /** what to find out from the call */
    extractions?: Array<{
      /** its name in `extracted` */
      key: string;
      /** display name */
      label?: string;
      /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
      type?: "text" | "number" | "boolean" | "choice" | "date" | "list";
      /** what to look for in the call */
      description?: string;
      /** of a `choice` */
      choices?: Array<{
        /** as it is saved */
        value: string;
        /** when this is the one */
        when?: string;
      }>;
    }>;
    /** its result is saved as JSON in `extracted` */
    extraction_prompt?: string;
  };
  /** HTTP tools, and tools of the page, that the model can call */
  tools?: Array<{
    /** what the model and the timeline call it */
    name: string;
    /** when the model should use it */
    description: string;
    /** JSON Schema of the arguments */
    parameters?: Record<string, unknown>;
    /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
    kind?: "http" | "client";
    /** GET sends the arguments as query parameters, POST as JSON */
    method?: "GET" | "POST";
    /** called by the service; no private addresses; needed by an HTTP tool */
    url?: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers?: Record<string, string>;
    /** said while the request runs */
    pre_call_message?: string;
    /** the request is abandoned after this long */
    timeout_seconds?: number;
    /** what becomes of a JSON response of status 2xx */
    results?: {
      /** where in the JSON what the model gets is; empty: all */
      path?: string;
      /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
      variables?: Record<string, string>;
      /** said after a success, in place of an answer of the model; `{variables}` are filled in */
      message?: string;
    };
  }>;
  /** servers of the Model Context Protocol whose tools the model can call */
  mcp_servers?: Array<{
    /** precedes the name of a tool where another tool has that name */
    name: string;
    /** called by the service; no private addresses */
    url: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers?: Record<string, string>;
    /** names of the server's tools that the model may call; empty: all of them */
    tools?: Array<string>;
    /** the request is abandoned after this long */
    timeout_seconds?: number;
  }>;
  /** what the agent may look into */
  knowledge_base_ids?: Array<string>;
  /** auto: small bases stand in the prompt as a whole */
  knowledge_mode?: "auto" | "search";
  /** https; receives the lifecycle events of this agent's calls */
  webhook_url?: string;
  /** a paused agent takes and places no calls */
  status?: "active" | "paused";
  /** number of a drawing, or address of a picture; null: none */
  avatar?: number | string | null;
};

export type UploadAmbientSoundBody = {
  /** WAV or MP3, at most 5 MB, 1 to 120 seconds */
  file: Blob;
  /** for display */
  name: string;
};

export type CreateWebhookBody = {
  /** https on the public internet */
  url: string;
  /** for people */
  description?: string;
  /** `*` stands for the life of a call; the others are listed by GET /webhooks/events */
  events?: Array<"*" | "call.queued" | "call.placed" | "call.started" | "call.ended" | "call.completed" | "call.voicemail" | "call.rescheduled" | "call.transferred" | "call.transfer_status" | "agent.handoff" | "call.control" | "call.dtmf" | "user.turn" | "human_agent.turn" | "agent.reply" | "interrupted" | "user.online_check" | "tool.call" | "tool.result" | "kb.search" | "fallback.used" | "capacity.fallback" | "capacity.exceeded" | "error" | "guardrail.violation">;
  /** an inactive endpoint gets nothing */
  active?: boolean;
};

export type ListWebhookDeliveriesResult = {
  /** this page */
  items: Array<WebhookDelivery>;
  /** everything that matches the filters */
  total: number;
  /** there are more than `total`; only 10000 are counted */
  total_is_estimate?: true;
};

export type UpdateWebhookBody = {
  /** https on the public internet */
  url?: string;
  /** for people */
  description?: string;
  /** left out: stay */
  events?: Array<"*" | "call.queued" | "call.placed" | "call.started" | "call.ended" | "call.completed" | "call.voicemail" | "call.rescheduled" | "call.transferred" | "call.transfer_status" | "agent.handoff" | "call.control" | "call.dtmf" | "user.turn" | "human_agent.turn" | "agent.reply" | "interrupted" | "user.online_check" | "tool.call" | "tool.result" | "kb.search" | "fallback.used" | "capacity.fallback" | "capacity.exceeded" | "error" | "guardrail.violation">;
  /** left out: stays */
  active?: boolean;
};

export type CreateKnowledgeBaseBody = {
  /** for display */
  name: string;
  /** for people; agents do not read it */
  description?: string;
};

export type UpdateKnowledgeBaseBody = {
  /** for display */
  name?: string;
  /** for people; agents do not read it */
  description?: string;
};

export type AddKnowledgeTextBody = {
  /** for display */
  name: string;
  /** plain text */
  text: string;
};

export type AddKnowledgeUrlBody = {
  /** https or http on the public internet; at most 5 MB, 3 redirects */
  url: string;
  /** for display; the page title when left out */
  name?: string;
  /** above 1: links to pages of the same host are followed, nearest first, up to this number of pages */
  max_pages?: number;
};

export type SearchKnowledgeBaseBody = {
  /** a question or words */
  query: string;
  /** passages at most */
  limit?: number;
};

export type UpdateWorkspaceBody = {
  /** left out: stays */
  name?: string;
  /** IANA name; left out: stays */
  timezone?: string;
  /** an empty list: the owner */
  alert_emails?: Array<string>;
};

export type UpdateWorkspaceProfileBody = {
  /** left out: stays; empty: forgotten */
  company_name?: string;
  /** left out: stays; empty: forgotten */
  website?: string;
  /** left out: stays; empty: forgotten */
  industry?: string;
  /** left out: stays; empty: forgotten */
  use_case?: string;
  /** left out: stays; empty: forgotten */
  team_size?: string;
  /** left out: stays; empty: forgotten */
  monthly_calls?: string;
  /** left out: stays; empty: forgotten */
  phone?: string;
  /** left out: stays; empty: forgotten */
  country?: string;
};

export type UpdateSystemLogsBody = {
  /** left out: stays */
  enabled?: boolean;
  /** the lowest that is logged; left out: stays */
  level?: "info" | "warning" | "error";
};

export type UpdateWorkspaceSecurityBody = {
  /** off: only people make and rotate API keys; on: keys without limits and connected apps as well */
  keys_may_make_keys?: boolean;
  /** keys, members, invites, exports and these settings: the password or second factor of the last 15 minutes */
  confirm_password?: boolean;
};

export type CreateLimitRequestBody = {
  /** above the present limit */
  requested_limit: number;
  /** why more are needed */
  reason: string;
};

export type UpdateMemberBody = {
  /** only owners make or unmake owners */
  role: "owner" | "admin" | "developer" | "viewer";
};

export type CreateInviteBody = {
  /** where the link is sent */
  email: string;
  /** owners are made, not invited */
  role: "admin" | "developer" | "viewer";
};

/** a new user: both; a signed-in one: empty */
export type AcceptInviteBody = {
  /** of a new user */
  name?: string;
  /** of a new user; 10 to 200 characters */
  password?: string;
};

export type CreateKeyBody = {
  /** a label */
  name: string;
  /** what it may do; left out: all that keys may */
  scopes?: Array<"agents:read" | "agents:write" | "agent_tests:read" | "agent_tests:write" | "batches:read" | "batches:write" | "billing:read" | "calls:read" | "calls:write" | "catalog:read" | "keys:read" | "keys:write" | "knowledge_bases:read" | "knowledge_bases:write" | "numbers:read" | "observability:read" | "tools:read" | "tools:write" | "webhooks:read" | "webhooks:write" | "workspace:read" | "workspace:write">;
  /** when it stops working; left out: never */
  expires_at?: string;
  /** IP addresses and networks (CIDR) that it is accepted from; empty: any */
  allowed_addresses?: Array<string>;
};

export type RotateKeyBody = {
  /** how long the present key goes on; 0: it stops at once */
  overlap_hours?: number;
};

export type PlaceCallBody = {
  /** whom to call, E.164 */
  to_number: string;
  /** one of the workspace's active numbers */
  from_number?: string;
  /** values of the variables in welcome message and prompt */
  user_data?: Record<string, string | number | boolean>;
  /** not called earlier; at most 7 days ahead */
  not_before?: string;
};

export type ListCallsResult = {
  /** this page */
  items: Array<CallSummary>;
  /** everything that matches the filters */
  total: number;
  /** there are about `total` or more: with `number`, `min_duration` or `q` that many calls match */
  total_is_estimate?: true;
};

export type PauseCallRecordingResult = {
  /** whether the recording is paused now */
  paused: boolean;
};

export type SayInCallBody = {
  /** what the agent says to the caller */
  text: string;
  /** ends what the agent is saying now; else the text follows it. Never said over the caller */
  interrupt?: boolean;
};

export type InstructCallBody = {
  /** added to the agent's prompt from the next reply on */
  text: string;
};

export type SetCallVariablesBody = {
  /** replace or add to the variables of the call, from the next reply or tool on */
  values: Record<string, string | number | boolean>;
};

export type MuteCallBody = {
  /** who is muted */
  side: "agent" | "caller";
  /** false: heard again */
  muted: boolean;
  /** the mute ends by itself after this long; another order to mute starts the time again */
  max_seconds?: number;
};

export type SendCallDtmfBody = {
  /** keys to press: 0 to 9, `*` and `#`; heard by the caller as tones */
  digits: string;
};

export type TransferCallBody = {
  /** one of the agent's transfer targets, by its name */
  target?: string;
  /** or a number, E.164 */
  number?: string;
  /** why, for the summary that the person hears */
  reason?: string;
};

export type HandBackCallBody = {
  /** what the agent should know, in its prompt */
  note?: string;
};

export type TestAgentAnalyticsBody = {
  /** a connected call of the workspace */
  call_id: string;
  /** left out: the agent's own */
  analytics?: {
    /** write a summary of the call */
    summarize?: boolean;
    /** what to find out from the call */
    extractions?: Array<{
      /** its name in `extracted` */
      key: string;
      /** display name */
      label?: string;
      /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
      type?: "text" | "number" | "boolean" | "choice" | "date" | "list";
      /** what to look for in the call */
      description?: string;
      /** of a `choice` */
      choices?: Array<{
        /** as it is saved */
        value: string;
        /** when this is the one */
        when?: string;
      }>;
    }>;
    /** its result is saved as JSON in `extracted` */
    extraction_prompt?: string;
  };
};

export type CreateBatchBody = {
  /** who calls */
  agent_id: string;
  /** a file of contacts; or send `contacts` */
  upload_id?: string;
  /** a number that comes again is skipped */
  contacts?: Array<{
    /** E.164 */
    to_number: string;
    /** values of the variables in welcome message and prompt */
    user_data?: Record<string, string | number | boolean>;
  }>;
  /** default `Batch of <date>` */
  name?: string;
  /** the workspace's active numbers to call from, used in turn */
  from_numbers?: Array<string>;
  /** https; receives the lifecycle events of its calls */
  webhook_url?: string;
  /** starts then, at most 30 days ahead; at once when it is past */
  scheduled_at?: string;
  /** at most this many of its calls live */
  concurrency?: number | null;
  /** calls to one contact at most */
  max_attempts?: number;
  /** until a contact is called again */
  retry_after_minutes?: number;
  /** outcomes after which a contact is called again */
  retry_on?: Array<"no-answer" | "busy" | "failed" | "voicemail">;
};

export type ListBatchesResult = {
  /** this page */
  items: Array<Batch>;
  /** everything that matches the filters */
  total: number;
};

export type UpdateBatchBody = {
  /** shown as `batch <name>` in `started_by` of its calls */
  name?: string;
  /** empty for none */
  webhook_url?: string;
  /** at most this many of its calls live */
  concurrency?: number | null;
};

export type ListBatchContactsResult = {
  /** this page */
  items: Array<BatchContact>;
  /** everything that matches the filters */
  total: number;
};

export type TestScenarioConfiguration = {
  /** for display */
  name: string;
  /** who the caller is and what they want */
  persona: string;
  /** what the caller says first; empty: the caller waits */
  first_message?: string;
  /** values of the variables in welcome message and prompt */
  user_data?: Record<string, string | number | boolean>;
  /** what must be true of the conversation; the run passes when all are */
  criteria: Array<string>;
  /** the conversation ends after so many turns of the caller */
  max_turns?: number;
  /** language the caller speaks, a tag such as `hi` or `en-IN`; empty: the agent's */
  language?: string;
  /** tool name → text the model receives; a tool without an entry answers `ok`, and no request is sent. With an entry for `transfer_call` the caller comes back to the agent with this text */
  tool_results?: Record<string, string>;
};

/** optional: without it a run is in text */
export type RunAllTestsBody = {
  /** `voice`: a synthesized caller speaks with the agent on a simulated line */
  mode?: "text" | "voice";
  /** behind the caller, some 20 dB below their voice; for `voice` only */
  background_noise?: "none" | "office" | "call_centre" | "cafe" | "street";
  /** how many replies the caller talks over, the first that last long enough; for `voice` only */
  interruptions?: number;
};

export type RunAllTestsResult = {
  /** one per scenario, the newest scenario first */
  runs: Array<TestRun>;
};

export type SuggestTestScenariosBody = {
  /** how many; fewer come when the model writes some that cannot be saved */
  count?: number;
  /** what they are to be about */
  focus?: string;
};

export type CreateExportBody = {
  /** the recordings of calls as well */
  recordings?: boolean;
};

export type EraseCallsBody = {
  /** of the person, E.164 */
  number: string;
};

export type ListLedgerResult = {
  /** this page */
  items: Array<LedgerItem>;
  /** everything that matches the filters */
  total: number;
  /** there are more than `total`; only 10000 are counted */
  total_is_estimate?: true;
};

export type SwitchPlanBody = {
  /** one whose `can_switch` is true */
  plan_id: string;
};

export type BuyCallLinesBody = {
  /** lines */
  quantity: number;
};

export type RedeemCouponBody = {
  /** upper or lower case */
  code: string;
};

export type ReplaceKycBody = {
  /** as registered; 2 to 200 characters */
  legal_name?: string;
  /** empty until it is chosen */
  business_type?: "proprietorship" | "partnership" | "llp" | "private_limited" | "public_limited" | "trust" | "individual" | "foreign" | "";
  /** ten characters, such as ABCDE1234F; India */
  pan?: string;
  /** holds the PAN; its check character must be right */
  gstin?: string;
  /** of companies in India */
  cin?: string;
  /** outside India */
  tax_id?: string;
  /** address of the business's pages */
  website?: string;
  /** where the business is registered */
  address?: {
    /** street and number */
    line1?: string;
    /** further lines; may be empty */
    line2?: string;
    /** town or city */
    city?: string;
    /** in India: the name or the code of a state of `/locations/india` */
    state?: string;
    /** in India six digits */
    pincode?: string;
    /** ISO 3166-1, two letters */
    country?: string;
  };
  /** whom to ask */
  contact_name?: string;
  /** of the person to ask */
  contact_email?: string;
  /** of the person to ask */
  contact_phone?: string;
  /** what the calls are for */
  use_case?: string;
  /** what an agent would say */
  sample_script?: string;
};

export type CreateCallerIdRequestBody = {
  /** E.164, active numbers of the workspace; the part may be repeated */
  numbers: Array<string>;
  /** what the called person reads */
  display_name: string;
  /** shown beside the name */
  call_reason: string;
  /** PNG or JPG, at most 1 MB */
  logo: Blob;
};

export type AppealGuardrailIncidentBody = {
  /** why the incident is none */
  text: string;
};

export type ToolConfiguration = {
  /** what the model and the timeline call it */
  name: string;
  /** when the model should use it */
  description: string;
  /** JSON Schema of the arguments */
  parameters?: Record<string, unknown>;
  /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
  kind?: "http" | "client";
  /** GET sends the arguments as query parameters, POST as JSON */
  method?: "GET" | "POST";
  /** called by the service; no private addresses; needed by an HTTP tool */
  url?: string;
  /** values are shown as `***` to callers who may not edit agents */
  headers?: Record<string, string>;
  /** said while the request runs */
  pre_call_message?: string;
  /** the request is abandoned after this long */
  timeout_seconds?: number;
  /** what becomes of a JSON response of status 2xx */
  results?: {
    /** where in the JSON what the model gets is; empty: all */
    path?: string;
    /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
    variables?: Record<string, string>;
    /** said after a success, in place of an answer of the model; `{variables}` are filled in */
    message?: string;
  };
};

export type TestToolBody = {
  /** the tool to test; left out: the saved one */
  tool?: {
    /** what the model and the timeline call it */
    name: string;
    /** when the model should use it */
    description: string;
    /** JSON Schema of the arguments */
    parameters?: Record<string, unknown>;
    /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
    kind?: "http" | "client";
    /** GET sends the arguments as query parameters, POST as JSON */
    method?: "GET" | "POST";
    /** called by the service; no private addresses; needed by an HTTP tool */
    url?: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers?: Record<string, string>;
    /** said while the request runs */
    pre_call_message?: string;
    /** the request is abandoned after this long */
    timeout_seconds?: number;
    /** what becomes of a JSON response of status 2xx */
    results?: {
      /** where in the JSON what the model gets is; empty: all */
      path?: string;
      /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
      variables?: Record<string, string>;
      /** said after a success, in place of an answer of the model; `{variables}` are filled in */
      message?: string;
    };
  };
  /** a saved tool; header values sent as `***` are taken from it */
  tool_id?: string;
  /** as the model would give them; checked against `parameters`; at most 100,000 characters of JSON */
  arguments?: Record<string, unknown>;
};

export type FindMcpToolsBody = {
  /** an agent's `mcp_servers[]` */
  server: {
    /** precedes the name of a tool where another tool has that name */
    name: string;
    /** called by the service; no private addresses */
    url: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers?: Record<string, string>;
    /** names of the server's tools that the model may call; empty: all of them */
    tools?: Array<string>;
    /** the request is abandoned after this long */
    timeout_seconds?: number;
  };
  /** header values sent as `***` are those of this agent's saved server of the same name */
  agent_id?: string;
};

export type BuyNumberBody = {
  /** as a search of the last hour found it, E.164 */
  number: string;
};

export type ConnectNumberBody = {
  /** who answers inbound calls */
  agent_id: string;
};

export type StartTopUpBody = {
  /** a pack of `GET /billing/packs` */
  pack_id?: string;
  /** credits, before tax: 10000 to 50000000 in INR, 500 to 1000000 in USD */
  amount_paise?: number;
};

export type CompletePaymentBody = {
  /** what the checkout returned: Razorpay's payment id, Stripe's id of the checkout session */
  gateway_payment_id: string;
  /** what Razorpay signed; Stripe signs nothing */
  gateway_signature?: string;
};

export type StartWebCallBody = {
  /** values of the variables in welcome message and prompt */
  user_data?: Record<string, string | number | boolean>;
};

export type TakeOverCallBody = {
  /** the agent goes on as well: a conference of three */
  keep_agent?: boolean;
};

export type UploadKnowledgeFileBody = {
  /** PDF, DOCX, TXT, MD, HTML or CSV, at most 20 MB */
  file: Blob;
};

export type UploadContactsBody = {
  /** CSV in UTF-8 with a header, at most 5 MB and 10000 rows */
  file: Blob;
  /** the column with the numbers; else phone, phone_number, to_number, number, mobile or contact_number */
  phone_column?: string;
  /** of numbers without a plus */
  country_code?: string;
};

export type UploadKycDocumentBody = {
  /** PDF, PNG or JPG, at most 10 MB; an image becomes a PDF */
  file: Blob;
  /** what paper it is */
  kind: "registration" | "tax" | "identity" | "address" | "authorization" | "other";
};

/** What webhooks get. */
export type WebhookEvent =
  | PingEvent
  | CallQueuedEvent
  | CallPlacedEvent
  | CallStartedEvent
  | CallEndedEvent
  | CallCompletedEvent
  | CallVoicemailEvent
  | CallRescheduledEvent
  | CallTransferredEvent
  | CallTransferStatusEvent
  | AgentHandoffEvent
  | CallControlEvent
  | CallDtmfEvent
  | UserTurnEvent
  | HumanAgentTurnEvent
  | AgentReplyEvent
  | InterruptedEvent
  | UserOnlineCheckEvent
  | ToolCallEvent
  | ToolResultEvent
  | KbSearchEvent
  | FallbackUsedEvent
  | CapacityFallbackEvent
  | CapacityExceededEvent
  | ErrorEvent
  | GuardrailViolationEvent;

/** What each operation takes and returns. */
export interface Operations {
  /**
   * Who changed what, newest first; deleted after 2 years
   *
   * `GET /api/v1/audit-events`
   *
   * Permission: logs.view. Scope of a limited key: observability:read.
   */
  listAuditEvents: {
    input: {
      /** the action, or its beginning: `agent.` */
      action?: string;
      /** the id of a user, key or app */
      actor_id?: string;
      /** the id of what was changed */
      target_id?: string;
      /** ISO 8601; without an offset it is read in the zone of the request */
      since?: string;
      /** ISO 8601; without an offset it is read in the zone of the request */
      until?: string;
      /** rows in the response */
      limit?: number;
      /** rows left out before them */
      skip?: number;
    };
    output: ListAuditEventsResult;
    item: AuditEvent;
  };
  /**
   * What the service did for the workspace, newest first; deleted after 14 days
   *
   * `GET /api/v1/logs`
   *
   * Permission: logs.view. Scope of a limited key: observability:read.
   */
  listLogs: {
    input: {
      /** comma-separated */
      level?: Array<"info" | "warning" | "error">;
      /** only lines of this part of the service */
      source?: "api" | "call" | "webhook" | "batch" | "test" | "job";
      /** the `X-Request-ID` of a response */
      request_id?: string;
      /** the id of a call */
      call_id?: string;
      /** text in the message or the data; frequent text is counted in the newest 5000 lines */
      q?: string;
      /** ISO 8601; without an offset it is read in the zone of the request */
      since?: string;
      /** ISO 8601; without an offset it is read in the zone of the request */
      until?: string;
      /** rows in the response */
      limit?: number;
      /** rows left out before them */
      skip?: number;
    };
    output: ListLogsResult;
    item: ServerLog;
  };
  /**
   * Calls, answer rate, failures, latency and cost, by day or hour
   *
   * `GET /api/v1/observability/summary`
   *
   * Permission: calls.view. Scope of a limited key: observability:read.
   */
  getCallsSummary: {
    input: {
      /** calls created at this time or later; default the last 7 days of the zone */
      since?: string;
      /** calls created before this time; default now */
      until?: string;
      /** calls of this agent */
      agent_id?: string;
      /** at most 366 days or 744 hours */
      bucket?: "day" | "hour";
    };
    output: CallsSummary;
  };
  /**
   * Calls ringing or in progress now, and the queue
   *
   * `GET /api/v1/observability/live`
   *
   * Permission: calls.view. Scope of a limited key: observability:read.
   */
  getLiveCalls: {
    input: Record<never, never>;
    output: LiveCalls;
  };
  /**
   * A new user with a new workspace; signs in
   *
   * `POST /api/v1/auth/signup`
   */
  signUp: {
    input: {
      body: SignupInput;
    };
    output: AuthResult;
  };
  /**
   * Sign in; with two-step sign-in on, the first step
   *
   * `POST /api/v1/auth/login`
   */
  logIn: {
    input: {
      body: LoginInput;
    };
    output: AuthResult | TwoFactorRequired;
  };
  /**
   * The second step of signing in
   *
   * `POST /api/v1/auth/login/2fa`
   */
  logInWithCode: {
    input: {
      body: TwoFactorLoginInput;
    };
    output: AuthResult;
  };
  /**
   * Who this credential stands for, and what it may do
   *
   * `GET /api/v1/auth/me`
   */
  getMe: {
    input: Record<never, never>;
    output: Me;
  };
  /**
   * Sign out: this session ends
   *
   * `POST /api/v1/auth/logout`
   */
  logOut: {
    input: Record<never, never>;
    output: undefined;
  };
  /**
   * The signed-in user
   *
   * `GET /api/v1/account`
   */
  getAccount: {
    input: Record<never, never>;
    output: Account;
  };
  /**
   * Change name, zone or avatar
   *
   * `PATCH /api/v1/account`
   */
  updateAccount: {
    input: {
      body: UpdateAccountBody;
    };
    output: Account;
  };
  /**
   * Delete the account; workspaces where nobody else is are closed
   *
   * `DELETE /api/v1/account`
   */
  deleteAccount: {
    input: {
      body: DeleteAccountBody;
    };
    output: undefined;
  };
  /**
   * Ask for another email; it takes effect once the mailed link is followed
   *
   * `POST /api/v1/account/email`
   */
  changeEmail: {
    input: {
      body: ChangeEmailBody;
    };
    output: Account;
  };
  /**
   * Change the password; other sessions end
   *
   * `POST /api/v1/account/password`
   */
  changePassword: {
    input: {
      body: ChangePasswordBody;
    };
    output: undefined;
  };
  /**
   * Enter the password or a second factor again, or use a passkey, for what asks for it within 15 minutes
   *
   * `POST /api/v1/account/confirm`
   */
  confirmAccount: {
    input: {
      body: ConfirmAccountBody;
    };
    output: ConfirmAccountResult;
  };
  /**
   * Where the user is signed in, the last 50
   *
   * `GET /api/v1/account/sessions`
   */
  listSessions: {
    input: Record<never, never>;
    output: Array<Session>;
  };
  /**
   * End a session
   *
   * `DELETE /api/v1/account/sessions/{session_id}`
   */
  revokeSession: {
    input: {
      /** the id of the session */
      session_id: string;
    };
    output: undefined;
  };
  /**
   * End every session but this one
   *
   * `POST /api/v1/account/sessions/revoke-others`
   */
  revokeOtherSessions: {
    input: Record<never, never>;
    output: RevokeOtherSessionsResult;
  };
  /**
   * Begin two-step sign-in: the secret for an authenticator app, valid for 15 minutes
   *
   * `POST /api/v1/account/2fa/setup`
   */
  setUpTwoFactor: {
    input: {
      body: DeleteAccountBody;
    };
    output: SetUpTwoFactorResult;
  };
  /**
   * Switch two-step sign-in on with a first code; the recovery codes are shown once
   *
   * `POST /api/v1/account/2fa/enable`
   */
  enableTwoFactor: {
    input: {
      body: EnableTwoFactorBody;
    };
    output: EnableTwoFactorResult;
  };
  /**
   * Switch two-step sign-in off
   *
   * `POST /api/v1/account/2fa/disable`
   */
  disableTwoFactor: {
    input: {
      body: DisableTwoFactorBody;
    };
    output: undefined;
  };
  /**
   * The user's passkeys, oldest first
   *
   * `GET /api/v1/account/passkeys`
   */
  listPasskeys: {
    input: Record<never, never>;
    output: Array<Passkey>;
  };
  /**
   * Add a passkey; the first second factor switches two-step sign-in on and shows the recovery codes once
   *
   * `POST /api/v1/account/passkeys`
   *
   * Needs the password or second factor entered in the last 15 minutes.
   */
  createPasskey: {
    input: {
      body: CreatePasskeyBody;
    };
    output: PasskeyAdded;
  };
  /**
   * Begin to add a passkey: what the browser makes it of
   *
   * `POST /api/v1/account/passkeys/setup`
   *
   * Needs the password or second factor entered in the last 15 minutes.
   */
  setUpPasskey: {
    input: Record<never, never>;
    output: PasskeySetup;
  };
  /**
   * What a passkey has to sign for `POST /account/confirm`
   *
   * `POST /api/v1/account/passkeys/challenge`
   */
  createConfirmationChallenge: {
    input: Record<never, never>;
    output: PasskeyChallenge;
  };
  /**
   * Rename a passkey
   *
   * `PATCH /api/v1/account/passkeys/{passkey_id}`
   */
  updatePasskey: {
    input: {
      /** the id of the passkey */
      passkey_id: string;
      body: UpdatePasskeyBody;
    };
    output: Passkey;
  };
  /**
   * Remove a passkey; with the last second factor two-step sign-in goes off
   *
   * `DELETE /api/v1/account/passkeys/{passkey_id}`
   *
   * Needs the password or second factor entered in the last 15 minutes.
   */
  deletePasskey: {
    input: {
      /** the id of the passkey */
      passkey_id: string;
    };
    output: undefined;
  };
  /**
   * What a passkey has to sign as the second step of signing in
   *
   * `POST /api/v1/auth/login/passkey/challenge`
   */
  createLoginChallenge: {
    input: {
      body: CreateLoginChallengeBody;
    };
    output: PasskeyChallenge;
  };
  /**
   * The second step of signing in, with a passkey
   *
   * `POST /api/v1/auth/login/passkey`
   */
  logInWithPasskey: {
    input: {
      body: LogInWithPasskeyBody;
    };
    output: AuthResult;
  };
  /**
   * The version that a share of the new calls uses, and how its calls went beside the others
   *
   * `GET /api/v1/agents/{agent_id}/canary`
   *
   * Permission: calls.view. Scope of a limited key: agents:read.
   */
  getAgentCanary: {
    input: {
      /** the id of the agent */
      agent_id: string;
    };
    output: AgentCanary;
  };
  /**
   * Give a version a share of the new calls, or its canary another share
   *
   * `PUT /api/v1/agents/{agent_id}/canary`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  setAgentCanary: {
    input: {
      /** the id of the agent */
      agent_id: string;
      body: SetAgentCanaryBody;
    };
    output: AgentCanarySettings;
  };
  /**
   * End the canary: all new calls use the version in use
   *
   * `DELETE /api/v1/agents/{agent_id}/canary`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  dropAgentCanary: {
    input: {
      /** the id of the agent */
      agent_id: string;
    };
    output: undefined;
  };
  /**
   * End the canary by saving its configuration as the agent's new version; the status stays as it is
   *
   * `POST /api/v1/agents/{agent_id}/canary/promote`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  promoteAgentCanary: {
    input: {
      /** the id of the agent */
      agent_id: string;
      /** the version the change was made from; another one answers 409 */
      if_match?: string;
    };
    output: SavedAgent;
  };
  /**
   * Share an agent as it is now
   *
   * `POST /api/v1/agent-shares`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  createAgentShare: {
    input: {
      body: CreateAgentShareBody;
    };
    output: AgentShare;
  };
  /**
   * What this workspace shares, newest first; expired shares are left out
   *
   * `GET /api/v1/agent-shares`
   *
   * Permission: agents.view. Scope of a limited key: agents:read.
   */
  listAgentShares: {
    input: Record<never, never>;
    output: Array<AgentShare>;
  };
  /**
   * A shared agent, of any workspace
   *
   * `GET /api/v1/agent-shares/{token}`
   *
   * Permission: agents.view. Scope of a limited key: agents:read.
   */
  getSharedAgent: {
    input: {
      /** the id of the share */
      token: string;
    };
    output: SharedAgent;
  };
  /**
   * Stop sharing; copies stay
   *
   * `DELETE /api/v1/agent-shares/{token}`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  deleteAgentShare: {
    input: {
      /** the id of the share */
      token: string;
    };
    output: undefined;
  };
  /**
   * Make an agent of this workspace from a shared one
   *
   * `POST /api/v1/agent-shares/{token}/copy`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  copySharedAgent: {
    input: {
      /** the id of the share */
      token: string;
      body: CopySharedAgentBody;
    };
    output: SavedAgent;
  };
  /**
   * The agents you pinned, newest pin first
   *
   * `GET /api/v1/agents/pins`
   *
   * Permission: agents.view.
   */
  listPinnedAgents: {
    input: Record<never, never>;
    output: Array<string>;
  };
  /**
   * Pin an agent for yourself
   *
   * `PUT /api/v1/agents/{agent_id}/pin`
   *
   * Permission: agents.view.
   */
  pinAgent: {
    input: {
      /** the id of the agent */
      agent_id: string;
    };
    output: undefined;
  };
  /**
   * Take your pin off an agent
   *
   * `DELETE /api/v1/agents/{agent_id}/pin`
   *
   * Permission: agents.view.
   */
  unpinAgent: {
    input: {
      /** the id of the agent */
      agent_id: string;
    };
    output: undefined;
  };
  /**
   * What a minute with the agent will cost
   *
   * `GET /api/v1/agents/{agent_id}/pricing`
   *
   * Permission: agents.view. Scope of a limited key: agents:read.
   */
  getAgentPricing: {
    input: {
      /** web leaves telephony out */
      channel?: "phone" | "web";
      /** the id of the agent */
      agent_id: string;
    };
    output: PriceEstimate;
  };
  /**
   * What a minute would cost with this configuration; nothing is saved
   *
   * `POST /api/v1/agents/pricing`
   *
   * Permission: agents.view. Scope of a limited key: agents:read.
   */
  estimatePricing: {
    input: {
      /** web leaves telephony out */
      channel?: "phone" | "web";
      body: AgentDraft;
    };
    output: PriceEstimate;
  };
  /**
   * How quickly the agent answered in the last days, today included
   *
   * `GET /api/v1/agents/{agent_id}/latency`
   *
   * Permission: calls.view. Scope of a limited key: agents:read.
   */
  getAgentLatency: {
    input: {
      /** until now */
      days?: number;
      /** the id of the agent */
      agent_id: string;
    };
    output: AgentLatency;
  };
  /**
   * Generate a welcome message and a prompt from a brief; nothing is saved
   *
   * `POST /api/v1/agents/prompt/generate`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  generatePrompt: {
    input: {
      body: GeneratePromptBody;
    };
    output: GeneratedPrompt;
  };
  /**
   * The stored versions of an agent, newest first
   *
   * `GET /api/v1/agents/{agent_id}/versions`
   *
   * Permission: agents.view. Scope of a limited key: agents:read.
   */
  listAgentVersions: {
    input: {
      /** the id of the agent */
      agent_id: string;
    };
    output: Array<AgentVersion>;
  };
  /**
   * Save a configuration as a version that no call uses until it is restored or gets a share of them
   *
   * `POST /api/v1/agents/{agent_id}/versions`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  saveAgentVersion: {
    input: {
      /** the id of the agent */
      agent_id: string;
      body: SaveAgentVersionBody;
    };
    output: AgentVersion;
  };
  /**
   * One stored version with its configuration
   *
   * `GET /api/v1/agents/{agent_id}/versions/{version}`
   *
   * Permission: agents.view. Scope of a limited key: agents:read.
   */
  getAgentVersion: {
    input: {
      /** the id of the agent */
      agent_id: string;
      /** the number of the version */
      version: string;
    };
    output: AgentVersionWithConfiguration;
  };
  /**
   * Save an earlier configuration as a new version; the status stays as it is
   *
   * `POST /api/v1/agents/{agent_id}/versions/{version}/restore`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  restoreAgentVersion: {
    input: {
      /** the id of the agent */
      agent_id: string;
      /** the number of the version */
      version: string;
      /** the version the change was made from; another one answers 409 */
      if_match?: string;
    };
    output: SavedAgent;
  };
  /**
   * All agents, newest first
   *
   * `GET /api/v1/agents`
   *
   * Permission: agents.view. Scope of a limited key: agents:read.
   */
  listAgents: {
    input: Record<never, never>;
    output: Array<Agent>;
  };
  /**
   * Make an agent
   *
   * `POST /api/v1/agents`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  createAgent: {
    input: {
      body: SaveAgentVersionBody;
    };
    output: SavedAgent;
  };
  /**
   * One agent
   *
   * `GET /api/v1/agents/{agent_id}`
   *
   * Permission: agents.view. Scope of a limited key: agents:read.
   */
  getAgent: {
    input: {
      /** the id of the agent */
      agent_id: string;
    };
    output: Agent;
  };
  /**
   * Save the whole configuration; what is left out gets its default
   *
   * `PUT /api/v1/agents/{agent_id}`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  replaceAgent: {
    input: {
      /** the id of the agent */
      agent_id: string;
      /** the version the change was made from; another one answers 409 */
      if_match?: string;
      body: SaveAgentVersionBody;
    };
    output: SavedAgent;
  };
  /**
   * Remove an agent: its queued calls fail, its number is disconnected, live calls go on
   *
   * `DELETE /api/v1/agents/{agent_id}`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  deleteAgent: {
    input: {
      /** the id of the agent */
      agent_id: string;
    };
    output: undefined;
  };
  /**
   * Make another agent with the same configuration
   *
   * `POST /api/v1/agents/{agent_id}/duplicate`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  duplicateAgent: {
    input: {
      /** the id of the agent */
      agent_id: string;
    };
    output: SavedAgent;
  };
  /**
   * Background sounds: the built-in ones and the uploads, newest first
   *
   * `GET /api/v1/ambient`
   *
   * Permission: agents.view. Scope of a limited key: agents:read.
   */
  listAmbientSounds: {
    input: Record<never, never>;
    output: Array<AmbientSound>;
  };
  /**
   * Upload a background sound; it is stored as mono WAV at 16 kHz
   *
   * `POST /api/v1/ambient`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  uploadAmbientSound: {
    input: {
      body: UploadAmbientSoundBody;
    };
    output: AmbientSound;
  };
  /**
   * A background sound as a WAV file
   *
   * `GET /api/v1/ambient/{sound}/audio`
   *
   * Permission: agents.view. Scope of a limited key: agents:read.
   */
  getAmbientSoundAudio: {
    input: {
      /** the id, or the 32 hex characters of an upload */
      sound: string;
    };
    output: Response;
  };
  /**
   * Remove an uploaded sound that no agent uses
   *
   * `DELETE /api/v1/ambient/{sound}`
   *
   * Permission: agents.edit. Scope of a limited key: agents:write.
   */
  deleteAmbientSound: {
    input: {
      /** the id, or the 32 hex characters of an upload */
      sound: string;
    };
    output: undefined;
  };
  /**
   * Models with their prices, and languages
   *
   * `GET /api/v1/catalog`
   *
   * Permission: agents.view. Scope of a limited key: catalog:read.
   */
  getCatalog: {
    input: {
      /** comma-separated parts of the answer; left out: all */
      kind?: Array<"llm_models" | "tts_models" | "stt_models" | "languages">;
    };
    output: Catalog;
  };
  /**
   * Voices of the providers that the service has credentials of
   *
   * `GET /api/v1/voices`
   *
   * Permission: agents.view. Scope of a limited key: catalog:read.
   */
  listVoices: {
    input: {
      /** of this provider only */
      provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** that this model speaks with */
      model?: string;
      /** that speak this language */
      language?: string;
      /** of this gender */
      gender?: "female" | "male" | "neutral";
      /** part of name, accent, description or id */
      q?: string;
    };
    output: Array<Voice>;
  };
  /**
   * The voice saying a sentence; made once by its provider, then stored
   *
   * `GET /api/v1/voices/{voice_id}/preview`
   *
   * Permission: agents.view. Scope of a limited key: catalog:read.
   */
  getVoicePreview: {
    input: {
      /** whose voice; left out: the first that has such an id */
      provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
      /** of the sentence; left out: the voice's own */
      language?: string;
      /** the id of the voice */
      voice_id: string;
    };
    output: Response;
  };
  /**
   * Create an endpoint; its secret is shown once
   *
   * `POST /api/v1/webhooks`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:write. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  createWebhook: {
    input: {
      body: CreateWebhookBody;
    };
    output: WebhookEndpointWithSecret;
  };
  /**
   * All endpoints, newest first
   *
   * `GET /api/v1/webhooks`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:read.
   */
  listWebhooks: {
    input: Record<never, never>;
    output: Array<WebhookEndpoint>;
  };
  /**
   * The types of events that can be subscribed to
   *
   * `GET /api/v1/webhooks/events`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:read.
   */
  listWebhookEventTypes: {
    input: Record<never, never>;
    output: Array<WebhookEventType>;
  };
  /**
   * The hint of the secret that signs for agents and campaigns
   *
   * `GET /api/v1/webhooks/default-secret`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:read.
   */
  getDefaultWebhookSecret: {
    input: Record<never, never>;
    output: WebhookDefaultSecret;
  };
  /**
   * A new default secret, shown once; the old one is invalid at once
   *
   * `POST /api/v1/webhooks/default-secret/rotate`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:write. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  rotateDefaultWebhookSecret: {
    input: Record<never, never>;
    output: NewWebhookDefaultSecret;
  };
  /**
   * Deliveries of the last 30 days, newest first
   *
   * `GET /api/v1/webhooks/deliveries`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:read.
   */
  listWebhookDeliveries: {
    input: {
      /** an endpoint, `agent` or `campaign` */
      endpoint_id?: string;
      /** comma-separated */
      status?: Array<"pending" | "delivered" | "retrying" | "failed">;
      /** comma-separated */
      event_type?: Array<"ping" | "call.queued" | "call.placed" | "call.started" | "call.ended" | "call.completed" | "call.voicemail" | "call.rescheduled" | "call.transferred" | "call.transfer_status" | "agent.handoff" | "call.control" | "call.dtmf" | "user.turn" | "human_agent.turn" | "agent.reply" | "interrupted" | "user.online_check" | "tool.call" | "tool.result" | "kb.search" | "fallback.used" | "capacity.fallback" | "capacity.exceeded" | "error" | "guardrail.violation">;
      /** only those about this call */
      call_id?: string;
      /** made at this time or later */
      since?: string;
      /** made before this time */
      until?: string;
      /** rows in the response */
      limit?: number;
      /** rows left out before them */
      skip?: number;
    };
    output: ListWebhookDeliveriesResult;
    item: WebhookDelivery;
  };
  /**
   * One delivery with its request and response
   *
   * `GET /api/v1/webhooks/deliveries/{delivery_id}`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:read.
   */
  getWebhookDelivery: {
    input: {
      /** the id of the delivery */
      delivery_id: string;
    };
    output: WebhookDeliveryWithBodies;
  };
  /**
   * One extra attempt now; the schedule is not restarted
   *
   * `POST /api/v1/webhooks/deliveries/{delivery_id}/retry`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:write.
   */
  retryWebhookDelivery: {
    input: {
      /** the id of the delivery */
      delivery_id: string;
    };
    output: WebhookDeliveryWithBodies;
  };
  /**
   * Change an endpoint; fields that are not sent stay
   *
   * `PATCH /api/v1/webhooks/{endpoint_id}`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:write.
   */
  updateWebhook: {
    input: {
      /** the id of the webhook endpoint */
      endpoint_id: string;
      body: UpdateWebhookBody;
    };
    output: WebhookEndpoint;
  };
  /**
   * Delete an endpoint; its waiting deliveries fail
   *
   * `DELETE /api/v1/webhooks/{endpoint_id}`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:write.
   */
  deleteWebhook: {
    input: {
      /** the id of the webhook endpoint */
      endpoint_id: string;
    };
    output: undefined;
  };
  /**
   * Send one ping now, without retries; also to an inactive endpoint
   *
   * `POST /api/v1/webhooks/{endpoint_id}/test`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:write.
   */
  testWebhook: {
    input: {
      /** the id of the webhook endpoint */
      endpoint_id: string;
    };
    output: WebhookDeliveryWithBodies;
  };
  /**
   * A new secret, shown once; the old one is invalid at once
   *
   * `POST /api/v1/webhooks/{endpoint_id}/rotate-secret`
   *
   * Permission: keys.manage. Scope of a limited key: webhooks:write. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  rotateWebhookSecret: {
    input: {
      /** the id of the webhook endpoint */
      endpoint_id: string;
    };
    output: WebhookEndpointWithSecret;
  };
  /**
   * All knowledge bases, newest first
   *
   * `GET /api/v1/knowledge-bases`
   *
   * Permission: agents.view. Scope of a limited key: knowledge_bases:read.
   */
  listKnowledgeBases: {
    input: Record<never, never>;
    output: Array<KnowledgeBase>;
  };
  /**
   * Make a knowledge base
   *
   * `POST /api/v1/knowledge-bases`
   *
   * Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
   */
  createKnowledgeBase: {
    input: {
      body: CreateKnowledgeBaseBody;
    };
    output: KnowledgeBase;
  };
  /**
   * One knowledge base with its sources
   *
   * `GET /api/v1/knowledge-bases/{kb_id}`
   *
   * Permission: agents.view. Scope of a limited key: knowledge_bases:read.
   */
  getKnowledgeBase: {
    input: {
      /** the id of the knowledge base */
      kb_id: string;
    };
    output: KnowledgeBaseWithSources;
  };
  /**
   * Rename or describe a knowledge base
   *
   * `PATCH /api/v1/knowledge-bases/{kb_id}`
   *
   * Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
   */
  updateKnowledgeBase: {
    input: {
      /** the id of the knowledge base */
      kb_id: string;
      body: UpdateKnowledgeBaseBody;
    };
    output: KnowledgeBase;
  };
  /**
   * Remove a knowledge base that no agent uses
   *
   * `DELETE /api/v1/knowledge-bases/{kb_id}`
   *
   * Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
   */
  deleteKnowledgeBase: {
    input: {
      /** the id of the knowledge base */
      kb_id: string;
    };
    output: undefined;
  };
  /**
   * Add a text; it is processed in the background
   *
   * `POST /api/v1/knowledge-bases/{kb_id}/sources/text`
   *
   * Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
   */
  addKnowledgeText: {
    input: {
      /** the id of the knowledge base */
      kb_id: string;
      body: AddKnowledgeTextBody;
    };
    output: KnowledgeSource;
  };
  /**
   * Add a page, or a page and those of its host that it leads to; they are read in the background
   *
   * `POST /api/v1/knowledge-bases/{kb_id}/sources/url`
   *
   * Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
   */
  addKnowledgeUrl: {
    input: {
      /** the id of the knowledge base */
      kb_id: string;
      body: AddKnowledgeUrlBody;
    };
    output: KnowledgeSource;
  };
  /**
   * Remove a source and its passages
   *
   * `DELETE /api/v1/knowledge-bases/{kb_id}/sources/{source_id}`
   *
   * Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
   */
  deleteKnowledgeSource: {
    input: {
      /** the id of the knowledge base */
      kb_id: string;
      /** the id of the source */
      source_id: string;
    };
    output: undefined;
  };
  /**
   * Process a source again; its old passages stay searchable until then
   *
   * `POST /api/v1/knowledge-bases/{kb_id}/sources/{source_id}/reprocess`
   *
   * Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
   */
  reprocessKnowledgeSource: {
    input: {
      /** the id of the knowledge base */
      kb_id: string;
      /** the id of the source */
      source_id: string;
    };
    output: KnowledgeSource;
  };
  /**
   * What an agent would find here
   *
   * `POST /api/v1/knowledge-bases/{kb_id}/search`
   *
   * Permission: agents.view. Scope of a limited key: knowledge_bases:read.
   */
  searchKnowledgeBase: {
    input: {
      /** the id of the knowledge base */
      kb_id: string;
      body: SearchKnowledgeBaseBody;
    };
    output: KnowledgeSearch;
  };
  /**
   * The workspace
   *
   * `GET /api/v1/workspace`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  getWorkspace: {
    input: Record<never, never>;
    output: Workspace;
  };
  /**
   * Rename the workspace, change its zone or who is alerted
   *
   * `PATCH /api/v1/workspace`
   *
   * Permission: members.manage.
   */
  updateWorkspace: {
    input: {
      body: UpdateWorkspaceBody;
    };
    output: Workspace;
  };
  /**
   * Change the profile of the business; what is left out stays
   *
   * `PATCH /api/v1/workspace/profile`
   *
   * Permission: members.manage.
   */
  updateWorkspaceProfile: {
    input: {
      body: UpdateWorkspaceProfileBody;
    };
    output: Workspace;
  };
  /**
   * Switch server logs on or off, and choose the lowest level that is logged
   *
   * `PATCH /api/v1/workspace/system-logs`
   *
   * Permission: members.manage.
   */
  updateSystemLogs: {
    input: {
      body: UpdateSystemLogsBody;
    };
    output: Workspace;
  };
  /**
   * Let keys make keys, or no longer ask for the password again; only by owners
   *
   * `PATCH /api/v1/workspace/security`
   *
   * Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  updateWorkspaceSecurity: {
    input: {
      body: UpdateWorkspaceSecurityBody;
    };
    output: Workspace;
  };
  /**
   * What the workspace may use, and what of it is in use
   *
   * `GET /api/v1/workspace/limits`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  getLimits: {
    input: Record<never, never>;
    output: Limits;
  };
  /**
   * Requests for a higher limit, the last 50, newest first
   *
   * `GET /api/v1/workspace/limits/requests`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  listLimitRequests: {
    input: Record<never, never>;
    output: Array<LimitRequest>;
  };
  /**
   * Ask for a higher limit of live calls
   *
   * `POST /api/v1/workspace/limits/requests`
   *
   * Permission: members.manage.
   */
  createLimitRequest: {
    input: {
      body: CreateLimitRequestBody;
    };
    output: LimitRequest;
  };
  /**
   * All members, newest first
   *
   * `GET /api/v1/members`
   *
   * Permission: members.view. Scope of a limited key: workspace:read.
   */
  listMembers: {
    input: Record<never, never>;
    output: Array<Member>;
  };
  /**
   * Change the role of a member; only owners make or unmake owners
   *
   * `PATCH /api/v1/members/{user_id}`
   *
   * Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  updateMember: {
    input: {
      /** the id of the member */
      user_id: string;
      body: UpdateMemberBody;
    };
    output: Member;
  };
  /**
   * Remove a member; the keys they made go on
   *
   * `DELETE /api/v1/members/{user_id}`
   *
   * Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  removeMember: {
    input: {
      /** the id of the member */
      user_id: string;
    };
    output: undefined;
  };
  /**
   * Invites that were not accepted yet, newest first
   *
   * `GET /api/v1/invites`
   *
   * Permission: members.view. Scope of a limited key: workspace:read.
   */
  listInvites: {
    input: Record<never, never>;
    output: Array<Invite>;
  };
  /**
   * Invite somebody by mail
   *
   * `POST /api/v1/invites`
   *
   * Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  createInvite: {
    input: {
      body: CreateInviteBody;
    };
    output: NewInvite;
  };
  /**
   * Take an invite back, by its id
   *
   * `DELETE /api/v1/invites/{invite}`
   *
   * Permission: members.manage.
   */
  deleteInvite: {
    input: {
      /** the id of the invite */
      invite: string;
    };
    output: undefined;
  };
  /**
   * What an invite is about, by the token of its link
   *
   * `GET /api/v1/invites/{invite}`
   */
  getInvite: {
    input: {
      /** the id of the invite */
      invite: string;
    };
    output: InviteInfo;
  };
  /**
   * Join by the token of the link: as a new user, or signed in as the invited one with an empty body
   *
   * `POST /api/v1/invites/{invite}/accept`
   */
  acceptInvite: {
    input: {
      /** the id of the invite */
      invite: string;
      body: AcceptInviteBody;
    };
    output: AuthResult;
  };
  /**
   * All API keys, newest first
   *
   * `GET /api/v1/keys`
   *
   * Permission: agents.view. Scope of a limited key: keys:read.
   */
  listKeys: {
    input: Record<never, never>;
    output: Array<ApiKey>;
  };
  /**
   * Make an API key; it is shown this once
   *
   * `POST /api/v1/keys`
   *
   * Permission: keys.manage. Scope of a limited key: keys:write. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  createKey: {
    input: {
      body: CreateKeyBody;
    };
    output: NewApiKey;
  };
  /**
   * Replace an API key by one with the same limits, shown this once; the present one goes on for a while
   *
   * `POST /api/v1/keys/{key_id}/rotate`
   *
   * Permission: keys.manage. Scope of a limited key: keys:write. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  rotateKey: {
    input: {
      /** the id of the key */
      key_id: string;
      body: RotateKeyBody;
    };
    output: NewApiKey;
  };
  /**
   * Revoke an API key; it stops working at once
   *
   * `DELETE /api/v1/keys/{key_id}`
   *
   * Permission: keys.manage. Scope of a limited key: keys:write.
   */
  revokeKey: {
    input: {
      /** the id of the key */
      key_id: string;
    };
    output: undefined;
  };
  /**
   * Find agents, calls, batches, knowledge bases and numbers
   *
   * `GET /api/v1/search`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  searchWorkspace: {
    input: {
      /** part of a name or number */
      q: string;
    };
    output: SearchResult;
  };
  /**
   * Fixed lists for forms
   *
   * `GET /api/v1/masters`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  getMasters: {
    input: Record<never, never>;
    output: Masters;
  };
  /**
   * The states and union territories of India with their districts and GST codes
   *
   * `GET /api/v1/locations/india`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  getIndianLocations: {
    input: Record<never, never>;
    output: Locations;
  };
  /**
   * Place a call: it joins the queue and is dialled when a slot is free
   *
   * `POST /api/v1/agents/{agent_id}/call`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  placeCall: {
    input: {
      /** the id of the agent */
      agent_id: string;
      body: PlaceCallBody;
    };
    output: Call;
  };
  /**
   * Calls, newest first
   *
   * `GET /api/v1/calls`
   *
   * Permission: calls.view. Scope of a limited key: calls:read.
   */
  listCalls: {
    input: {
      /** calls of this agent */
      agent_id?: string;
      /** calls of this batch */
      batch_id?: string;
      /** comma-separated */
      status?: Array<"queued" | "ringing" | "in-progress" | "ended" | "completed" | "no-answer" | "busy" | "canceled" | "failed">;
      /** who called whom */
      direction?: "outbound" | "inbound";
      /** telephone, or browser and client's stream */
      channel?: "phone" | "web";
      /** either side: E.164, or at least its last 4 digits */
      number?: string;
      /** where it is known */
      answered_by?: "human" | "machine";
      /** created at this time or later */
      since?: string;
      /** created before this time */
      until?: string;
      /** seconds; lasted at least so long */
      min_duration?: number;
      /** words of the summary or the transcript */
      q?: string;
      /** rows in the response */
      limit?: number;
      /** rows left out before them */
      skip?: number;
      /** the last call of the page before: goes on behind it, whatever was created meanwhile */
      after?: string;
    };
    output: ListCallsResult;
    item: CallSummary;
  };
  /**
   * The calls that match as CSV, newest first, at most 50000
   *
   * `GET /api/v1/calls/export`
   *
   * Permission: calls.view. Scope of a limited key: calls:read.
   */
  exportCalls: {
    input: {
      /** calls of this agent */
      agent_id?: string;
      /** calls of this batch */
      batch_id?: string;
      /** comma-separated */
      status?: Array<"queued" | "ringing" | "in-progress" | "ended" | "completed" | "no-answer" | "busy" | "canceled" | "failed">;
      /** who called whom */
      direction?: "outbound" | "inbound";
      /** telephone, or browser and client's stream */
      channel?: "phone" | "web";
      /** either side: E.164, or at least its last 4 digits */
      number?: string;
      /** where it is known */
      answered_by?: "human" | "machine";
      /** created at this time or later */
      since?: string;
      /** created before this time */
      until?: string;
      /** seconds; lasted at least so long */
      min_duration?: number;
      /** words of the summary or the transcript */
      q?: string;
    };
    output: Response;
  };
  /**
   * One call with its transcript
   *
   * `GET /api/v1/calls/{call_id}`
   *
   * Permission: calls.view. Scope of a limited key: calls:read.
   */
  getCall: {
    input: {
      /** the id of the call */
      call_id: string;
    };
    output: Call;
  };
  /**
   * The whole timeline of a call, in order
   *
   * `GET /api/v1/calls/{call_id}/events`
   *
   * Permission: calls.view. Scope of a limited key: calls:read.
   */
  listCallEvents: {
    input: {
      /** the id of the call */
      call_id: string;
    };
    output: Array<TimelineItem>;
  };
  /**
   * The recording in stereo, caller left, agent right, as WAV or Opus; `Range` is understood for WAV
   *
   * `GET /api/v1/calls/{call_id}/recording`
   *
   * Permission: calls.view. Scope of a limited key: calls:read.
   */
  getCallRecording: {
    input: {
      /** `opus`: in Ogg, about a tenth of the size */
      format?: "wav" | "opus";
      /** the id of the call */
      call_id: string;
    };
    output: Response;
  };
  /**
   * End a live call, or cancel a queued one
   *
   * `POST /api/v1/calls/{call_id}/hangup`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  hangUpCall: {
    input: {
      /** the id of the call */
      call_id: string;
    };
    output: Call;
  };
  /**
   * Pause the recording of a live call: both sides are silent in it; ends by itself
   *
   * `POST /api/v1/calls/{call_id}/recording/pause`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  pauseCallRecording: {
    input: {
      /** the id of the call */
      call_id: string;
    };
    output: PauseCallRecordingResult;
  };
  /**
   * Resume the recording of a live call
   *
   * `POST /api/v1/calls/{call_id}/recording/resume`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  resumeCallRecording: {
    input: {
      /** the id of the call */
      call_id: string;
    };
    output: PauseCallRecordingResult;
  };
  /**
   * Have the agent of a live call say a text
   *
   * `POST /api/v1/calls/{call_id}/say`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  sayInCall: {
    input: {
      /** the id of the call */
      call_id: string;
      body: SayInCallBody;
    };
    output: LiveOrderDone;
  };
  /**
   * Add an instruction to the agent's prompt, for the rest of a live call
   *
   * `POST /api/v1/calls/{call_id}/instructions`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  instructCall: {
    input: {
      /** the id of the call */
      call_id: string;
      body: InstructCallBody;
    };
    output: LiveOrderDone;
  };
  /**
   * Change variables of a live call
   *
   * `POST /api/v1/calls/{call_id}/variables`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  setCallVariables: {
    input: {
      /** the id of the call */
      call_id: string;
      body: SetCallVariablesBody;
    };
    output: LiveOrderDone;
  };
  /**
   * Mute the agent or the caller of a live call, or unmute them; a muted caller is recorded, and not transcribed
   *
   * `POST /api/v1/calls/{call_id}/mute`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  muteCall: {
    input: {
      /** the id of the call */
      call_id: string;
      body: MuteCallBody;
    };
    output: LiveOrderDone;
  };
  /**
   * Press keys in a live call, as into the menu of another service
   *
   * `POST /api/v1/calls/{call_id}/dtmf`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  sendCallDtmf: {
    input: {
      /** the id of the call */
      call_id: string;
      body: SendCallDtmfBody;
    };
    output: LiveOrderDone;
  };
  /**
   * Hand the caller of a live call over to a person, as the agent would
   *
   * `POST /api/v1/calls/{call_id}/transfer`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  transferCall: {
    input: {
      /** the id of the call */
      call_id: string;
      body: TransferCallBody;
    };
    output: LiveOrderDone;
  };
  /**
   * Leave the caller of a live call to the agent again, with a note for it
   *
   * `POST /api/v1/calls/{call_id}/hand-back`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  handBackCall: {
    input: {
      /** the id of the call */
      call_id: string;
      body: HandBackCallBody;
    };
    output: LiveOrderDone;
  };
  /**
   * Run post-call analytics again, by the agent's present configuration; charged
   *
   * `POST /api/v1/calls/{call_id}/analyze`
   *
   * Permission: agents.edit. Scope of a limited key: calls:write.
   */
  analyzeCall: {
    input: {
      /** the id of the call */
      call_id: string;
    };
    output: Call;
  };
  /**
   * Run an analytics configuration on one finished call; nothing is saved, the run is charged
   *
   * `POST /api/v1/agents/{agent_id}/analytics/test`
   *
   * Permission: agents.edit. Scope of a limited key: calls:write.
   */
  testAgentAnalytics: {
    input: {
      /** the id of the agent */
      agent_id: string;
      body: TestAgentAnalyticsBody;
    };
    output: AnalyticsTest;
  };
  /**
   * An upload with its preview and its errors
   *
   * `GET /api/v1/batches/uploads/{upload_id}`
   *
   * Permission: calls.place. Scope of a limited key: batches:read.
   */
  getContactUpload: {
    input: {
      /** the id of the upload */
      upload_id: string;
    };
    output: ContactUpload;
  };
  /**
   * Call a list of people: at once, or at scheduled_at
   *
   * `POST /api/v1/batches`
   *
   * Permission: calls.place. Scope of a limited key: batches:write.
   */
  createBatch: {
    input: {
      body: CreateBatchBody;
    };
    output: Batch;
  };
  /**
   * Batches, newest first, with counts per contact status
   *
   * `GET /api/v1/batches`
   *
   * Permission: calls.view. Scope of a limited key: batches:read.
   */
  listBatches: {
    input: {
      /** comma-separated, at most 80 characters */
      status?: Array<"scheduled" | "running" | "paused" | "completed" | "canceled">;
      /** batches of this agent */
      agent_id?: string;
      /** rows in the response */
      limit?: number;
      /** rows left out before them */
      skip?: number;
    };
    output: ListBatchesResult;
    item: Batch;
  };
  /**
   * One batch
   *
   * `GET /api/v1/batches/{batch_id}`
   *
   * Permission: calls.view. Scope of a limited key: batches:read.
   */
  getBatch: {
    input: {
      /** the id of the batch */
      batch_id: string;
    };
    output: Batch;
  };
  /**
   * Change name, webhook URL or concurrency of a batch that is not over
   *
   * `PATCH /api/v1/batches/{batch_id}`
   *
   * Permission: calls.place. Scope of a limited key: batches:write.
   */
  updateBatch: {
    input: {
      /** the id of the batch */
      batch_id: string;
      body: UpdateBatchBody;
    };
    output: Batch;
  };
  /**
   * Remove a batch that neither runs nor is paused; its calls stay
   *
   * `DELETE /api/v1/batches/{batch_id}`
   *
   * Permission: calls.place. Scope of a limited key: batches:write.
   */
  deleteBatch: {
    input: {
      /** the id of the batch */
      batch_id: string;
    };
    output: undefined;
  };
  /**
   * Its contacts in row order
   *
   * `GET /api/v1/batches/{batch_id}/contacts`
   *
   * Permission: calls.view. Scope of a limited key: batches:read.
   */
  listBatchContacts: {
    input: {
      /** comma-separated */
      status?: Array<"pending" | "queued" | "in-progress" | "retrying" | "completed" | "no-answer" | "busy" | "failed" | "voicemail" | "canceled" | "skipped">;
      /** rows in the response */
      limit?: number;
      /** rows left out before them */
      skip?: number;
      /** the id of the batch */
      batch_id: string;
    };
    output: ListBatchContactsResult;
    item: BatchContact;
  };
  /**
   * Dial nothing new: live calls go on, its queued calls wait
   *
   * `POST /api/v1/batches/{batch_id}/pause`
   *
   * Permission: calls.place. Scope of a limited key: batches:write.
   */
  pauseBatch: {
    input: {
      /** the id of the batch */
      batch_id: string;
    };
    output: Batch;
  };
  /**
   * Resume a paused batch
   *
   * `POST /api/v1/batches/{batch_id}/resume`
   *
   * Permission: calls.place. Scope of a limited key: batches:write.
   */
  resumeBatch: {
    input: {
      /** the id of the batch */
      batch_id: string;
    };
    output: Batch;
  };
  /**
   * End it: waiting contacts and queued calls are canceled, live calls go on
   *
   * `POST /api/v1/batches/{batch_id}/cancel`
   *
   * Permission: calls.place. Scope of a limited key: batches:write.
   */
  cancelBatch: {
    input: {
      /** the id of the batch */
      batch_id: string;
    };
    output: Batch;
  };
  /**
   * The result of each contact, as CSV
   *
   * `GET /api/v1/batches/{batch_id}/results`
   *
   * Permission: calls.view. Scope of a limited key: batches:read.
   */
  getBatchResults: {
    input: {
      /** the id of the batch */
      batch_id: string;
    };
    output: Response;
  };
  /**
   * An agent's scenarios, newest first
   *
   * `GET /api/v1/agents/{agent_id}/tests`
   *
   * Permission: agents.view. Scope of a limited key: agent_tests:read.
   */
  listTestScenarios: {
    input: {
      /** the id of the agent */
      agent_id: string;
    };
    output: Array<TestScenario>;
  };
  /**
   * Make a scenario: a caller, and what is expected of the agent
   *
   * `POST /api/v1/agents/{agent_id}/tests`
   *
   * Permission: agents.edit. Scope of a limited key: agent_tests:write.
   */
  createTestScenario: {
    input: {
      /** the id of the agent */
      agent_id: string;
      body: TestScenarioConfiguration;
    };
    output: TestScenario;
  };
  /**
   * One scenario
   *
   * `GET /api/v1/agents/{agent_id}/tests/{scenario_id}`
   *
   * Permission: agents.view. Scope of a limited key: agent_tests:read.
   */
  getTestScenario: {
    input: {
      /** the id of the agent */
      agent_id: string;
      /** the id of the scenario */
      scenario_id: string;
    };
    output: TestScenario;
  };
  /**
   * Replace a scenario; what is left out gets its default, and runs keep it as it was
   *
   * `PUT /api/v1/agents/{agent_id}/tests/{scenario_id}`
   *
   * Permission: agents.edit. Scope of a limited key: agent_tests:write.
   */
  replaceTestScenario: {
    input: {
      /** the id of the agent */
      agent_id: string;
      /** the id of the scenario */
      scenario_id: string;
      body: TestScenarioConfiguration;
    };
    output: TestScenario;
  };
  /**
   * Remove a scenario; its runs stay readable
   *
   * `DELETE /api/v1/agents/{agent_id}/tests/{scenario_id}`
   *
   * Permission: agents.edit. Scope of a limited key: agent_tests:write.
   */
  deleteTestScenario: {
    input: {
      /** the id of the agent */
      agent_id: string;
      /** the id of the scenario */
      scenario_id: string;
    };
    output: undefined;
  };
  /**
   * Queue a run of each of the agent's scenarios
   *
   * `POST /api/v1/agents/{agent_id}/tests/run-all`
   *
   * Permission: agents.edit. Scope of a limited key: agent_tests:write.
   */
  runAllTests: {
    input: {
      /** the id of the agent */
      agent_id: string;
      body: RunAllTestsBody;
    };
    output: RunAllTestsResult;
  };
  /**
   * The last 50 runs of a scenario, newest first
   *
   * `GET /api/v1/agents/{agent_id}/tests/{scenario_id}/runs`
   *
   * Permission: agents.view. Scope of a limited key: agent_tests:read.
   */
  listTestRuns: {
    input: {
      /** the id of the agent */
      agent_id: string;
      /** the id of the scenario */
      scenario_id: string;
    };
    output: Array<TestRun>;
  };
  /**
   * Queue a run against the agent's saved version; two run at once, oldest first
   *
   * `POST /api/v1/agents/{agent_id}/tests/{scenario_id}/runs`
   *
   * Permission: agents.edit. Scope of a limited key: agent_tests:write.
   */
  runTest: {
    input: {
      /** the id of the agent */
      agent_id: string;
      /** the id of the scenario */
      scenario_id: string;
      body: RunAllTestsBody;
    };
    output: TestRun;
  };
  /**
   * One run; poll it until its status is passed, failed or error
   *
   * `GET /api/v1/test-runs/{run_id}`
   *
   * Permission: agents.view. Scope of a limited key: agent_tests:read.
   */
  getTestRun: {
    input: {
      /** the id of the test run */
      run_id: string;
    };
    output: TestRun;
  };
  /**
   * The recording of a run aloud: stereo WAV, caller left, agent right; `Range` is understood
   *
   * `GET /api/v1/test-runs/{run_id}/recording`
   *
   * Permission: agents.view. Scope of a limited key: agent_tests:read.
   */
  getTestRunRecording: {
    input: {
      /** the id of the test run */
      run_id: string;
    };
    output: Response;
  };
  /**
   * Draft scenarios from the configuration of the agent; nothing is saved
   *
   * `POST /api/v1/agents/{agent_id}/tests/suggest`
   *
   * Permission: agents.edit. Scope of a limited key: agent_tests:write.
   */
  suggestTestScenarios: {
    input: {
      /** the id of the agent */
      agent_id: string;
      body: SuggestTestScenariosBody;
    };
    output: SuggestedTestScenarios;
  };
  /**
   * Exports of the workspace, newest first; only for owners
   *
   * `GET /api/v1/workspace/exports`
   *
   * Permission: members.manage.
   */
  listExports: {
    input: Record<never, never>;
    output: Array<WorkspaceExport>;
  };
  /**
   * Export all that the workspace has into an archive; poll the list until it is ready; only for owners
   *
   * `POST /api/v1/workspace/exports`
   *
   * Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  createExport: {
    input: {
      body: CreateExportBody;
    };
    output: WorkspaceExport;
  };
  /**
   * The archive: JSON lines for each kind of record, and WAV files; only for owners
   *
   * `GET /api/v1/workspace/exports/{export_id}/download`
   *
   * Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  downloadExport: {
    input: {
      /** the id of the export */
      export_id: string;
    };
    output: Response;
  };
  /**
   * Remove an export, or stop one that is being made; only for owners
   *
   * `DELETE /api/v1/workspace/exports/{export_id}`
   *
   * Permission: members.manage.
   */
  deleteExport: {
    input: {
      /** the id of the export */
      export_id: string;
    };
    output: undefined;
  };
  /**
   * Erase all calls with one person: recordings, transcripts, timelines, deliveries and server logs; what they cost stays in the ledger; only for owners
   *
   * `POST /api/v1/workspace/erasures`
   *
   * Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
   */
  eraseCalls: {
    input: {
      body: EraseCallsBody;
    };
    output: CallErasure;
  };
  /**
   * Credits, and how long they last
   *
   * `GET /api/v1/billing`
   *
   * Permission: billing.view. Scope of a limited key: billing:read.
   */
  getBalance: {
    input: Record<never, never>;
    output: Balance;
  };
  /**
   * Every movement of credits, newest first
   *
   * `GET /api/v1/billing/ledger`
   *
   * Permission: billing.view. Scope of a limited key: billing:read.
   */
  listLedger: {
    input: {
      /** only rows of this kind */
      kind?: "grant" | "coupon" | "topup" | "call" | "plan" | "number" | "caller_id" | "lines" | "composer" | "test" | "conversion" | "adjustment";
      /** rows in the response */
      limit?: number;
      /** rows left out before them */
      skip?: number;
    };
    output: ListLedgerResult;
    item: LedgerItem;
  };
  /**
   * Calls, minutes and credits of a month, day by day
   *
   * `GET /api/v1/billing/usage`
   *
   * Permission: billing.view. Scope of a limited key: billing:read.
   */
  getUsage: {
    input: {
      /** `YYYY-MM`, default the present one; days are those of the zone asked for */
      month?: string;
    };
    output: Usage;
  };
  /**
   * All plans, priced in the currency of the workspace
   *
   * `GET /api/v1/billing/plans`
   *
   * Permission: billing.view. Scope of a limited key: billing:read.
   */
  listPlans: {
    input: Record<never, never>;
    output: Array<Plan>;
  };
  /**
   * The workspace's plan, and until when it is paid
   *
   * `GET /api/v1/billing/plan`
   *
   * Permission: billing.view. Scope of a limited key: billing:read.
   */
  getPlan: {
    input: Record<never, never>;
    output: OwnPlan;
  };
  /**
   * Switch to another plan at once; the first 30 days are paid from credits
   *
   * `POST /api/v1/billing/plan`
   *
   * Permission: billing.manage.
   */
  switchPlan: {
    input: {
      body: SwitchPlanBody;
    };
    output: OwnPlan;
  };
  /**
   * Credit packs that can be bought
   *
   * `GET /api/v1/billing/packs`
   *
   * Permission: billing.view. Scope of a limited key: billing:read.
   */
  listCreditPacks: {
    input: Record<never, never>;
    output: Array<CreditPack>;
  };
  /**
   * Extra call lines
   *
   * `GET /api/v1/billing/lines`
   *
   * Permission: billing.view. Scope of a limited key: billing:read.
   */
  getCallLines: {
    input: Record<never, never>;
    output: CallLines;
  };
  /**
   * Buy extra call lines, paid from credits until the end of their cycle
   *
   * `POST /api/v1/billing/lines`
   *
   * Permission: billing.manage.
   */
  buyCallLines: {
    input: {
      body: BuyCallLinesBody;
    };
    output: CallLines;
  };
  /**
   * Remove extra call lines at once, without a refund
   *
   * `POST /api/v1/billing/lines/remove`
   *
   * Permission: billing.manage.
   */
  removeCallLines: {
    input: {
      body: BuyCallLinesBody;
    };
    output: CallLines;
  };
  /**
   * Redeem a code: credits at once, or a bonus on the next top-up
   *
   * `POST /api/v1/billing/coupons/redeem`
   *
   * Permission: billing.manage.
   */
  redeemCoupon: {
    input: {
      body: RedeemCouponBody;
    };
    output: RedeemedCoupon;
  };
  /**
   * The last 200 invoices, newest first
   *
   * `GET /api/v1/billing/invoices`
   *
   * Permission: billing.view. Scope of a limited key: billing:read.
   */
  listInvoices: {
    input: Record<never, never>;
    output: Array<Invoice>;
  };
  /**
   * An invoice or a credit note as PDF
   *
   * `GET /api/v1/billing/invoices/{invoice_id}/pdf`
   *
   * Permission: billing.view. Scope of a limited key: billing:read.
   */
  getInvoicePdf: {
    input: {
      /** the id of the invoice */
      invoice_id: string;
    };
    output: Response;
  };
  /**
   * The business details and where they stand
   *
   * `GET /api/v1/kyc`
   *
   * Permission: kyc.manage.
   */
  getKyc: {
    input: Record<never, never>;
    output: Kyc;
  };
  /**
   * Save the business details; what is left out is empty
   *
   * `PUT /api/v1/kyc`
   *
   * Permission: kyc.manage.
   */
  replaceKyc: {
    input: {
      body: ReplaceKycBody;
    };
    output: Kyc;
  };
  /**
   * A document as a PDF
   *
   * `GET /api/v1/kyc/documents/{doc_id}`
   *
   * Permission: kyc.manage.
   */
  getKycDocument: {
    input: {
      /** the id of the document */
      doc_id: string;
    };
    output: Response;
  };
  /**
   * Remove a document
   *
   * `DELETE /api/v1/kyc/documents/{doc_id}`
   *
   * Permission: kyc.manage.
   */
  deleteKycDocument: {
    input: {
      /** the id of the document */
      doc_id: string;
    };
    output: undefined;
  };
  /**
   * Ask the service to look at the business details
   *
   * `POST /api/v1/kyc/submit`
   *
   * Permission: kyc.manage.
   */
  submitKyc: {
    input: Record<never, never>;
    output: Kyc;
  };
  /**
   * Requests for a shown caller id, newest first
   *
   * `GET /api/v1/caller-id`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  listCallerIdRequests: {
    input: Record<never, never>;
    output: Array<CallerIdRequest>;
  };
  /**
   * Ask that phones show a name and a logo for numbers of the workspace
   *
   * `POST /api/v1/caller-id`
   *
   * Permission: numbers.manage.
   */
  createCallerIdRequest: {
    input: {
      body: CreateCallerIdRequestBody;
    };
    output: CallerIdRequest;
  };
  /**
   * The logo of a request
   *
   * `GET /api/v1/caller-id/{request_id}/logo`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  getCallerIdLogo: {
    input: {
      /** the id of the caller-id request */
      request_id: string;
    };
    output: Response;
  };
  /**
   * Take a request back that is not decided yet
   *
   * `POST /api/v1/caller-id/{request_id}/withdraw`
   *
   * Permission: numbers.manage.
   */
  withdrawCallerIdRequest: {
    input: {
      /** the id of the caller-id request */
      request_id: string;
    };
    output: CallerIdRequest;
  };
  /**
   * End a caller id that is shown
   *
   * `POST /api/v1/caller-id/{request_id}/remove`
   *
   * Permission: numbers.manage.
   */
  removeCallerId: {
    input: {
      /** the id of the caller-id request */
      request_id: string;
    };
    output: CallerIdRequest;
  };
  /**
   * The rules that agents are held to, newest first
   *
   * `GET /api/v1/guardrails/rules`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  listGuardrailRules: {
    input: Record<never, never>;
    output: Array<GuardrailRule>;
  };
  /**
   * How many incidents there are, and of which rules
   *
   * `GET /api/v1/guardrails/summary`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  getGuardrailSummary: {
    input: Record<never, never>;
    output: GuardrailSummary;
  };
  /**
   * The last 200 incidents, newest first
   *
   * `GET /api/v1/guardrails/incidents`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  listGuardrailIncidents: {
    input: {
      /** comma-separated */
      status?: Array<"open" | "acknowledged" | "appealed" | "upheld" | "dismissed">;
      /** only those of this agent */
      agent_id?: string;
    };
    output: Array<GuardrailIncident>;
  };
  /**
   * One incident
   *
   * `GET /api/v1/guardrails/incidents/{incident_id}`
   *
   * Permission: agents.view. Scope of a limited key: workspace:read.
   */
  getGuardrailIncident: {
    input: {
      /** the id of the incident */
      incident_id: string;
    };
    output: GuardrailIncident;
  };
  /**
   * Say that an open incident was seen
   *
   * `POST /api/v1/guardrails/incidents/{incident_id}/acknowledge`
   *
   * Permission: agents.edit. Scope of a limited key: workspace:write.
   */
  acknowledgeGuardrailIncident: {
    input: {
      /** the id of the incident */
      incident_id: string;
    };
    output: GuardrailIncident;
  };
  /**
   * Say why an incident is none
   *
   * `POST /api/v1/guardrails/incidents/{incident_id}/appeal`
   *
   * Permission: agents.edit.
   */
  appealGuardrailIncident: {
    input: {
      /** the id of the incident */
      incident_id: string;
      body: AppealGuardrailIncidentBody;
    };
    output: GuardrailIncident;
  };
  /**
   * The workspace's saved tools, newest first
   *
   * `GET /api/v1/tools`
   *
   * Permission: agents.view. Scope of a limited key: tools:read.
   */
  listTools: {
    input: Record<never, never>;
    output: Array<Tool>;
  };
  /**
   * Save a tool; adding it to an agent copies it
   *
   * `POST /api/v1/tools`
   *
   * Permission: agents.edit. Scope of a limited key: tools:write.
   */
  createTool: {
    input: {
      body: ToolConfiguration;
    };
    output: Tool;
  };
  /**
   * Replace a saved tool; agents that copied it stay as they are
   *
   * `PUT /api/v1/tools/{tool_id}`
   *
   * Permission: agents.edit. Scope of a limited key: tools:write.
   */
  replaceTool: {
    input: {
      /** the id of the tool */
      tool_id: string;
      body: ToolConfiguration;
    };
    output: Tool;
  };
  /**
   * Remove a saved tool; agents that copied it stay as they are
   *
   * `DELETE /api/v1/tools/{tool_id}`
   *
   * Permission: agents.edit. Scope of a limited key: tools:write.
   */
  deleteTool: {
    input: {
      /** the id of the tool */
      tool_id: string;
    };
    output: undefined;
  };
  /**
   * Send one request of a tool and see what the model would receive; 200 also when the endpoint failed
   *
   * `POST /api/v1/tools/test`
   *
   * Permission: agents.edit. Scope of a limited key: tools:write.
   */
  testTool: {
    input: {
      body: TestToolBody;
    };
    output: ToolTest;
  };
  /**
   * List the tools of an MCP server and see which the model would get; 200 also when the server does not answer
   *
   * `POST /api/v1/tools/mcp`
   *
   * Permission: agents.edit. Scope of a limited key: tools:write.
   */
  findMcpTools: {
    input: {
      body: FindMcpToolsBody;
    };
    output: McpToolList;
  };
  /**
   * The workspace's numbers, newest first; released ones are left out
   *
   * `GET /api/v1/numbers`
   *
   * Permission: agents.view. Scope of a limited key: numbers:read.
   */
  listNumbers: {
    input: Record<never, never>;
    output: Array<PhoneNumber>;
  };
  /**
   * Buy an available number: the fee of 30 days is taken at once; after a 502 look into the list before buying again
   *
   * `POST /api/v1/numbers`
   *
   * Permission: numbers.manage.
   */
  buyNumber: {
    input: {
      body: BuyNumberBody;
    };
    output: PhoneNumber;
  };
  /**
   * Numbers that the carriers of this service rent out now
   *
   * `GET /api/v1/numbers/available`
   *
   * Permission: numbers.manage.
   */
  listAvailableNumbers: {
    input: {
      /** two letters */
      country?: string;
      /** left out: every type; the Indian series are in no inventory */
      type?: "local" | "mobile" | "toll_free" | "series_140" | "series_160";
      /** digits that the number has in a row */
      contains?: string;
      /** numbers in the response */
      limit?: number;
    };
    output: Array<AvailableNumber>;
  };
  /**
   * Release a number at once, without a refund; calls that ring go on
   *
   * `DELETE /api/v1/numbers/{number}`
   *
   * Permission: numbers.manage.
   */
  releaseNumber: {
    input: {
      /** E.164; the plus is `%2B` */
      number: string;
    };
    output: undefined;
  };
  /**
   * Have an agent answer the number; it is moved off any other agent
   *
   * `POST /api/v1/numbers/{number}/connect`
   *
   * Permission: numbers.manage.
   */
  connectNumber: {
    input: {
      /** E.164; the plus is `%2B` */
      number: string;
      body: ConnectNumberBody;
    };
    output: PhoneNumber;
  };
  /**
   * Have nobody answer the number: inbound calls on it are rejected
   *
   * `POST /api/v1/numbers/{number}/disconnect`
   *
   * Permission: numbers.manage.
   */
  disconnectNumber: {
    input: {
      /** E.164; the plus is `%2B` */
      number: string;
    };
    output: PhoneNumber;
  };
  /**
   * Begin to buy credits: a payment, and what its checkout needs
   *
   * `POST /api/v1/billing/topup`
   *
   * Permission: billing.manage.
   */
  startTopUp: {
    input: {
      body: StartTopUpBody;
    };
    output: StartedPayment;
  };
  /**
   * The last 100 payments, newest first
   *
   * `GET /api/v1/billing/payments`
   *
   * Permission: billing.view. Scope of a limited key: billing:read.
   */
  listPayments: {
    input: Record<never, never>;
    output: Array<Payment>;
  };
  /**
   * Report that the checkout is done; credits are there when the gateway confirms it
   *
   * `POST /api/v1/billing/payments/{payment_id}/complete`
   *
   * Permission: billing.manage.
   */
  completePayment: {
    input: {
      /** the id of the payment */
      payment_id: string;
      body: CompletePaymentBody;
    };
    output: Payment;
  };
  /**
   * Begin a call from a browser: it takes a slot at once, and rings until audio arrives, 30 seconds at most
   *
   * `POST /api/v1/agents/{agent_id}/web-call`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  startWebCall: {
    input: {
      /** the id of the agent */
      agent_id: string;
      body: StartWebCallBody;
    };
    output: WebCall;
  };
  /**
   * Begin a call over a WebSocket of the client's own telephony or device: it takes a slot at once, and rings until the stream is opened, 30 seconds at most
   *
   * `POST /api/v1/agents/{agent_id}/stream-call`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  startStreamCall: {
    input: {
      /** the id of the agent */
      agent_id: string;
      body: StartWebCallBody;
    };
    output: StreamCall;
  };
  /**
   * Listen in on a live call from a browser; nobody in the call hears it
   *
   * `POST /api/v1/calls/{call_id}/listen`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  listenToCall: {
    input: {
      /** the id of the call */
      call_id: string;
    };
    output: WebSession;
  };
  /**
   * Speak from a browser to the person who took over or joined a live call; neither caller nor agent hears it
   *
   * `POST /api/v1/calls/{call_id}/whisper`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  whisperInCall: {
    input: {
      /** the id of the call */
      call_id: string;
    };
    output: WebSession;
  };
  /**
   * Speak to the caller of a live call from a browser, in the place of the agent or beside it
   *
   * `POST /api/v1/calls/{call_id}/take-over`
   *
   * Permission: calls.place. Scope of a limited key: calls:write.
   */
  takeOverCall: {
    input: {
      /** the id of the call */
      call_id: string;
      body: TakeOverCallBody;
    };
    output: WebSession;
  };
  /**
   * Upload a document; it is read in the background
   *
   * `POST /api/v1/knowledge-bases/{kb_id}/sources/file`
   *
   * Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
   */
  uploadKnowledgeFile: {
    input: {
      /** the id of the knowledge base */
      kb_id: string;
      body: UploadKnowledgeFileBody;
    };
    output: KnowledgeSource;
  };
  /**
   * Send a file of contacts: it is parsed at once and stored for 24 hours
   *
   * `POST /api/v1/batches/uploads`
   *
   * Permission: calls.place. Scope of a limited key: batches:write.
   */
  uploadContacts: {
    input: {
      body: UploadContactsBody;
    };
    output: ContactUpload;
  };
  /**
   * Add a document
   *
   * `POST /api/v1/kyc/documents`
   *
   * Permission: kyc.manage.
   */
  uploadKycDocument: {
    input: {
      body: UploadKycDocumentBody;
    };
    output: KycDocument;
  };
}

/** How each operation is sent. */
export const OPERATIONS = {
  listAuditEvents: { method: 'GET', path: '/api/v1/audit-events', query: ['action', 'actor_id', 'target_id', 'since', 'until', 'limit', 'skip'], result: 'json' },
  listLogs: { method: 'GET', path: '/api/v1/logs', query: ['level', 'source', 'request_id', 'call_id', 'q', 'since', 'until', 'limit', 'skip'], result: 'json' },
  getCallsSummary: { method: 'GET', path: '/api/v1/observability/summary', query: ['since', 'until', 'agent_id', 'bucket'], result: 'json' },
  getLiveCalls: { method: 'GET', path: '/api/v1/observability/live', result: 'json' },
  signUp: { method: 'POST', path: '/api/v1/auth/signup', body: 'json', result: 'json' },
  logIn: { method: 'POST', path: '/api/v1/auth/login', body: 'json', result: 'json' },
  logInWithCode: { method: 'POST', path: '/api/v1/auth/login/2fa', body: 'json', result: 'json' },
  getMe: { method: 'GET', path: '/api/v1/auth/me', result: 'json' },
  logOut: { method: 'POST', path: '/api/v1/auth/logout' },
  getAccount: { method: 'GET', path: '/api/v1/account', result: 'json' },
  updateAccount: { method: 'PATCH', path: '/api/v1/account', body: 'json', result: 'json' },
  deleteAccount: { method: 'DELETE', path: '/api/v1/account', body: 'json' },
  changeEmail: { method: 'POST', path: '/api/v1/account/email', body: 'json', result: 'json' },
  changePassword: { method: 'POST', path: '/api/v1/account/password', body: 'json' },
  confirmAccount: { method: 'POST', path: '/api/v1/account/confirm', body: 'json', result: 'json' },
  listSessions: { method: 'GET', path: '/api/v1/account/sessions', result: 'json' },
  revokeSession: { method: 'DELETE', path: '/api/v1/account/sessions/{session_id}' },
  revokeOtherSessions: { method: 'POST', path: '/api/v1/account/sessions/revoke-others', result: 'json' },
  setUpTwoFactor: { method: 'POST', path: '/api/v1/account/2fa/setup', body: 'json', result: 'json' },
  enableTwoFactor: { method: 'POST', path: '/api/v1/account/2fa/enable', body: 'json', result: 'json' },
  disableTwoFactor: { method: 'POST', path: '/api/v1/account/2fa/disable', body: 'json' },
  listPasskeys: { method: 'GET', path: '/api/v1/account/passkeys', result: 'json' },
  createPasskey: { method: 'POST', path: '/api/v1/account/passkeys', body: 'json', result: 'json' },
  setUpPasskey: { method: 'POST', path: '/api/v1/account/passkeys/setup', result: 'json' },
  createConfirmationChallenge: { method: 'POST', path: '/api/v1/account/passkeys/challenge', result: 'json' },
  updatePasskey: { method: 'PATCH', path: '/api/v1/account/passkeys/{passkey_id}', body: 'json', result: 'json' },
  deletePasskey: { method: 'DELETE', path: '/api/v1/account/passkeys/{passkey_id}' },
  createLoginChallenge: { method: 'POST', path: '/api/v1/auth/login/passkey/challenge', body: 'json', result: 'json' },
  logInWithPasskey: { method: 'POST', path: '/api/v1/auth/login/passkey', body: 'json', result: 'json' },
  getAgentCanary: { method: 'GET', path: '/api/v1/agents/{agent_id}/canary', result: 'json' },
  setAgentCanary: { method: 'PUT', path: '/api/v1/agents/{agent_id}/canary', body: 'json', result: 'json' },
  dropAgentCanary: { method: 'DELETE', path: '/api/v1/agents/{agent_id}/canary' },
  promoteAgentCanary: { method: 'POST', path: '/api/v1/agents/{agent_id}/canary/promote', ifMatch: true, result: 'json' },
  createAgentShare: { method: 'POST', path: '/api/v1/agent-shares', body: 'json', result: 'json' },
  listAgentShares: { method: 'GET', path: '/api/v1/agent-shares', result: 'json' },
  getSharedAgent: { method: 'GET', path: '/api/v1/agent-shares/{token}', result: 'json' },
  deleteAgentShare: { method: 'DELETE', path: '/api/v1/agent-shares/{token}' },
  copySharedAgent: { method: 'POST', path: '/api/v1/agent-shares/{token}/copy', body: 'json', result: 'json' },
  listPinnedAgents: { method: 'GET', path: '/api/v1/agents/pins', result: 'json' },
  pinAgent: { method: 'PUT', path: '/api/v1/agents/{agent_id}/pin' },
  unpinAgent: { method: 'DELETE', path: '/api/v1/agents/{agent_id}/pin' },
  getAgentPricing: { method: 'GET', path: '/api/v1/agents/{agent_id}/pricing', query: ['channel'], result: 'json' },
  estimatePricing: { method: 'POST', path: '/api/v1/agents/pricing', query: ['channel'], body: 'json', result: 'json' },
  getAgentLatency: { method: 'GET', path: '/api/v1/agents/{agent_id}/latency', query: ['days'], result: 'json' },
  generatePrompt: { method: 'POST', path: '/api/v1/agents/prompt/generate', body: 'json', result: 'json' },
  listAgentVersions: { method: 'GET', path: '/api/v1/agents/{agent_id}/versions', result: 'json' },
  saveAgentVersion: { method: 'POST', path: '/api/v1/agents/{agent_id}/versions', body: 'json', result: 'json' },
  getAgentVersion: { method: 'GET', path: '/api/v1/agents/{agent_id}/versions/{version}', result: 'json' },
  restoreAgentVersion: { method: 'POST', path: '/api/v1/agents/{agent_id}/versions/{version}/restore', ifMatch: true, result: 'json' },
  listAgents: { method: 'GET', path: '/api/v1/agents', result: 'json' },
  createAgent: { method: 'POST', path: '/api/v1/agents', body: 'json', result: 'json' },
  getAgent: { method: 'GET', path: '/api/v1/agents/{agent_id}', result: 'json' },
  replaceAgent: { method: 'PUT', path: '/api/v1/agents/{agent_id}', ifMatch: true, body: 'json', result: 'json' },
  deleteAgent: { method: 'DELETE', path: '/api/v1/agents/{agent_id}' },
  duplicateAgent: { method: 'POST', path: '/api/v1/agents/{agent_id}/duplicate', result: 'json' },
  listAmbientSounds: { method: 'GET', path: '/api/v1/ambient', result: 'json' },
  uploadAmbientSound: { method: 'POST', path: '/api/v1/ambient', body: 'form', result: 'json' },
  getAmbientSoundAudio: { method: 'GET', path: '/api/v1/ambient/{sound}/audio', result: 'file' },
  deleteAmbientSound: { method: 'DELETE', path: '/api/v1/ambient/{sound}' },
  getCatalog: { method: 'GET', path: '/api/v1/catalog', query: ['kind'], result: 'json' },
  listVoices: { method: 'GET', path: '/api/v1/voices', query: ['provider', 'model', 'language', 'gender', 'q'], result: 'json' },
  getVoicePreview: { method: 'GET', path: '/api/v1/voices/{voice_id}/preview', query: ['provider', 'language'], result: 'file' },
  createWebhook: { method: 'POST', path: '/api/v1/webhooks', body: 'json', result: 'json' },
  listWebhooks: { method: 'GET', path: '/api/v1/webhooks', result: 'json' },
  listWebhookEventTypes: { method: 'GET', path: '/api/v1/webhooks/events', result: 'json' },
  getDefaultWebhookSecret: { method: 'GET', path: '/api/v1/webhooks/default-secret', result: 'json' },
  rotateDefaultWebhookSecret: { method: 'POST', path: '/api/v1/webhooks/default-secret/rotate', result: 'json' },
  listWebhookDeliveries: { method: 'GET', path: '/api/v1/webhooks/deliveries', query: ['endpoint_id', 'status', 'event_type', 'call_id', 'since', 'until', 'limit', 'skip'], result: 'json' },
  getWebhookDelivery: { method: 'GET', path: '/api/v1/webhooks/deliveries/{delivery_id}', result: 'json' },
  retryWebhookDelivery: { method: 'POST', path: '/api/v1/webhooks/deliveries/{delivery_id}/retry', result: 'json' },
  updateWebhook: { method: 'PATCH', path: '/api/v1/webhooks/{endpoint_id}', body: 'json', result: 'json' },
  deleteWebhook: { method: 'DELETE', path: '/api/v1/webhooks/{endpoint_id}' },
  testWebhook: { method: 'POST', path: '/api/v1/webhooks/{endpoint_id}/test', result: 'json' },
  rotateWebhookSecret: { method: 'POST', path: '/api/v1/webhooks/{endpoint_id}/rotate-secret', result: 'json' },
  listKnowledgeBases: { method: 'GET', path: '/api/v1/knowledge-bases', result: 'json' },
  createKnowledgeBase: { method: 'POST', path: '/api/v1/knowledge-bases', body: 'json', result: 'json' },
  getKnowledgeBase: { method: 'GET', path: '/api/v1/knowledge-bases/{kb_id}', result: 'json' },
  updateKnowledgeBase: { method: 'PATCH', path: '/api/v1/knowledge-bases/{kb_id}', body: 'json', result: 'json' },
  deleteKnowledgeBase: { method: 'DELETE', path: '/api/v1/knowledge-bases/{kb_id}' },
  addKnowledgeText: { method: 'POST', path: '/api/v1/knowledge-bases/{kb_id}/sources/text', body: 'json', result: 'json' },
  addKnowledgeUrl: { method: 'POST', path: '/api/v1/knowledge-bases/{kb_id}/sources/url', body: 'json', result: 'json' },
  deleteKnowledgeSource: { method: 'DELETE', path: '/api/v1/knowledge-bases/{kb_id}/sources/{source_id}' },
  reprocessKnowledgeSource: { method: 'POST', path: '/api/v1/knowledge-bases/{kb_id}/sources/{source_id}/reprocess', result: 'json' },
  searchKnowledgeBase: { method: 'POST', path: '/api/v1/knowledge-bases/{kb_id}/search', body: 'json', result: 'json' },
  getWorkspace: { method: 'GET', path: '/api/v1/workspace', result: 'json' },
  updateWorkspace: { method: 'PATCH', path: '/api/v1/workspace', body: 'json', result: 'json' },
  updateWorkspaceProfile: { method: 'PATCH', path: '/api/v1/workspace/profile', body: 'json', result: 'json' },
  updateSystemLogs: { method: 'PATCH', path: '/api/v1/workspace/system-logs', body: 'json', result: 'json' },
  updateWorkspaceSecurity: { method: 'PATCH', path: '/api/v1/workspace/security', body: 'json', result: 'json' },
  getLimits: { method: 'GET', path: '/api/v1/workspace/limits', result: 'json' },
  listLimitRequests: { method: 'GET', path: '/api/v1/workspace/limits/requests', result: 'json' },
  createLimitRequest: { method: 'POST', path: '/api/v1/workspace/limits/requests', body: 'json', result: 'json' },
  listMembers: { method: 'GET', path: '/api/v1/members', result: 'json' },
  updateMember: { method: 'PATCH', path: '/api/v1/members/{user_id}', body: 'json', result: 'json' },
  removeMember: { method: 'DELETE', path: '/api/v1/members/{user_id}' },
  listInvites: { method: 'GET', path: '/api/v1/invites', result: 'json' },
  createInvite: { method: 'POST', path: '/api/v1/invites', body: 'json', result: 'json' },
  deleteInvite: { method: 'DELETE', path: '/api/v1/invites/{invite}' },
  getInvite: { method: 'GET', path: '/api/v1/invites/{invite}', result: 'json' },
  acceptInvite: { method: 'POST', path: '/api/v1/invites/{invite}/accept', body: 'json', result: 'json' },
  listKeys: { method: 'GET', path: '/api/v1/keys', result: 'json' },
  createKey: { method: 'POST', path: '/api/v1/keys', body: 'json', result: 'json' },
  rotateKey: { method: 'POST', path: '/api/v1/keys/{key_id}/rotate', body: 'json', result: 'json' },
  revokeKey: { method: 'DELETE', path: '/api/v1/keys/{key_id}' },
  searchWorkspace: { method: 'GET', path: '/api/v1/search', query: ['q'], result: 'json' },
  getMasters: { method: 'GET', path: '/api/v1/masters', result: 'json' },
  getIndianLocations: { method: 'GET', path: '/api/v1/locations/india', result: 'json' },
  placeCall: { method: 'POST', path: '/api/v1/agents/{agent_id}/call', body: 'json', result: 'json', idempotent: true },
  listCalls: { method: 'GET', path: '/api/v1/calls', query: ['agent_id', 'batch_id', 'status', 'direction', 'channel', 'number', 'answered_by', 'since', 'until', 'min_duration', 'q', 'limit', 'skip', 'after'], result: 'json' },
  exportCalls: { method: 'GET', path: '/api/v1/calls/export', query: ['agent_id', 'batch_id', 'status', 'direction', 'channel', 'number', 'answered_by', 'since', 'until', 'min_duration', 'q'], result: 'file' },
  getCall: { method: 'GET', path: '/api/v1/calls/{call_id}', result: 'json' },
  listCallEvents: { method: 'GET', path: '/api/v1/calls/{call_id}/events', result: 'json' },
  getCallRecording: { method: 'GET', path: '/api/v1/calls/{call_id}/recording', query: ['format'], result: 'file' },
  hangUpCall: { method: 'POST', path: '/api/v1/calls/{call_id}/hangup', result: 'json' },
  pauseCallRecording: { method: 'POST', path: '/api/v1/calls/{call_id}/recording/pause', result: 'json' },
  resumeCallRecording: { method: 'POST', path: '/api/v1/calls/{call_id}/recording/resume', result: 'json' },
  sayInCall: { method: 'POST', path: '/api/v1/calls/{call_id}/say', body: 'json', result: 'json', idempotent: true },
  instructCall: { method: 'POST', path: '/api/v1/calls/{call_id}/instructions', body: 'json', result: 'json', idempotent: true },
  setCallVariables: { method: 'POST', path: '/api/v1/calls/{call_id}/variables', body: 'json', result: 'json', idempotent: true },
  muteCall: { method: 'POST', path: '/api/v1/calls/{call_id}/mute', body: 'json', result: 'json', idempotent: true },
  sendCallDtmf: { method: 'POST', path: '/api/v1/calls/{call_id}/dtmf', body: 'json', result: 'json', idempotent: true },
  transferCall: { method: 'POST', path: '/api/v1/calls/{call_id}/transfer', body: 'json', result: 'json', idempotent: true },
  handBackCall: { method: 'POST', path: '/api/v1/calls/{call_id}/hand-back', body: 'json', result: 'json', idempotent: true },
  analyzeCall: { method: 'POST', path: '/api/v1/calls/{call_id}/analyze', result: 'json' },
  testAgentAnalytics: { method: 'POST', path: '/api/v1/agents/{agent_id}/analytics/test', body: 'json', result: 'json' },
  getContactUpload: { method: 'GET', path: '/api/v1/batches/uploads/{upload_id}', result: 'json' },
  createBatch: { method: 'POST', path: '/api/v1/batches', body: 'json', result: 'json', idempotent: true },
  listBatches: { method: 'GET', path: '/api/v1/batches', query: ['status', 'agent_id', 'limit', 'skip'], result: 'json' },
  getBatch: { method: 'GET', path: '/api/v1/batches/{batch_id}', result: 'json' },
  updateBatch: { method: 'PATCH', path: '/api/v1/batches/{batch_id}', body: 'json', result: 'json' },
  deleteBatch: { method: 'DELETE', path: '/api/v1/batches/{batch_id}' },
  listBatchContacts: { method: 'GET', path: '/api/v1/batches/{batch_id}/contacts', query: ['status', 'limit', 'skip'], result: 'json' },
  pauseBatch: { method: 'POST', path: '/api/v1/batches/{batch_id}/pause', result: 'json' },
  resumeBatch: { method: 'POST', path: '/api/v1/batches/{batch_id}/resume', result: 'json' },
  cancelBatch: { method: 'POST', path: '/api/v1/batches/{batch_id}/cancel', result: 'json' },
  getBatchResults: { method: 'GET', path: '/api/v1/batches/{batch_id}/results', result: 'file' },
  listTestScenarios: { method: 'GET', path: '/api/v1/agents/{agent_id}/tests', result: 'json' },
  createTestScenario: { method: 'POST', path: '/api/v1/agents/{agent_id}/tests', body: 'json', result: 'json' },
  getTestScenario: { method: 'GET', path: '/api/v1/agents/{agent_id}/tests/{scenario_id}', result: 'json' },
  replaceTestScenario: { method: 'PUT', path: '/api/v1/agents/{agent_id}/tests/{scenario_id}', body: 'json', result: 'json' },
  deleteTestScenario: { method: 'DELETE', path: '/api/v1/agents/{agent_id}/tests/{scenario_id}' },
  runAllTests: { method: 'POST', path: '/api/v1/agents/{agent_id}/tests/run-all', body: 'json', result: 'json' },
  listTestRuns: { method: 'GET', path: '/api/v1/agents/{agent_id}/tests/{scenario_id}/runs', result: 'json' },
  runTest: { method: 'POST', path: '/api/v1/agents/{agent_id}/tests/{scenario_id}/runs', body: 'json', result: 'json' },
  getTestRun: { method: 'GET', path: '/api/v1/test-runs/{run_id}', result: 'json' },
  getTestRunRecording: { method: 'GET', path: '/api/v1/test-runs/{run_id}/recording', result: 'file' },
  suggestTestScenarios: { method: 'POST', path: '/api/v1/agents/{agent_id}/tests/suggest', body: 'json', result: 'json' },
  listExports: { method: 'GET', path: '/api/v1/workspace/exports', result: 'json' },
  createExport: { method: 'POST', path: '/api/v1/workspace/exports', body: 'json', result: 'json' },
  downloadExport: { method: 'GET', path: '/api/v1/workspace/exports/{export_id}/download', result: 'file' },
  deleteExport: { method: 'DELETE', path: '/api/v1/workspace/exports/{export_id}' },
  eraseCalls: { method: 'POST', path: '/api/v1/workspace/erasures', body: 'json', result: 'json' },
  getBalance: { method: 'GET', path: '/api/v1/billing', result: 'json' },
  listLedger: { method: 'GET', path: '/api/v1/billing/ledger', query: ['kind', 'limit', 'skip'], result: 'json' },
  getUsage: { method: 'GET', path: '/api/v1/billing/usage', query: ['month'], result: 'json' },
  listPlans: { method: 'GET', path: '/api/v1/billing/plans', result: 'json' },
  getPlan: { method: 'GET', path: '/api/v1/billing/plan', result: 'json' },
  switchPlan: { method: 'POST', path: '/api/v1/billing/plan', body: 'json', result: 'json', idempotent: true },
  listCreditPacks: { method: 'GET', path: '/api/v1/billing/packs', result: 'json' },
  getCallLines: { method: 'GET', path: '/api/v1/billing/lines', result: 'json' },
  buyCallLines: { method: 'POST', path: '/api/v1/billing/lines', body: 'json', result: 'json', idempotent: true },
  removeCallLines: { method: 'POST', path: '/api/v1/billing/lines/remove', body: 'json', result: 'json' },
  redeemCoupon: { method: 'POST', path: '/api/v1/billing/coupons/redeem', body: 'json', result: 'json' },
  listInvoices: { method: 'GET', path: '/api/v1/billing/invoices', result: 'json' },
  getInvoicePdf: { method: 'GET', path: '/api/v1/billing/invoices/{invoice_id}/pdf', result: 'file' },
  getKyc: { method: 'GET', path: '/api/v1/kyc', result: 'json' },
  replaceKyc: { method: 'PUT', path: '/api/v1/kyc', body: 'json', result: 'json' },
  getKycDocument: { method: 'GET', path: '/api/v1/kyc/documents/{doc_id}', result: 'file' },
  deleteKycDocument: { method: 'DELETE', path: '/api/v1/kyc/documents/{doc_id}' },
  submitKyc: { method: 'POST', path: '/api/v1/kyc/submit', result: 'json' },
  listCallerIdRequests: { method: 'GET', path: '/api/v1/caller-id', result: 'json' },
  createCallerIdRequest: { method: 'POST', path: '/api/v1/caller-id', body: 'form', result: 'json' },
  getCallerIdLogo: { method: 'GET', path: '/api/v1/caller-id/{request_id}/logo', result: 'file' },
  withdrawCallerIdRequest: { method: 'POST', path: '/api/v1/caller-id/{request_id}/withdraw', result: 'json' },
  removeCallerId: { method: 'POST', path: '/api/v1/caller-id/{request_id}/remove', result: 'json' },
  listGuardrailRules: { method: 'GET', path: '/api/v1/guardrails/rules', result: 'json' },
  getGuardrailSummary: { method: 'GET', path: '/api/v1/guardrails/summary', result: 'json' },
  listGuardrailIncidents: { method: 'GET', path: '/api/v1/guardrails/incidents', query: ['status', 'agent_id'], result: 'json' },
  getGuardrailIncident: { method: 'GET', path: '/api/v1/guardrails/incidents/{incident_id}', result: 'json' },
  acknowledgeGuardrailIncident: { method: 'POST', path: '/api/v1/guardrails/incidents/{incident_id}/acknowledge', result: 'json' },
  appealGuardrailIncident: { method: 'POST', path: '/api/v1/guardrails/incidents/{incident_id}/appeal', body: 'json', result: 'json' },
  listTools: { method: 'GET', path: '/api/v1/tools', result: 'json' },
  createTool: { method: 'POST', path: '/api/v1/tools', body: 'json', result: 'json' },
  replaceTool: { method: 'PUT', path: '/api/v1/tools/{tool_id}', body: 'json', result: 'json' },
  deleteTool: { method: 'DELETE', path: '/api/v1/tools/{tool_id}' },
  testTool: { method: 'POST', path: '/api/v1/tools/test', body: 'json', result: 'json' },
  findMcpTools: { method: 'POST', path: '/api/v1/tools/mcp', body: 'json', result: 'json' },
  listNumbers: { method: 'GET', path: '/api/v1/numbers', result: 'json' },
  buyNumber: { method: 'POST', path: '/api/v1/numbers', body: 'json', result: 'json', idempotent: true },
  listAvailableNumbers: { method: 'GET', path: '/api/v1/numbers/available', query: ['country', 'type', 'contains', 'limit'], result: 'json' },
  releaseNumber: { method: 'DELETE', path: '/api/v1/numbers/{number}' },
  connectNumber: { method: 'POST', path: '/api/v1/numbers/{number}/connect', body: 'json', result: 'json' },
  disconnectNumber: { method: 'POST', path: '/api/v1/numbers/{number}/disconnect', result: 'json' },
  startTopUp: { method: 'POST', path: '/api/v1/billing/topup', body: 'json', result: 'json', idempotent: true },
  listPayments: { method: 'GET', path: '/api/v1/billing/payments', result: 'json' },
  completePayment: { method: 'POST', path: '/api/v1/billing/payments/{payment_id}/complete', body: 'json', result: 'json' },
  startWebCall: { method: 'POST', path: '/api/v1/agents/{agent_id}/web-call', body: 'json', result: 'json', idempotent: true },
  startStreamCall: { method: 'POST', path: '/api/v1/agents/{agent_id}/stream-call', body: 'json', result: 'json', idempotent: true },
  listenToCall: { method: 'POST', path: '/api/v1/calls/{call_id}/listen', result: 'json' },
  whisperInCall: { method: 'POST', path: '/api/v1/calls/{call_id}/whisper', result: 'json' },
  takeOverCall: { method: 'POST', path: '/api/v1/calls/{call_id}/take-over', body: 'json', result: 'json' },
  uploadKnowledgeFile: { method: 'POST', path: '/api/v1/knowledge-bases/{kb_id}/sources/file', body: 'form', result: 'json' },
  uploadContacts: { method: 'POST', path: '/api/v1/batches/uploads', body: 'form', result: 'json' },
  uploadKycDocument: { method: 'POST', path: '/api/v1/kyc/documents', body: 'form', result: 'json' },
} as const;
