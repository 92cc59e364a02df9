import { readFileSync } from 'node:fs';
import { HttpError } from '@oazapfts/runtime';
import i18next from 'i18next';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fieldErrors } from '../../console/data/field-errors.ts';
import { changeProblemText, problemText } from '../../console/data/problem-text.ts';

const HINDI = JSON.parse(readFileSync(new URL('../../console/texts/hi/common.json', import.meta.url), 'utf8'));

const refused = (status: number, data: object) => new HttpError(status, data, new Headers());

it("the API's own words are a sentence in English", () => {
  expect(changeProblemText(refused(409, { detail: 'used by 2 agents' }))).toBe('Used by 2 agents.');
  expect(problemText(refused(404, { detail: 'call not found' }), 'the call')).toBe('Call not found.');
});

describe('in Hindi', () => {
  beforeEach(async () => {
    i18next.addResourceBundle('hi', 'translation', HINDI);
    await i18next.changeLanguage('hi');
  });
  afterEach(() => i18next.changeLanguage('en'));

  it("the API's own words follow what they mean", () => {
    expect(changeProblemText(refused(409, { detail: 'used by 2 agents' }))).toBe(
      'यह मौजूदा स्थिति से मेल नहीं खाता। (used by 2 agents)',
    );
    expect(problemText(refused(403, { detail: 'your role cannot do this' }), '')).toBe(
      'आपको यह करने की अनुमति नहीं है। (your role cannot do this)',
    );
  });

  it('a code says more than its status', () => {
    const detail = 'confirm your email address';
    expect(changeProblemText(refused(403, { detail, code: 'email_unverified' }))).toBe(
      `पहले अपना ईमेल पता पुष्ट करें। (${detail})`,
    );
  });

  it('a rule of a field follows that the field is not right', () => {
    const detail = [{ loc: ['body', 'url'], type: 'value_error', msg: 'the url must be https' }];
    expect(fieldErrors(refused(422, { detail }))).toEqual({ url: 'यह ठीक नहीं है। (the url must be https)' });
  });
});
