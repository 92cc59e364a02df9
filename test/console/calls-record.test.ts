import { describe, expect, it } from 'vitest';
import { costBreakdownIn, fineMoney } from '../../console/calls/call-cost.ts';
import { backchannelsIn, marksOfEvents } from '../../console/calls/call-marks.ts';
import { readPeaks, stretchesOf } from '../../console/calls/read-peaks.ts';
import { lineAt, type SpokenLine, spokenLines } from '../../console/calls/spoken-lines.ts';
import { toolRuns, valueText } from '../../console/calls/tool-runs.ts';

const line = (role: 'user' | 'agent', text: string, offset_ms: number | null) => ({
  ...{ role, text, offset_ms, at: '', interrupted: false },
});
const event = (type: string, offset_ms: number | null, data: Record<string, unknown> = {}, message = '') => ({
  ...{ id: `${type} ${offset_ms}`, type, offset_ms, data, message, level: 'info' as const, latency_ms: null },
});

describe('the lines of a call', () => {
  const transcript = [line('agent', 'Hello', 500), line('user', 'A table', 4_000), line('agent', 'For when?', 5_000)];
  const events = [event('agent.reply', 1_500), event('user.turn', 4_600), event('agent.reply', 6_200)];

  it("have their places: the agent's from the record, the caller's from the voice that ends there", () => {
    const voice = [
      { fromSeconds: 2.5, untilSeconds: 3.1 },
      { fromSeconds: 3.6, untilSeconds: 3.9 },
    ];
    const places = spokenLines(transcript, events, voice).map(({ fromSeconds, untilSeconds }) => [
      fromSeconds,
      untilSeconds,
    ]);
    expect(places).toEqual([
      [0.5, 1.5],
      [3.6, 4],
      [5, 6.2],
    ]);
  });

  it('are guessed from their length where no voice is known, and have none when nobody answered', () => {
    expect(spokenLines(transcript, events)[1]!.fromSeconds).toBeCloseTo(4 - 7 / 15, 3);
    expect(spokenLines([line('user', 'Hello', null)], [])[0]).toMatchObject({ fromSeconds: null, untilSeconds: null });
  });

  it('come from the timeline while the call goes on', () => {
    const live = [
      event('welcome', 0, {}, 'Hello'),
      event('user.turn', 2_000, {}, 'Hi'),
      event('llm.first_token', 2_100),
    ];
    expect(spokenLines([], live).map(({ role, text }) => [role, text])).toEqual([
      ['agent', 'Hello'],
      ['user', 'Hi'],
    ]);
  });

  it('are marked from their beginning until the next one', () => {
    const lines = spokenLines(transcript, events);
    expect([0, 0.5, 3, 3.9, 5, 60].map((seconds) => lineAt(lines, seconds))).toEqual([-1, 0, 0, 1, 2, 2]);
  });
});

describe('the marks under the waveform', () => {
  it('are moments and pauses, none of them outside the recording', () => {
    const marks = marksOfEvents(
      [
        event('recording.paused', 1_000),
        event('recording.resumed', 3_000),
        event('interrupted', 4_000),
        event('tool.call', 5_000, { name: 'find_slots' }),
        event('call.dtmf', 6_000, { digits: '42' }),
        event('recording.paused', 7_000),
        event('error', 11_000),
        event('call.queued', -100),
      ],
      10,
    );
    expect(marks.map(({ kind, fromSeconds, untilSeconds, text }) => [kind, fromSeconds, untilSeconds, text])).toEqual([
      ['pause', 1, 3, ''],
      ['interruption', 4, 4, ''],
      ['tool', 5, 5, 'find_slots'],
      ['keys', 6, 6, '42'],
      ['pause', 7, 10, ''],
    ]);
  });

  it("are backchannels where a short voice lies within the agent's and is neither a turn nor an interruption", () => {
    const at = (fromSeconds: number, untilSeconds: number) => ({ fromSeconds, untilSeconds });
    const turn = { ...at(5, 5.5), role: 'user', text: 'No', interrupted: false } as SpokenLine;
    const stop = { ...at(8, 8), kind: 'interruption', text: '' } as const;
    const caller = [at(1, 1.4), at(2, 4.5), at(5, 5.5), at(7.5, 8), at(12, 12.3)];
    expect(backchannelsIn(caller, [at(0, 10)], [turn], [stop])).toEqual([
      { kind: 'backchannel', fromSeconds: 1, untilSeconds: 1.4, text: '' },
    ]);
  });
});

describe('how loud a recording is', () => {
  const wav = (samples: Int16Array<ArrayBuffer>) => {
    const header = new DataView(new ArrayBuffer(44));
    const name = (at: number, text: string) => {
      for (const [offset, letter] of [...text].entries()) header.setUint8(at + offset, letter.charCodeAt(0));
    };
    name(0, 'RIFF');
    name(8, 'WAVE');
    name(12, 'fmt ');
    header.setUint32(16, 16, true);
    header.setUint16(20, 1, true);
    header.setUint16(22, 2, true);
    header.setUint32(24, 8_000, true);
    header.setUint16(34, 16, true);
    name(36, 'data');
    header.setUint32(40, samples.byteLength, true);
    return new Blob([header.buffer, samples]);
  };

  it('is read from the file, for each voice, also of more than a minute', async () => {
    const seconds = 130;
    const samples = new Int16Array(2 * 8_000 * seconds);
    // The caller's voice in the first half second, the agent's from second 125 on.
    for (let at = 0; at < 4_000; at++) samples[2 * at] = 8_000 * (at % 2 ? 1 : -1);
    for (let at = 125 * 8_000; at < 130 * 8_000; at++) samples[2 * at + 1] = 16_384;
    const peaks = await readPeaks(wav(samples));
    expect([peaks.seconds, peaks.windowSeconds, peaks.voices[0]!.length]).toEqual([seconds, 0.01, 13_000]);
    const [caller, agent] = peaks.voices.map((voice) => stretchesOf(voice, 0.01));
    expect(caller).toEqual([{ fromSeconds: 0, untilSeconds: 0.5 }]);
    expect(agent).toEqual([{ fromSeconds: 125, untilSeconds: 130 }]);
  });

  it('is refused for what is no recording', async () => {
    await expect(
      readPeaks(new Blob(['no recording at all, but long enough for a header of a WAV file'])),
    ).rejects.toThrow();
  });
});

it('pairs each tool call with the next answer of the same tool', () => {
  const runs = toolRuns([
    event('tool.call', 1_000, { name: 'a', args: { day: 'Monday' }, url: 'https://x.example' }),
    event('tool.call', 1_100, { name: 'b' }),
    event('tool.result', 1_200, { name: 'b', status: 200, result: 'ok' }),
    { ...event('tool.result', 1_300, { name: 'a', status: 0, result: '' }), level: 'warning' },
    event('tool.call', 2_000, { name: 'end_call' }),
  ]);
  expect(runs.map(({ name, answer }) => [name, answer?.status, answer?.failed])).toEqual([
    ['a', 0, true],
    ['b', 200, false],
    ['end_call', undefined, undefined],
  ]);
  expect([valueText('{"a":1}'), valueText('plain'), valueText(undefined)]).toEqual(['{\n  "a": 1\n}', 'plain', '']);
});

it('reads the cost where there is one, and writes parts of the smallest unit', () => {
  expect(costBreakdownIn({})).toBeNull();
  expect(fineMoney(12.3456, 'INR')).toBe('₹0.1235');
});
