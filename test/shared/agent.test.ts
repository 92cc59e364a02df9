import { describe, expect, it } from 'vitest';
import { type AgentInput, agentConfigSchema, agentDraftSchema } from '../../shared/agent.ts';

const issuesOf = (config: object) => {
  const result = agentConfigSchema.safeParse({ name: 'A', ...config });
  return (result.error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]);
};
const read = (config: Partial<AgentInput>) => agentConfigSchema.parse({ name: 'A', ...config });

describe('models', () => {
  it('follow the provider', () => {
    const agent = read({
      llm: { provider: 'anthropic' },
      voice: { provider: 'local' },
      transcriber: { provider: 'deepgram' },
    });
    expect([agent.llm.model, agent.voice.model, agent.transcriber.model]).toEqual([
      'claude-haiku-4-5',
      'espeak-ng',
      'nova-3',
    ]);
  });

  it('stay when they are named', () => {
    expect(read({ llm: { model: 'mine' }, voice: { model: 'deep' } })).toMatchObject({
      llm: { model: 'mine' },
      voice: { model: 'deep' },
    });
  });

  it('of a transcriber are not taken over from another provider', () => {
    const { transcriber } = read({ transcriber: { provider: 'deepgram', model: 'flux-general-multi' } });
    expect(transcriber.model).toBe('nova-3');
  });

  it('and language of a fallback voice come from the provider and the voice', () => {
    const { voice } = read({ voice: { language: 'ta', fallbacks: [{ provider: 'cartesia', voice_id: 'v' }] } });
    expect(voice.fallbacks).toEqual([
      { provider: 'cartesia', model: 'sonic-3.5', voice_id: 'v', voice_name: '', language: 'ta' },
    ]);
  });
});

describe('rules across fields', () => {
  it.each([
    [{ call: { call_start_hour: 21, call_end_hour: 9 } }, 'call.call_start_hour'],
    [{ call: { transfer_enabled: true } }, 'call.transfer_targets'],
    [{ call: { hangup_on_prompt: true, hangup_prompt: ' ' } }, 'call.hangup_prompt'],
    [{ call: { timezone: '+05:30' } }, 'call.timezone'],
    [{ webhook_url: 'http://example.com/hook' }, 'webhook_url'],
    [{ webhook_url: 'hook' }, 'webhook_url'],
    [{ webhook_url: 'https://169.254.169.254/latest' }, 'webhook_url'],
  ])('%j is refused', (config, path) => {
    expect(issuesOf(config).map(([at]) => at)).toEqual([path]);
  });

  const tool = (name: string) => ({ name, description: 'Does it', url: 'https://example.com' });

  it('want tools with names of their own', () => {
    expect(issuesOf({ tools: [tool('a'), tool('b'), tool('a')] })).toEqual([['tools.2.name', 'two tools are named a']]);
    expect(issuesOf({ tools: [tool('end_call')] })).toEqual([['tools.0.name', 'the tool end_call is built in']]);
  });

  it('keep the name of the transfer for the transfer, where there is one', () => {
    const tools = [tool('a'), tool('transfer_call')];
    const transfer_targets = [{ name: 'Desk', number: '+911234567890' }];
    expect(issuesOf({ tools, call: { transfer_enabled: true, transfer_targets } })).toEqual([
      ['tools.1.name', 'the tool transfer_call is built in'],
    ]);
    expect(issuesOf({ tools, call: { transfer_targets } })).toEqual([]);
  });

  it('also hold a configuration that is not saved, which needs no name', () => {
    expect(agentDraftSchema.parse({})).toEqual({ ...agentConfigSchema.parse({ name: 'A' }), name: '' });
    expect(agentDraftSchema.parse({ name: 'B' }).name).toBe('B');
    expect(agentDraftSchema.safeParse({ tools: [tool('end_call')] }).success).toBe(false);
    expect(agentDraftSchema.safeParse({ name: 'x'.repeat(121) }).success).toBe(false);
  });
});

describe('limits', () => {
  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(121) }, 'name'],
    [{ welcome_message: 'x'.repeat(2001) }, 'welcome_message'],
    [{ llm: { provider: 'nobody' } }, 'llm.provider'],
    [{ llm: { temperature: 2.1 } }, 'llm.temperature'],
    [{ llm: { max_tokens: 15 } }, 'llm.max_tokens'],
    [{ voice: { speed: 0.5 } }, 'voice.speed'],
    [{ voice: { pronunciations: [{ word: 'Siobhan' }] } }, 'voice.pronunciations.0.say'],
    [{ voice: { pronunciations: [{ word: 'Siobhan', ipa: '/win/' }] } }, 'voice.pronunciations.0.ipa'],
    [{ transcriber: { endpointing_ms: 9 } }, 'transcriber.endpointing_ms'],
    [{ transcriber: { keyterms: Array(101).fill('x') } }, 'transcriber.keyterms'],
    [{ call: { max_duration_seconds: 3601 } }, 'call.max_duration_seconds'],
    [{ call: { ambient_sound: 'rain' } }, 'call.ambient_sound'],
    [{ call: { transfer_targets: [{ name: 'Desk', number: '12345' }] } }, 'call.transfer_targets.0.number'],
    [{ analytics: { extractions: [{ key: 'Big' }] } }, 'analytics.extractions.0.key'],
    [{ tools: [{ name: 'a', description: 'abc', url: 'file:///etc/passwd' }] }, 'tools.0.url'],
    [{ tools: [{ name: 'a', description: 'abc', url: 'https://x', headers: { 'a b': '1' } }] }, 'tools.0.headers.a b'],
    [
      { tools: [{ name: 'a', description: 'abc', url: 'https://x', headers: { a: '1\r\nb: 2' } }] },
      'tools.0.headers.a',
    ],
    [{ status: 'frozen' }, 'status'],
    [{ avatar: {} }, 'avatar'],
  ])('%j is refused', (config, path) => {
    expect(issuesOf(config).map(([at]) => at)).toContain(path);
  });
});

it('a configuration read again is the same', () => {
  const agent = read({ voice: { fallbacks: [{ voice_id: 'v' }] } });
  expect(agentConfigSchema.parse(JSON.parse(JSON.stringify(agent)))).toEqual(agent);
});
