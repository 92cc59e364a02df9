import i18next from 'i18next';
import { afterAll, beforeAll, expect, it } from 'vitest';
import service from '../../console/texts/service-hi.json' with { type: 'json' };
import { modelNote, serviceText } from '../../console/texts/service-text.ts';
import { SERVICE_CATALOGUE } from '../../console/texts/texts.ts';

/** Texts that the service writes in English, as a person reads them who chose Hindi. */

beforeAll(async () => {
  i18next.addResourceBundle('hi', SERVICE_CATALOGUE, service);
  await i18next.changeLanguage('hi');
});

afterAll(() => i18next.changeLanguage('en'));

it('a text of the service is in Hindi, with its values', () => {
  expect(serviceText('welcome credits')).toBe('स्वागत के क्रेडिट');
  expect(serviceText('number +919800000001, 30 days and setup')).toBe('नंबर +919800000001, 30 दिन और सेटअप');
  expect(serviceText('2 lines, 3 days from 2026-11-28')).toBe('2 लाइनें, 2026-11-28 से 3 दिन');
});

it('what a person wrote stays as it is', () => {
  expect(serviceText('for the outage of Monday')).toBe('for the outage of Monday');
});

it('the description of a model is in Hindi in all its parts', () => {
  expect(modelNote('the newest; takes `keyterms`; ignores keyterms')).toBe(
    'सबसे नया; `keyterms` लेता है; अपेक्षित शब्दों को अनदेखा करता है',
  );
  expect(modelNote('speed 0.7 to 1.2')).toBe('गति 0.7 से 1.2');
});
