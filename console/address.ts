/** Addresses of the console's pages; `shared/console-paths.ts` lists their beginnings, for which control serves the page. */

/** The pages here are a document of their own, because only its policy lets the checkout of a payment gateway in. */
export const BILLING_PATH = '/billing';

export const isBilling = (pathname: string): boolean => /^\/billing(?:\/|$)/.test(pathname);

type Address = Pick<Location, 'pathname' | 'hash' | 'search'>;

/** Pages had addresses such as `/#/agents/…` before; they stand in e-mails and bookmarks. */
const EARLIER = /^#(\/(?:agents\/[a-f0-9]{32}|shared-agents\/[a-f0-9]{32}|sign-up|billing|account)?)$/;

/**
 * Where the browser must go first: to the page of an address of the earlier form, and to Billing from a gateway's own page, which
 * returns to `/`. Null: it is there.
 */
export function addressToLoad({ pathname, hash, search }: Address): string | null {
  if (new URLSearchParams(search).has('payment')) return pathname === BILLING_PATH ? null : `${BILLING_PATH}${search}`;
  return EARLIER.exec(hash)?.[1] ?? null;
}

/** Addresses that this document shows itself; the others are loaded, since Billing has another policy. */
export function scopeOf(pathname: string): RegExp {
  return isBilling(pathname) ? /^\/billing(?:$|[?/])/ : /^\/(?!billing(?:$|[?/]))/;
}
