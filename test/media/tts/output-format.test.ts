import { expect, test } from 'vitest';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import { chooseOutputFormat } from '../../../media/tts/output-format.ts';

test("chooses the call's own format where it is supported, else PCM at a rate that is not below the call's", () => {
  const supported = { mulaw: [8000], pcm16: [24000, 8000, 16000] };
  expect(chooseOutputFormat(MULAW_8K, supported)).toEqual(MULAW_8K);
  expect(chooseOutputFormat(PCM_16K, supported)).toEqual(PCM_16K);
  expect(chooseOutputFormat({ encoding: 'alaw', sample_rate: 8000 }, supported)).toEqual({
    encoding: 'pcm16',
    sample_rate: 8000,
  });
  expect(chooseOutputFormat({ encoding: 'pcm16', sample_rate: 48000 }, supported).sample_rate).toBe(24000);
});
