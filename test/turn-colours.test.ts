import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The colours of a turn's parts, by the contrast of WCAG 2.2. */

const read = (name: string) => readFileSync(join(import.meta.dirname, '../console', name), 'utf8');
const pairOf = (css: string, before: string): string[] => {
  const found = new RegExp(`${before}[^#]*light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css);
  if (!found) throw new Error(`no colour after ${before}`);
  return found.slice(1);
};
const record = read('call-page/record.css');
const style = read('style.css');
/** In the order in which they follow each other. */
const PARTS = [...record.matchAll(/data-part="(\w+)"\] \{\s+--part/g)].map(([, name]) => name!);

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

test.each([
  ['light', 0],
  ['dark', 1],
])('differ from what is behind them, and from their neighbours: %s', (_theme, at) => {
  const colours = new Map(PARTS.map((name) => [name, pairOf(record, `data-part="${name}"`)[at]!]));
  for (const behind of ['--raised:', '--sunken:']) {
    const ground = pairOf(style, behind)[at]!;
    for (const colour of colours.values()) expect(contrast(colour, ground)).toBeGreaterThanOrEqual(3);
  }
  // Most turns search no knowledge.
  const usual = PARTS.filter((name) => name !== 'knowledge_ms').map((name) => colours.get(name)!);
  for (const [index, colour] of usual.slice(1).entries()) {
    expect(contrast(colour, usual[index]!)).toBeGreaterThanOrEqual(3);
  }
  expect(new Set(colours.values()).size).toBe(6);
});
