import { describe, expect, it } from 'vitest';
import { addressToLoad, scopeOf } from '../../console/address.ts';
import { detailOf } from '../../console/api.ts';
import { signUpErrors, signUpRefusal } from '../../console/sign-in/sign-up-form.ts';
import { onboardingSteps } from '../../console/workspace/onboarding-steps.ts';

const FORM = { name: 'Asha', email: 'asha@example.com', password: 'ten letters', workspace_name: '' };

describe('a sign-up form', () => {
  it('may be sent with a name, an email address and ten characters of password', () => {
    expect(signUpErrors(FORM)).toEqual({});
    expect(Object.keys(signUpErrors({ name: ' ', email: 'asha', password: 'nine char', workspace_name: 'A' }))).toEqual(
      ['name', 'email', 'password'],
    );
  });

  it.each([
    [409, 'email'],
    [422, 'email'],
    [429, undefined],
    [403, undefined],
    [500, undefined],
    [0, undefined],
  ])('is refused with %i: the text is about %s', (status, field) => {
    const refusal = signUpRefusal({ status, detail: '' });
    expect(refusal.field).toBe(field);
    expect(refusal.text).toMatch(/\.$/);
  });
});

it('a refused password is shown with the reason of the service', () => {
  const msg = 'this password is known from leaks';
  const detail = detailOf([
    { type: 'string_pattern_mismatch', msg: 'no' },
    { type: 'value_error', msg },
  ]);
  expect(signUpRefusal({ status: 422, detail })).toEqual({
    field: 'password',
    text: 'This password is known from leaks.',
  });
});

describe('the steps before a workspace is active', () => {
  const account = { email: 'asha@example.com', email_verified: false };
  const done = (kyc: Parameters<typeof onboardingSteps>[1], email_verified = true) =>
    onboardingSteps({ ...account, email_verified }, kyc).map((step) => step.done);

  it('are done one after the other', () => {
    expect(done({ status: 'not_submitted', rejection_reason: '' }, false)).toEqual([false, false, false]);
    expect(done({ status: 'not_submitted', rejection_reason: '' })).toEqual([true, false, false]);
    expect(done({ status: 'submitted', rejection_reason: '' })).toEqual([true, true, false]);
    expect(done({ status: 'approved', rejection_reason: '' })).toEqual([true, true, true]);
  });

  it('say why the details were rejected, and who submits them', () => {
    const [, rejected] = onboardingSteps(account, { status: 'rejected', rejection_reason: 'The name differs.' });
    expect(rejected!.text).toContain('The name differs.');
    expect(onboardingSteps(account, null)[1]!.text).toContain('An owner');
  });
});

const at = (address: string) => new URL(address, 'http://console');

it('follows addresses of the earlier form, and a gateway back to Billing', () => {
  const id = 'a'.repeat(32);
  const from = (address: string) => addressToLoad(at(address));
  expect(from(`/#/agents/${id}`)).toBe(`/agents/${id}`);
  expect(from(`/#/shared-agents/${id}`)).toBe(`/shared-agents/${id}`);
  expect([from('/#/sign-up'), from('/#/billing'), from('/billing#/')]).toEqual(['/sign-up', '/billing', '/']);
  expect(from('/?payment=1&session=cs_1')).toBe('/billing?payment=1&session=cs_1');
  const stay = ['/', '/calls', '/billing', '/billing?payment=1', '/#//example.com', '/#/agents/../x'];
  expect(stay.map(from)).toEqual(stay.map(() => null));
});

it('loads Billing as a document of its own, and every other page from there', () => {
  expect(['/', '/calls?q=x', '/billings'].filter((href) => scopeOf('/agents').test(href))).toEqual([
    '/',
    '/calls?q=x',
    '/billings',
  ]);
  expect(scopeOf('/agents').test('/billing')).toBe(false);
  const hrefs = ['/billing', '/billing/ledger?skip=50', '/calls', '/', '/billings'];
  for (const pathname of ['/billing', '/billing/ledger']) {
    expect(hrefs.filter((href) => scopeOf(pathname).test(href))).toEqual(['/billing', '/billing/ledger?skip=50']);
  }
  expect(scopeOf('/agents').test('/billing/ledger')).toBe(false);
});
