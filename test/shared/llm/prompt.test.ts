import { describe, expect, it } from 'vitest';
import { currentTimeText, endCallTool, type HistoryLine, turnMessages } from '../../../shared/llm/prompt.ts';

const wallMs = Date.UTC(2026, 0, 5, 6, 52);
const agent = { system_prompt: 'You work for {company}. {unknown}', call: { timezone: 'Asia/Kolkata' } };

function build(history: HistoryLine[], at = wallMs) {
  return turnMessages({ agent, values: { company: 'Lotus' }, history, wallMs: at });
}

const user = (text: string): HistoryLine => ({ role: 'user', text, interrupted: false });
const said = (text: string, interrupted = false): HistoryLine => ({ role: 'agent', text, interrupted });

describe('the messages of a turn', () => {
  it('begin with one system message: the phone, the agent, the date', () => {
    const [system, ...rest] = build([user('hello')]);
    expect(system?.role).toBe('system');
    expect(system?.content).toMatch(
      /phone call[\s\S]*end_call[\s\S]*You work for Lotus\.[\s\S]*Monday, 5 January 2026/,
    );
    expect(system?.content).not.toContain('{');
    expect(rest).toEqual([{ role: 'user', content: 'hello' }]);
  });

  it("have the words of a person who took over as what is said to the caller, and not as the caller's or the model's", () => {
    const person: HistoryLine = { role: 'human_agent', text: 'You get ten percent.', interrupted: false };
    expect(build([user('a discount?'), person, user('thanks'), said('Gladly.')]).slice(1)).toEqual([
      {
        role: 'user',
        content: 'a discount? [A person of your team, to the caller:] You get ten percent. [The caller:] thanks',
      },
      { role: 'assistant', content: 'Gladly.' },
    ]);
  });

  it('mark what the caller cut short', () => {
    const lines = build([said('Welcome.'), user('hi'), said('We have tables for', true), user('wait')]);
    expect(lines.slice(1).map((line) => line.content)).toEqual(['Welcome.', 'hi', 'We have tables for —', 'wait']);
    expect(lines[0]?.content).toContain('ends with a dash was interrupted');
  });

  it('leave out what was not played out, and join the lines around it', () => {
    expect(build([user('one'), said('', true), user('two')]).slice(1)).toEqual([{ role: 'user', content: 'one two' }]);
  });

  it('contain every tool call with its result, played out or not', () => {
    const call = { id: 'c1', name: 'look_up', arguments: '{}' };
    const line = { ...said('', true), tool_runs: [{ call, result: 'found' }] };
    expect(build([user('one'), line, user('two')]).slice(1)).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', name: 'look_up', content: 'found' },
      { role: 'user', content: 'two' },
    ]);
  });

  it('have the words before tools, the tools called at once, and their results in this order', () => {
    const calls = ['c1', 'c2'].map((id) => ({ id, name: 'look_up', arguments: '{}' }));
    const tool_runs = calls.map((call) => ({ call, result: `found ${call.id}` }));
    expect(build([user('one'), { ...said('One moment.'), tool_runs }, said('There is one.')]).slice(1)).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'One moment.', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', name: 'look_up', content: 'found c1' },
      { role: 'tool', tool_call_id: 'c2', name: 'look_up', content: 'found c2' },
      { role: 'assistant', content: 'There is one.' },
    ]);
  });

  it('only grow at the end while a call goes on', () => {
    const first = build([said('Welcome.'), user('hi')]);
    const later = build([said('Welcome.'), user('hi'), said('Hello.'), user('bye')], wallMs + 6 * 60_000);
    expect(later.slice(0, first.length)).toEqual(first);
  });

  it('leave the history alone', () => {
    const history = [user('one'), user('two')];
    build(history);
    expect(history[0]?.text).toBe('one');
  });
});

it('the time is the zone’s, and an unknown zone is UTC', () => {
  expect(currentTimeText(wallMs, 'Asia/Kolkata')).toBe(
    'Today is Monday, 5 January 2026. It is a little after 12:15 (Asia/Kolkata).',
  );
  expect(currentTimeText(wallMs, 'Mars/Olympus')).toContain('06:45 (UTC)');
  expect(currentTimeText(Date.UTC(2026, 0, 5, 18, 30), 'Asia/Kolkata')).toContain('Tuesday, 6 January 2026');
  expect(currentTimeText(Date.UTC(2026, 0, 5, 18, 44, 59), 'Asia/Kathmandu')).toContain('00:15 (Asia/Kathmandu)');
  expect(currentTimeText(Date.UTC(2026, 0, 5, 18, 45), 'Asia/Kathmandu')).toContain('00:30 (Asia/Kathmandu)');
});

it('end_call takes no arguments', () => {
  expect(endCallTool).toMatchObject({ name: 'end_call', parameters: { type: 'object', properties: {} } });
});
