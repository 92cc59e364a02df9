import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Principal } from '../../../control/http/authenticate.ts';
import { createCredentialCache, credentialCachesExpired } from '../../../control/http/credential-cache.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const principal: Principal = {
  ...{ workspace_id: 'w', workspace_state: 'active', role: 'api_key', user_id: null, session_id: null, key_id: 'k' },
  actor: { kind: 'api_key', id: 'k', name: 'robot' },
};

it('believes for a moment, counted from the question and not from its answer', async () => {
  const clock = createVirtualClock();
  const leases = createCredentialCache(clock);
  const answered = leases.beginLookup('svc_1');
  await clock.advance(200);
  answered(principal);
  expect(leases.get('svc_1')).toBe(principal);
  expect(leases.get('svc_2')).toBeNull();
  await clock.advance(39);
  expect(leases.get('svc_1')).toBe(principal);
  await clock.advance(1);
  expect(leases.get('svc_1')).toBeNull();
});

it('outlives no lease that was asked for before the commit', async () => {
  const clock = createVirtualClock();
  const leases = createCredentialCache(clock);
  const answered = leases.beginLookup('svc_1');
  // The commit comes at the latest moment at which the question could still miss it.
  let over = false;
  const waiting = credentialCachesExpired(clock).then(() => {
    over = true;
  });
  answered(principal);
  while (!over) {
    expect(over).toBe(false);
    await clock.advance(5);
  }
  await waiting;
  expect(leases.get('svc_1')).toBeNull();
});

it('forgets what is under way, too', () => {
  const leases = createCredentialCache(createVirtualClock());
  leases.beginLookup('svc_1')(principal);
  const answered = leases.beginLookup('svc_2');
  leases.clear();
  answered(principal);
  expect([leases.get('svc_1'), leases.get('svc_2')]).toEqual([null, null]);
  leases.beginLookup('svc_2')(principal);
  expect(leases.get('svc_2')).toBe(principal);
});

it('believes in active workspaces only, so that activation needs no waiting', () => {
  const leases = createCredentialCache(createVirtualClock());
  for (const workspace_state of ['onboarding', 'suspended', 'closed'] as const) {
    leases.beginLookup(workspace_state)({ ...principal, workspace_state });
    expect(leases.get(workspace_state)).toBeNull();
  }
});

it('holds some thousands at most', () => {
  const leases = createCredentialCache(createVirtualClock());
  for (let index = 0; index <= 5_000; index++) leases.beginLookup(`svc_${index}`)(principal);
  expect(leases.get('svc_0')).toBeNull();
  expect(leases.get('svc_5000')).toBe(principal);
});

/**
 * Whoever ends a key or the activity of a workspace waits for the leases. New statements that do so belong into this list only
 * together with that wait.
 */
it('knows every statement that takes something away from a key', () => {
  const ending =
    /(update|delete from)\s+api_keys\b(?! set last_used_at)|set\s+state\s*=|\bapi_requests_per_minute\s*=/g;
  const found = readdirSync('control', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(`control/${file}`, 'utf8').matchAll(ending)].map(
        ([text]) => `${file}: ${text.replace(/\s+/g, ' ')}`,
      ),
    );
  expect(found.toSorted()).toEqual([
    // Closed: deleteAccount waits.
    'accounts/store.ts: set state =',
    // A limit; no answer promises that it holds at once.
    'workspaces/plan.ts: api_requests_per_minute =',
    // Revoked: the key manager waits.
    'workspaces/store.ts: update api_keys',
    // To active or from suspended: nothing of those is cached. Suspended: the operator's `suspend` waits.
    'workspaces/workspace-state.ts: set state =',
    'workspaces/workspace-state.ts: set state =',
    'workspaces/workspace-state.ts: set state =',
  ]);
});
