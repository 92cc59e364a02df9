import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../control/agents/agent-record.ts';
import type { Principal } from '../../../control/http/authenticate.ts';
import { authorize } from '../../../control/http/authenticate.ts';
import { HttpError } from '../../../control/http/errors.ts';
import { hasPermission, PERMISSIONS, type Role } from '../../../control/http/permissions.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';

const principal = (role: Role, workspace_state: Principal['workspace_state'] = 'active'): Principal => ({
  workspace_id: 'w',
  workspace_state,
  role,
  actor: { kind: 'user', id: 'u', name: 'U' },
  user_id: role === 'api_key' ? null : 'u',
  session_id: role === 'api_key' ? null : 's',
  key_id: role === 'api_key' ? 'k' : null,
});

const refusal = (who: Principal, need: Partial<Parameters<typeof authorize>[1]>) => {
  try {
    authorize(who, { credential: 'key', permission: null, beforeActivation: false, ...need });
    return null;
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return [error.status, error.detail, error.extras.body?.code];
  }
};

describe('permissions', () => {
  it('of each role are those of the table', () => {
    const of = (role: Role) => PERMISSIONS.filter((permission) => hasPermission(role, permission));
    expect(of('viewer')).toEqual(['agents.view', 'calls.view', 'logs.view', 'members.view']);
    expect(of('developer')).toEqual([...of('viewer'), 'agents.edit', 'calls.place', 'keys.manage']);
    expect(of('api_key')).toEqual([...of('developer'), 'billing.view']);
    expect(of('admin')).toEqual([...of('api_key'), 'numbers.manage', 'members.manage']);
    expect(of('owner')).toEqual(PERMISSIONS);
  });

  it('that are missing are named', () => {
    expect(refusal(principal('viewer'), { permission: 'agents.edit' })?.slice(0, 2)).toEqual([
      403,
      'your role cannot do this (agents.edit)',
    ]);
    expect(refusal(principal('developer'), { permission: 'agents.edit' })).toBeNull();
  });

  it('of sessions are not granted to keys', () => {
    const need = { credential: 'session', permission: 'numbers.manage' } as const;
    expect(refusal(principal('api_key'), need)?.slice(0, 2)).toEqual([
      403,
      'your role cannot do this (numbers.manage): sign in, API keys are refused',
    ]);
    expect(refusal(principal('admin'), need)).toBeNull();
  });

  it('are checked before the activation of the workspace', () => {
    const waiting = principal('viewer', 'onboarding');
    expect(refusal(waiting, { permission: 'agents.edit' })?.[1]).toContain('agents.edit');
    expect(refusal(waiting, { permission: 'agents.view' })).toEqual([
      403,
      'workspace not active',
      'workspace_inactive',
    ]);
    expect(refusal(waiting, { permission: 'agents.view', beforeActivation: true })).toBeNull();
  });
});

it('values of tool headers are hidden without the permission to edit agents', () => {
  const config = agentConfigSchema.parse({
    name: 'A',
    tools: [{ name: 't', description: 'abc', url: 'https://example.com', headers: { Authorization: 'Bearer 1' } }],
  });
  const row = {
    ...config,
    id: 'a',
    phone_number: '',
    version: 1,
    updated_by: 'U',
    created_at: new Date(0),
    updated_at: new Date(0),
    frozen_at: null,
    frozen_reason: '',
    frozen_incident_id: '',
    frozen_from: '',
  };
  expect(recordOf(row, true).tools[0]?.headers).toEqual({ Authorization: 'Bearer 1' });
  expect(recordOf(row, false).tools[0]?.headers).toEqual({ Authorization: '***' });
});
