import { describe, expect, it } from 'vitest';
import { sentence } from '../../console/data/field-errors.ts';
import type { ApiKey, Kyc } from '../../console/generated/api.ts';
import { sizeText } from '../../console/ui/format.ts';
import { EMPTY_KEY, keyBody, keyState } from '../../console/workspace/key-form.ts';
import { kycBody, kycValues } from '../../console/workspace/kyc-fields.ts';
import { abilities, isAble, ROLES } from '../../console/workspace/roles.ts';
import { scopeGroups, scopesText } from '../../console/workspace/scopes.ts';
import { choicesOf, listOf } from '../../console/workspace/workspace-texts.ts';
import { hasPermission, PERMISSIONS } from '../../control/http/permissions.ts';
import { SCOPES } from '../../control/http/scopes.ts';

describe('the table of roles', () => {
  it('has every permission, and says of each role what the API allows', () => {
    expect(
      abilities()
        .flatMap(({ permissions }) => permissions)
        .toSorted(),
    ).toEqual([...PERMISSIONS].toSorted());
    for (const ability of abilities()) {
      for (const role of ROLES) {
        const allowed = ability.permissions.map((permission) => hasPermission(role, permission));
        expect([ability.text, role, ...allowed]).toEqual([
          ability.text,
          role,
          ...allowed.map(() => isAble(role, ability)),
        ]);
      }
    }
  });
});

describe('scopes', () => {
  it('are all offered', () => {
    const offered = scopeGroups().flatMap(({ read, write }) => (write ? [read, write] : [read]));
    expect(offered.toSorted()).toEqual([...SCOPES].toSorted());
  });

  it('are written in words', () => {
    expect(scopesText(null)).toBe('Everything that keys may do');
    expect(scopesText(['calls:write', 'agents:read', 'agents:write', 'billing:read'])).toBe(
      'Agents (read and change), Calls (change), Billing (read)',
    );
  });
});

describe('an API key', () => {
  it('is made with the limits that were entered', () => {
    expect(keyBody({ ...EMPTY_KEY, name: 'x' })).toEqual({ name: 'x', allowed_addresses: [] });
    const limited = keyBody({
      ...{ name: 'x', scopes: ['agents:read'], last_day: '2026-12-31', allowed_addresses: ' 10.0.0.1\n::1/128,' },
    });
    expect(limited).toMatchObject({ scopes: ['agents:read'], allowed_addresses: ['10.0.0.1', '::1/128'] });
    expect(Date.parse(limited.expires_at!)).toBe(new Date('2026-12-31T23:59:59').getTime());
  });

  it('works, is replaced, or is over', () => {
    const nowMs = Date.UTC(2026, 0, 1);
    const stateOf = (fields: Partial<ApiKey>) =>
      keyState({ expires_at: null, replaced_by: null, ...fields } as ApiKey, nowMs, (at) => at)?.text;
    expect(stateOf({})).toBeUndefined();
    expect(stateOf({ expires_at: '2026-02-01' })).toBe('Works until 2026-02-01');
    expect(stateOf({ expires_at: '2026-02-01', replaced_by: 'a' })).toBe('Replaced, works until 2026-02-01');
    expect(stateOf({ expires_at: '2025-12-01', replaced_by: 'a' })).toBe('Over since 2025-12-01');
  });
});

describe('business details', () => {
  const kyc = {
    ...{ legal_name: 'Acme', business_type: 'llp', pan: 'abcde1234f', gstin: '', cin: '', tax_id: '1', website: '' },
    ...{ contact_name: '', contact_email: '', contact_phone: '', use_case: '', sample_script: '' },
    address: { line1: ' 12 MG Road ', line2: '', city: '', state: '', pincode: '', country: 'IN' },
  } as unknown as Kyc;

  it('are sent as they are seen, without what the country does not have', () => {
    const values = kycValues(kyc);
    expect(kycBody(values)).toMatchObject({ pan: 'ABCDE1234F', address: { line1: '12 MG Road', country: 'IN' } });
    expect(kycBody(values)).not.toHaveProperty('tax_id');
    const abroad = kycBody({ ...values, 'address.country': 'DE' });
    expect(abroad).toMatchObject({ tax_id: '1' });
    expect(abroad).not.toHaveProperty('pan');
  });
});

it('texts of the workspace', () => {
  expect(listOf(' a@b.c, d@e.f;\ng ')).toEqual(['a@b.c', 'd@e.f', 'g']);
  expect([0, 999, 1_500, 2_400_000, 25_000_000_000].map(sizeText)).toEqual([
    '0 B',
    '999 B',
    '1.5 KB',
    '2.4 MB',
    '25 GB',
  ]);
  expect(sentence('already invited')).toBe('Already invited.');
  expect(sentence('PDF खराब है')).toBe('PDF खराब है।');
  expect(choicesOf([{ id: 'a', name: 'A' }], 'b').map(({ value }) => value)).toEqual(['b', 'a']);
});
