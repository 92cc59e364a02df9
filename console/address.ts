/** What the address shows; without an account only `sign_up` and sign-in exist. */
export type Page =
  | { name: 'agents' }
  | { name: 'agent'; agent_id: string }
  | { name: 'shared_agent'; token: string }
  | { name: 'billing' }
  | { name: 'account' }
  | { name: 'sign_up' };

/** A document of its own, because only its policy lets the checkout of a payment gateway in. */
export const BILLING_PATH = '/billing';

type Address = Pick<Location, 'pathname' | 'hash' | 'search'>;

export function pageAt({ pathname, hash }: Pick<Address, 'pathname' | 'hash'>): Page {
  const agentId = /^#\/agents\/([a-f0-9]{32})$/.exec(hash)?.[1];
  if (agentId) return { name: 'agent', agent_id: agentId };
  const token = /^#\/shared-agents\/([a-f0-9]{32})$/.exec(hash)?.[1];
  if (token) return { name: 'shared_agent', token };
  if (hash === '#/account') return { name: 'account' };
  if (hash === '#/sign-up') return { name: 'sign_up' };
  return hash === '#/billing' || (pathname === BILLING_PATH && hash === '') ? { name: 'billing' } : { name: 'agents' };
}

/**
 * Where the browser must go first: billing is at its own path, however it was asked for; a checkout on a gateway's own page returns
 * to `/`. Null: it is there.
 */
export function addressToLoad(address: Address): string | null {
  const { pathname, search } = address;
  const returned = new URLSearchParams(search).has('payment');
  const wanted = returned || pageAt(address).name === 'billing';
  return wanted && pathname !== BILLING_PATH ? `${BILLING_PATH}${search}` : null;
}
