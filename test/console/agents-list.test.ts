import { describe, expect, it } from 'vitest';
import { pinnedFirst } from '../../console/agents/agent-search.ts';
import { newAgentBody } from '../../console/agents/new-agent.ts';
import { FINDS_TURNS, PROVIDER_NAMES } from '../../console/agents/provider-names.ts';
import type { CatalogEntry } from '../../console/generated/api.ts';
import { LANGUAGE_MODELS, SYNTHESIZERS, TRANSCRIBERS } from '../../shared/providers/registry.ts';

const model = (fields: Partial<CatalogEntry>): CatalogEntry => ({
  ...{ id: 'm', provider: 'deepgram', name: 'M', kind: 'stt', default: false, available: true, languages: [] },
  ...{ unit: 'minute', price_paise: 1, output_price_paise: null, latency_ms: null, description: '', realtime: false },
  ...fields,
});

describe('the list of agents', () => {
  it('has the pinned ones first, and else its order', () => {
    const agents = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
    expect(pinnedFirst(agents, new Set(['d', 'b'])).map(({ id }) => id)).toEqual(['b', 'd', 'a', 'c']);
  });

  it('knows the name of every provider, and which transcribers find the end of turns', () => {
    const all = [...LANGUAGE_MODELS, ...SYNTHESIZERS, ...TRANSCRIBERS].map(({ name }) => name);
    expect(Object.keys(PROVIDER_NAMES).toSorted()).toEqual([...new Set(all)].toSorted());
    const finding = TRANSCRIBERS.filter(({ capabilities }) => capabilities.turnDetection).map(({ name }) => name);
    expect([...FINDS_TURNS]).toEqual(finding);
  });
});

describe('a new agent', () => {
  const texts = { name: 'Maya', welcome_message: 'Hello.', system_prompt: 'Be brief.' };

  it('gets the usual models where they know its language', () => {
    const stt_models = [model({ id: 'other' }), model({ id: 'usual', default: true, languages: ['hi', 'en'] })];
    const body = newAgentBody({ ...texts, language: 'hi' }, { stt_models, tts_models: [] });
    expect(body).toMatchObject({
      ...texts,
      transcriber: { model: 'usual', language: 'hi' },
      voice: { language: 'hi' },
    });
  });

  it('gets others where they do not, those of this machine last', () => {
    const stt_models = [
      model({ id: 'usual', default: true, languages: ['en'] }),
      model({ id: 'here', provider: 'local' }),
      model({ id: 'closed', available: false, languages: ['kn'] }),
      model({ id: 'indian', provider: 'sarvam', languages: ['kn'] }),
    ];
    const { transcriber } = newAgentBody({ ...texts, language: 'kn' }, { stt_models });
    expect(transcriber).toEqual({ provider: 'sarvam', model: 'indian', language: 'kn' });
  });
});
