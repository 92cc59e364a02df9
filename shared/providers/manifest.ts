/**
 * What the service knows of a provider before it speaks to it: one manifest per provider, a file beside this one, listed in
 * `registry.ts`. Settings of both programs, API values, default models, price defaults, concurrency limits, the settings page of the
 * documents and the conformance suites are derived from it or checked against it.
 */

/** One environment variable. Every value is text; empty means not set. */
export interface Setting {
  default: string;
  /** True: the provider cannot be used without it. */
  required?: boolean;
  /** One line for `docs/settings.md`. */
  meaning: string;
}

export type Settings = Record<string, Setting>;

/** The values of a manifest's settings, as read from the environment. */
export type SettingsOf<Manifest extends { settings: Settings }> = { [Name in keyof Manifest['settings']]: string };

/** A price per model; `*` stands for every model without a row of its own. */
export type PerModel<Rate> = { '*': Rate } & Record<string, Rate>;

/** The provider's public price list, in whole units of its currency. */
export interface PriceList<Rate> {
  currency: 'USD' | 'INR';
  models: PerModel<Rate>;
}

/** Of a million tokens. */
export interface TokenPrice {
  input: number;
  output: number;
}

/** What people read of a model before they choose it. */
export interface ModelFacts {
  description: string;
  /** ISO 639 codes of the languages it works in; left out: no limit that is known. */
  languages?: readonly string[];
  /** Where they differ from the provider's capabilities. */
  keyterms?: boolean;
  speed?: SpeedRange;
}

interface Provider {
  /** The API's value, lower case with underscores. */
  name: string;
  /** The provider's own spelling, for people. */
  label: string;
  settings: Settings;
  /** Used when the agent names no model. */
  defaultModel: string;
  /** Those that agents can choose, the default one among them. A model with a price of the operator's own counts as well. */
  models: Readonly<Record<string, ModelFacts>>;
  /** Models have names of the operator's own: any name may be right. */
  anyModel?: boolean;
}

interface StreamingProvider extends Provider {
  /** File of the adapter in its folder, without `.ts`. It exports `adapter`. */
  adapter: string;
  /** The account whose streams count together towards `PROVIDER_LIMITS`; empty for what runs on this machine. */
  concurrencyAccount: string;
}

export interface TranscriberManifest extends StreamingProvider {
  /** Of one minute of caller audio. */
  price: PriceList<number>;
  capabilities: {
    /** The provider decides itself when the caller's turn is over. */
    turnDetection: boolean;
    /** `keyterms` reach the provider. */
    keyterms: boolean;
  };
}

/** As factors of a voice's usual speed. */
export interface SpeedRange {
  min: number;
  max: number;
}

export interface SynthesizerManifest extends StreamingProvider {
  /** Of 1,000 characters spoken. */
  price: PriceList<number>;
  /** Used when the agent names no voice. */
  defaultVoice: string;
  capabilities: {
    /** The slowest and the fastest `speed` it speaks at. */
    speed: SpeedRange;
    /** The provider reports when each word is spoken. */
    wordTimings: boolean;
    /** ISO 639 codes of the languages in which it takes IPA within a text; left out: in none. */
    ipa?: 'all' | readonly string[];
  };
}

export interface LanguageModelManifest extends Provider {
  /** Whose protocol it speaks: `shared/llm/` has one adapter each. */
  protocol: 'openai' | 'anthropic' | 'google';
  /** The names of the settings that hold the address, the key and what else the adapter needs. */
  connection: { baseUrl: string; apiKey: string; apiVersion?: string; model?: string; contextTokens?: string };
  /** Tokens of a request and its answer at most, by the provider's documentation; rather too few than too many. */
  contextTokens: PerModel<number>;
  price: PriceList<TokenPrice>;
}

/** Of a million tokens; `cached`: those of the input that the provider had in its cache. */
export interface RealtimeTokenPrice {
  text_input: number;
  text_output: number;
  audio_input: number;
  audio_output: number;
  cached_text_input: number;
  cached_audio_input: number;
}

/** A speech-to-speech provider. Its name is that of the language model's provider whose account it uses. */
export interface RealtimeManifest extends StreamingProvider {
  price: PriceList<RealtimeTokenPrice>;
  /** Voices of its models, the one that is used by default first. */
  voices: readonly string[];
  /** The model that transcribes the caller, billed on its own by the minute; empty: the model itself does, for its tokens. */
  transcriptionModel: string;
  /** Of a minute of the caller's speech, in the currency of `price`; 0 without such a model. Agents cannot choose it as transcriber. */
  transcriptionPrice: number;
  capabilities: {
    /** It can answer in text, which the agent's own voice speaks. */
    textOutput: boolean;
    /** It can find the end of the caller's turns itself. */
    turnDetection: boolean;
  };
}

/** Checks a manifest's shape and keeps its exact names and settings as types. */
export const transcriber = <const Manifest extends TranscriberManifest>(manifest: Manifest): Manifest => manifest;
export const synthesizer = <const Manifest extends SynthesizerManifest>(manifest: Manifest): Manifest => manifest;
export const languageModel = <const Manifest extends LanguageModelManifest>(manifest: Manifest): Manifest => manifest;
export const realtime = <const Manifest extends RealtimeManifest>(manifest: Manifest): Manifest => manifest;
