/** What the part of the address after `#` shows; without an account only `sign_up` and sign-in exist. */
export type Page = { name: 'agents' } | { name: 'agent'; agent_id: string } | { name: 'billing' } | { name: 'sign_up' };

export function pageAt(hash: string): Page {
  const agentId = /^#\/agents\/([a-f0-9]{32})$/.exec(hash)?.[1];
  if (agentId) return { name: 'agent', agent_id: agentId };
  if (hash === '#/billing') return { name: 'billing' };
  return hash === '#/sign-up' ? { name: 'sign_up' } : { name: 'agents' };
}
