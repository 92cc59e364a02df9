import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  changedPaths,
  conflictOf,
  type Draft,
  draftOf,
  merged,
  requestOf,
  withValue,
} from '../../console/agents/draft.ts';
import { groupOf, groups } from '../../console/agents/groups.ts';
import { fieldLabel, settings } from '../../console/agents/settings.ts';
import { fittingVoices } from '../../console/agents/voice-search.ts';
import type { Agent, Voice } from '../../console/generated/api.ts';

// Its types need those of Node.js, which the console has not.
const { agentConfigSchema, agentFields } = await import(new URL('../../shared/agent.ts', import.meta.url).href);

const config = agentConfigSchema.parse({ name: 'Maya', system_prompt: 'Be brief.' }) as unknown as Draft;
const agent = (fields: Partial<Agent> = {}) =>
  ({ ...config, id: 'a', version: 3, frozen_from: '', ...fields }) as Agent;

type Schema = { properties?: Record<string, Schema>; minimum?: number; maximum?: number; maxLength?: number };
const { properties } = z.toJSONSchema(agentFields, { io: 'input', unrepresentable: 'any' }) as {
  properties: Record<string, Schema>;
};

/** Paths of all fields, with their rules; a list counts as one field. */
const fields = Object.entries(properties).flatMap(([section, schema]): [string, Schema][] =>
  schema.properties
    ? Object.entries(schema.properties).map(([name, each]) => [`${section}.${name}`, each])
    : [[section, schema]],
);

describe('the settings of an agent', () => {
  it('are all there', () => {
    expect(Object.keys(settings()).toSorted()).toEqual(fields.map(([path]) => path).toSorted());
    expect(Object.keys(draftOf(agent())).toSorted()).toEqual(Object.keys(agentFields.shape).toSorted());
  });

  it('have the limits of the API', () => {
    for (const [path, { minimum, maximum, maxLength }] of fields) {
      const setting = settings()[path]!;
      if (setting.kind === 'number')
        expect({ path, min: setting.min, max: setting.max }).toEqual({ path, min: minimum, max: maximum });
      if ('maxLength' in setting) expect({ path, maxLength: setting.maxLength }).toEqual({ path, maxLength });
    }
  });

  it('are found by what a 422 says of them', () => {
    expect(fieldLabel('call.record')).toBe('Record calls');
    expect(fieldLabel('voice.fallbacks.0.voice_id')).toBe('Voices in reserve');
    expect(groupOf('tools.1.headers.X')).toBe('tools');
    expect(groupOf('call.transfer_targets.0.number')).toBe('transfers');
    expect(['call.handoffs.0.agent_id', 'call.hold_music'].map(groupOf)).toEqual(['transfers', 'transfers']);
    expect(groupOf('call.hangup_prompt')).toBe('words');
    expect(groupOf('call.hangup_after_silence_seconds')).toBe('call');
    const names = groups().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(fields.map(([path]) => groupOf(path))));
  });
});

describe('a draft', () => {
  const draft = draftOf(agent());

  it('differs where something was changed, lists and their order included', () => {
    expect(changedPaths(draft, draftOf(agent()))).toEqual([]);
    const changed = withValue(withValue(draft, 'voice.speed', 1.2), 'tools', [{ name: 'a' }]);
    expect(changedPaths(draft, changed)).toEqual(['voice.speed', 'tools']);
    // As the API may answer the names of an object in another order.
    const swapped = { ...draft, llm: Object.fromEntries(Object.entries(draft.llm).toReversed()) } as Draft;
    expect(changedPaths(draft, swapped)).toEqual([]);
  });

  it('sends no empty lines, and of a frozen agent the status before', () => {
    expect(requestOf(withValue(draft, 'transcriber.keyterms', [' Pune', '', '  '])).transcriber.keyterms).toEqual([
      'Pune',
    ]);
    expect(draftOf(agent({ status: 'frozen', frozen_from: 'paused' })).status).toBe('paused');
  });

  it('comes together with the change of somebody else', () => {
    const mine = withValue(withValue(draft, 'name', 'Mine'), 'call.record', false);
    const theirs = withValue(withValue(draft, 'name', 'Theirs'), 'voice.speed', 0.8);
    expect(conflictOf(draft, mine, theirs)).toEqual({
      mine: ['name', 'call.record'],
      theirs: ['name', 'voice.speed'],
      both: ['name'],
    });
    const both = merged(draft, mine, theirs);
    expect(changedPaths(draft, both)).toEqual(['name', 'voice.speed', 'call.record']);
    expect(both.name).toBe('Mine');
  });
});

it('voices are found by words, gender and language', () => {
  const voice = (fields: Partial<Voice>) =>
    ({ id: 'v', name: '', accent: '', description: '', gender: 'female', languages: [], ...fields }) as Voice;
  const voices = [
    voice({ name: 'Asha', accent: 'Indian', languages: ['hi'] }),
    voice({ name: 'George', accent: 'British', gender: 'male', languages: ['en'] }),
    voice({ name: 'Any' }),
  ];
  const found = (filter: object) =>
    fittingVoices(voices, { words: '', gender: '', language: '', ...filter }).map(({ name }) => name);
  expect(found({ language: 'hi' })).toEqual(['Asha', 'Any']);
  expect(found({ words: 'indian ash' })).toEqual(['Asha']);
  expect(found({ gender: 'male' })).toEqual(['George']);
});
