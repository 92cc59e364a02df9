import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Principal } from '../../../control/http/authenticate.ts';
import { createCredentialCache, credentialCachesExpired } from '../../../control/http/credential-cache.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const principal: Principal = {
  ...{ workspace_id: 'w', workspace_state: 'active', role: 'api_key', user_id: null, session_id: null, key_id: 'k' },
  actor: { kind: 'api_key', id: 'k', name: 'robot' },
};

it('expires from the start of the look-up, not from its end', async () => {
  const clock = createVirtualClock();
  const cache = createCredentialCache(clock);
  const found = cache.beginLookup('svc_1');
  await clock.advance(200);
  found(principal);
  expect(cache.get('svc_1')).toBe(principal);
  expect(cache.get('svc_2')).toBeNull();
  await clock.advance(39);
  expect(cache.get('svc_1')).toBe(principal);
  await clock.advance(1);
  expect(cache.get('svc_1')).toBeNull();
});

it('has expired everywhere when the wait after a commit is over', async () => {
  const clock = createVirtualClock();
  const cache = createCredentialCache(clock);
  const found = cache.beginLookup('svc_1');
  // The commit comes at the last moment at which the look-up could still miss it.
  let over = false;
  const waiting = credentialCachesExpired(clock).then(() => {
    over = true;
  });
  found(principal);
  while (!over) {
    expect(over).toBe(false);
    await clock.advance(5);
  }
  await waiting;
  expect(cache.get('svc_1')).toBeNull();
});

it('drops look-ups under way when it is cleared', () => {
  const cache = createCredentialCache(createVirtualClock());
  cache.beginLookup('svc_1')(principal);
  const found = cache.beginLookup('svc_2');
  cache.clear();
  found(principal);
  expect([cache.get('svc_1'), cache.get('svc_2')]).toEqual([null, null]);
  cache.beginLookup('svc_2')(principal);
  expect(cache.get('svc_2')).toBe(principal);
});

it('holds active workspaces only, so that activation takes effect at once', () => {
  const cache = createCredentialCache(createVirtualClock());
  for (const workspace_state of ['onboarding', 'suspended', 'closed'] as const) {
    cache.beginLookup(workspace_state)({ ...principal, workspace_state });
    expect(cache.get(workspace_state)).toBeNull();
  }
});

it('holds some thousand entries at most', () => {
  const cache = createCredentialCache(createVirtualClock());
  for (let index = 0; index <= 5_000; index++) cache.beginLookup(`svc_${index}`)(principal);
  expect(cache.get('svc_0')).toBeNull();
  expect(cache.get('svc_5000')).toBe(principal);
});

/**
 * Code that revokes a key or deactivates a workspace has to await `credentialCachesExpired`. Add a new statement to this list only
 * together with that wait.
 */
it('every statement that takes something away from a key is known', () => {
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
    // Made before the address was confirmed: resetPassword waits.
    'accounts/remove-squatter.ts: update api_keys',
    // Closed: deleteAccount waits.
    'accounts/store.ts: set state =',
    // The state of an order, not of a workspace.
    'numbers/order-store.ts: set state =',
    // Revoked, or rotated without an overlap: the key manager waits.
    'workspaces/keys-store.ts: update api_keys',
    'workspaces/keys-store.ts: update api_keys',
    // A limit, which need not hold at once.
    'workspaces/plan.ts: api_requests_per_minute =',
    // To active or from suspended: nothing of those is cached. Suspended: the operator's `suspend` waits.
    'workspaces/workspace-state.ts: set state =',
    'workspaces/workspace-state.ts: set state =',
    'workspaces/workspace-state.ts: set state =',
  ]);
});
