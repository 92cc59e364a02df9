import { describe, expect, it } from 'vitest';
import { noiseText, runBody, runStatus, verdictsOf } from '../../console/agent-tests/run-texts.ts';
import { criterionErrors, draftOf, emptyScenario, valuesOf } from '../../console/agent-tests/scenario-values.ts';

const SCENARIO = {
  ...{ name: 'Books a table', persona: 'You are Ravi.', first_message: '', criteria: ['A table is booked'] },
  ...{ max_turns: 12, language: '', tool_results: { book: 'done' }, user_data: { guests: 4, name: 'Ravi', vip: true } },
};

describe('the form of a scenario', () => {
  it('has a row for each variable of the agent, and sends what is filled in', () => {
    const values = valuesOf(SCENARIO, ['name', 'city']);
    expect(values.user_data.map(({ name, value }) => `${name}=${value}`)).toEqual([
      'guests=4',
      'name=Ravi',
      'vip=true',
      'city=',
    ]);
    // Numbers and booleans that were not touched stay what they are.
    expect(draftOf(values, SCENARIO.user_data)).toEqual(SCENARIO);
  });

  it('leaves out empty rows', () => {
    const values = { ...emptyScenario(['who']), name: 'a', persona: 'b', criteria: ['', 'is kind', ' '] };
    expect(draftOf({ ...values, tool_results: [{ name: ' ', value: 'x' }] })).toMatchObject({
      ...{ user_data: {}, tool_results: {}, criteria: ['is kind'], max_turns: 12 },
    });
  });

  it('shows what is wrong with a criterion at its row', () => {
    expect(criterionErrors({ 'criteria.1': 'Too short.', name: 'No.' }, ['is kind', '', 'x'])).toEqual([
      '',
      '',
      'Too short.',
    ]);
  });
});

describe('runs', () => {
  it('are counted by the verdict of the last one', () => {
    const last = (status: 'passed' | 'failed' | 'error' | 'queued' | 'running') => ({
      last_run: { id: '', status, finished_at: null },
    });
    const scenarios = [
      last('passed'),
      last('failed'),
      last('error'),
      last('queued'),
      last('running'),
      { last_run: null },
    ];
    expect(verdictsOf(scenarios)).toEqual({ passed: 1, failed: 2, unfinished: 2 });
  });

  it('are asked for with noise and interruptions only aloud', () => {
    expect(runBody('text', 'cafe', 2)).toEqual({ mode: 'text' });
    expect(runBody('voice', 'cafe', 2)).toEqual({ mode: 'voice', background_noise: 'cafe', interruptions: 2 });
    expect(runBody('voice', 'none', null)).toEqual({ mode: 'voice', background_noise: 'none' });
  });

  it('have words for their status and noise', () => {
    expect(runStatus('error')).toEqual({ text: 'No result', tone: 'bad' });
    expect([noiseText('call_centre'), noiseText('rain')]).toEqual(['Call centre', 'rain']);
  });
});
