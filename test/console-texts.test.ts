import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import service from '../console/texts/service-hi.json' with { type: 'json' };
import { REFERENCE_DATA } from '../control/workspaces/reference-data.ts';
import { REALTIME_MODELS } from '../shared/providers/realtime.ts';
import { LANGUAGE_MODELS, SYNTHESIZERS, TRANSCRIBERS } from '../shared/providers/registry.ts';

/** Every text of the console has its Hindi one, and no Hindi text is left over; and so have the fixed texts of the service. */

const CONSOLE = join(import.meta.dirname, '../console');
const HINDI = join(CONSOLE, 'texts/hi');
const QUOTED = String.raw`'((?:[^'\\]|\\.)*)'`;
const ONE = new RegExp(String.raw`\bt\(\s*${QUOTED}`, 'g');
const COUNTED = new RegExp(String.raw`\btn\(\s*${QUOTED},\s*${QUOTED}`, 'g');
const NOT_QUOTED = /(?<![.\w])tn?\(\s*(?!')[^)\s]/g;

const plain = (text: string) => text.replaceAll("\\'", "'");
const placeholders = (text: string) => [...text.matchAll(/\{\{\w+\}\}/g)].map(([each]) => each).toSorted();

const sources = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/^(dist|generated|texts)\//.test(name))
  .map((name) => ({ name, text: readFileSync(join(CONSOLE, name), 'utf8') }));
const used = new Set(
  sources.flatMap(({ text }) => [
    ...[...text.matchAll(ONE)].map((match) => plain(match[1]!)),
    ...[...text.matchAll(COUNTED)].flatMap((match) => [`${plain(match[2]!)}_one`, `${plain(match[2]!)}_other`]),
  ]),
);
const catalogues = readdirSync(HINDI).map((name) => {
  const texts: Record<string, string> = JSON.parse(readFileSync(join(HINDI, name), 'utf8'));
  return { name, texts };
});
const hindi: Record<string, string> = Object.assign({}, ...catalogues.map(({ texts }) => texts));

it('every text is a literal, so that it can be translated', () => {
  const found = sources.flatMap(({ name, text }) => [...text.matchAll(NOT_QUOTED)].map(([each]) => `${name}: ${each}`));
  expect(found).toEqual([]);
});

it('every text has its Hindi one', () => {
  expect([...used].filter((text) => !Object.hasOwn(hindi, text)).toSorted()).toEqual([]);
});

it('every Hindi text is used, and in one catalogue', () => {
  const all = catalogues.flatMap(({ texts }) => Object.keys(texts));
  expect(all.filter((text) => !used.has(text)).toSorted()).toEqual([]);
  expect(all.filter((text, at) => all.indexOf(text) !== at)).toEqual([]);
});

it('a Hindi text has the values of the English one', () => {
  const wrong = Object.entries({ ...hindi, ...service }).filter(
    ([english, text]) => placeholders(english).join() !== placeholders(text).join(),
  );
  expect(wrong).toEqual([]);
});

it('the choices of forms and the descriptions of models have their Hindi ones', () => {
  const { business_types, industries, use_cases, team_sizes, document_kinds } = REFERENCE_DATA;
  const choices = [business_types, industries, use_cases, team_sizes, document_kinds].flat().map(({ name }) => name);
  const manifests = [...LANGUAGE_MODELS, ...REALTIME_MODELS, ...SYNTHESIZERS, ...TRANSCRIBERS];
  const models = manifests.flatMap(({ models }) => Object.values<{ description: string }>(models));
  const shown = [...choices, ...models.map(({ description }) => description)].filter((text) => text !== '');
  expect(shown.filter((text) => !Object.hasOwn(service, text))).toEqual([]);
});
