import type { AgentConfig } from '../../shared/agent.ts';
import { SYNTHESIZERS } from '../../shared/providers/registry.ts';
import { pricingOf } from '../billing/workspace-pricing.ts';
import { canTransfer } from '../carriers/carriers-in-use.ts';
import type { AvailableProviders } from '../catalog/available-providers.ts';
import { type Component, isKnownModel, speedOf, takesIpa, takesKeyterms } from '../catalog/models.ts';
import { defaultVoice } from '../catalog/voice.ts';
import type { Voices } from '../catalog/voices.ts';
import type { Sql } from '../db/connect.ts';
import { HttpError, type ValidationItem } from '../http/errors.ts';

/** What an agent is made of, checked when it is saved, so that its calls do not fail for it. */

export interface Warning {
  /** As in a 422: `["body", "voice", "speed"]`. */
  loc: (string | number)[];
  msg: string;
}

export interface CheckedConfig {
  /** With the voice it names or gets, and with values that its providers take. */
  config: AgentConfig;
  warnings: Warning[];
}

/**
 * @param agentId of an agent that is there already, whose numbers are looked at.
 * @throws HttpError 422 with everything that cannot work.
 */
export type CheckProviders = (workspaceId: string, config: AgentConfig, agentId?: string) => Promise<CheckedConfig>;

export interface ProviderCheckDeps {
  sql: Sql;
  available: AvailableProviders;
  voices: Voices;
  /** Whether a carrier of this service shows callers why they are called. */
  showsCallReason: boolean;
  /** Whether a carrier of this service can transfer calls. */
  transfers: boolean;
  /** The carriers of an agent's numbers. */
  carriersOfAgent(sql: Sql, workspaceId: string, agentId: string): Promise<string[]>;
}

type Path = (string | number)[];

export function createProviderCheck(deps: ProviderCheckDeps): CheckProviders {
  const { sql, available, voices, showsCallReason, transfers, carriersOfAgent } = deps;
  return async (workspaceId, sent, agentId) => {
    const config = { ...sent, voice: { ...sent.voice } };
    const items: ValidationItem[] = [];
    const warnings: Warning[] = [];
    const refuse = (path: Path, msg: string, input: unknown) =>
      items.push({ type: 'value_error', loc: ['body', ...path], msg, input });
    const warn = (path: Path, msg: string) => warnings.push({ loc: ['body', ...path], msg });

    /** False when the provider or the model cannot be used. */
    const checkModel = async (component: Component, path: Path, use: { provider: string; model: string }) => {
      const { provider, model } = use;
      if (!available[component].has(provider)) {
        const none = available[component].size === 0 ? NO_PROVIDER : null;
        refuse([...path, 'provider'], none ?? `provider ${provider} is not available to this workspace`, provider);
        return false;
      }
      const { rates } = await pricingOf(sql, workspaceId);
      if (isKnownModel(component, provider, model, rates)) return true;
      refuse([...path, 'model'], `model ${model} of ${provider} is not available to this workspace`, model);
      return false;
    };

    /** Fills in the voice and its name where they are empty. */
    const checkVoice = async (
      path: Path,
      voice: Omit<AgentConfig['voice'], 'speed' | 'fallbacks' | 'by_language' | 'pronunciations'>,
    ) => {
      const { provider, model, language, voice_id } = voice;
      const suitable = await voices.list({ provider, model });
      if (voice_id === '') {
        const chosen = defaultVoice(suitable, usualVoice(provider), language);
        return { voice_id: chosen.id, voice_name: voice.voice_name || chosen.name };
      }
      const found = suitable.find((each) => each.voice_id === voice_id) ?? (await voices.find(provider, voice_id));
      if (found === 'unknown') {
        refuse([...path, 'voice_id'], `voice ${voice_id} of ${provider} is not available to this workspace`, voice_id);
      } else if (found === 'ignored') {
        warn([...path, 'voice_id'], `${provider} has no voice ${voice_id} and speaks with its usual one`);
      } else if (found === 'unreachable') {
        warn([...path, 'voice_id'], `the voice could not be checked: ${provider} did not answer`);
      } else if (!found.models.includes(model)) {
        refuse([...path, 'voice_id'], `voice ${voice_id} of ${provider} does not speak with ${model}`, voice_id);
      } else {
        return { voice_id, voice_name: voice.voice_name || found.name };
      }
      return {};
    };

    await checkModel('llm', ['llm'], config.llm);
    const { voice, transcriber } = config;
    if (await checkModel('voice', ['voice'], voice)) {
      Object.assign(voice, await checkVoice(['voice'], voice));
      const { min, max } = speedOf(voice.provider, voice.model);
      const speed = Math.min(max, Math.max(min, voice.speed));
      if (speed !== voice.speed) {
        warn(
          ['voice', 'speed'],
          `${voice.model} of ${voice.provider} speaks ${rangeText(min, max)}: ${speed} is saved`,
        );
        voice.speed = speed;
      }
    }
    voice.fallbacks = [];
    for (const [index, fallback] of sent.voice.fallbacks.entries()) {
      const path = ['voice', 'fallbacks', index];
      const usable = await checkModel('voice', path, fallback);
      voice.fallbacks.push(usable ? { ...fallback, ...(await checkVoice(path, fallback)) } : fallback);
    }
    voice.by_language = [];
    for (const [index, spoken] of sent.voice.by_language.entries()) {
      const path = ['voice', 'by_language', index];
      const usable = await checkModel('voice', path, spoken);
      voice.by_language.push(usable ? { ...spoken, ...(await checkVoice(path, spoken)) } : spoken);
    }
    const others = [...voice.fallbacks, ...voice.by_language].filter((each) => !takesIpa(each.provider, each.language));
    for (const [index, { word, say }] of voice.pronunciations.entries()) {
      if (say !== '') continue;
      const path = ['voice', 'pronunciations', index, 'say'];
      if (!takesIpa(voice.provider, voice.language)) {
        refuse(
          path,
          `the voice of ${voice.provider} takes no IPA in this language: write how it is to say ${word}`,
          say,
        );
      } else if (others.length > 0) {
        const names = [...new Set(others.map(({ provider }) => provider))].join(' and ');
        warn(path, `the voice of ${names} takes no IPA in this language and reads ${word} as it is written`);
      }
    }
    const isUsable = await checkModel('transcriber', ['transcriber'], transcriber);
    if (isUsable && transcriber.keyterms.length > 0 && !takesKeyterms(transcriber.provider, transcriber.model)) {
      warn(['transcriber', 'keyterms'], `${transcriber.model} of ${transcriber.provider} ignores keyterms`);
    }
    for (const [index, fallback] of transcriber.fallbacks.entries()) {
      await checkModel('transcriber', ['transcriber', 'fallbacks', index], fallback);
    }
    const reason = config.call.caller_verification_call_reason;
    if (reason !== '' && !showsCallReason) {
      const path = ['call', 'caller_verification_call_reason'];
      refuse(path, 'no carrier of this service can show the reason of a call', reason.slice(0, 200));
    }
    if (config.call.transfer_enabled) {
      const path = ['call', 'transfer_enabled'];
      const carriers = agentId === undefined ? [] : await carriersOfAgent(sql, workspaceId, agentId);
      const unable = carriers.filter((name) => !canTransfer(name));
      const msg = `calls at ${unable.join(' and ')} cannot be transferred`;
      if (!transfers) refuse(path, 'no carrier of this service can transfer calls', true);
      else if (unable.length > 0 && unable.length === carriers.length) refuse(path, msg, true);
      else if (unable.length > 0) warn(path, msg);
    }
    if (items.length > 0) throw new HttpError(422, items);
    return { config, warnings };
  };
}

/** Language models only: transcribers and synthesizers of this machine need no key. */
const NO_PROVIDER = 'this service has no language model yet: its operator sets the key of one';

const usualVoice = (provider: string) => SYNTHESIZERS.find(({ name }) => name === provider)?.defaultVoice ?? '';

const rangeText = (min: number, max: number) =>
  min === max ? `at its own speed only` : `at a speed of ${min} to ${max}`;
