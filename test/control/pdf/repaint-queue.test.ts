import { expect, it } from 'vitest';
import { imageToPdf } from '../../../control/pdf/image-to-pdf.ts';
import { oneAtATime } from '../../../control/pdf/repaint-in-thread.ts';
import { pngFile } from '../../support/image-files.ts';

it('works on one at a time, in order, and refuses those beyond what may wait', async () => {
  const begun: string[] = [];
  const endings: (() => void)[] = [];
  const queue = oneAtATime((name: string) => {
    begun.push(name);
    return new Promise<string>((resolve) => endings.push(() => resolve(`${name} painted`)));
  }, 2);
  const first = queue('first');
  const second = queue('second');
  expect(await queue('third')).toBe('busy');
  expect(begun).toEqual(['first']);
  endings[0]!();
  expect(await first).toBe('first painted');
  const fourth = queue('fourth');
  expect(await queue('fifth')).toBe('busy');
  expect(begun).toEqual(['first', 'second']);
  endings[1]!();
  expect(await second).toBe('second painted');
  await expect.poll(() => endings.length).toBe(3);
  endings[2]!();
  expect(await fourth).toBe('fourth painted');
  expect(begun).toEqual(['first', 'second', 'fourth']);
});

it('tells that it is busy when many transparent pictures come at once, and takes the next one after them', async () => {
  // Transparency: PDF does not know it, so the picture has to be painted anew.
  const picture = pngFile({ width: 8, height: 8, color_type: 6, at: () => [1, 2, 3, 100] });
  const answers = await Promise.all(Array.from({ length: 30 }, () => imageToPdf(picture)));
  const painted = answers.filter((answer) => typeof answer === 'object');
  expect(painted).toHaveLength(6);
  expect(answers.filter((answer) => answer === 'busy')).toHaveLength(24);
  expect(await imageToPdf(picture)).toHaveProperty('pdf');
});
