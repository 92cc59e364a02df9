import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Me } from '../api-records.ts';
import type { CheckoutReturn } from '../billing/checkout.ts';

/** Who is signed in, for every page. */
export interface Session {
  me: Me;
  /** Reads who is signed in, and the workspace, again. */
  refresh: () => Promise<void>;
  /** Goes to another workspace of the person. */
  chooseWorkspace: (id: string) => void;
  signOut: () => Promise<void>;
  /** The API answered 401. */
  onSignedOut: () => void;
  /** The browser comes back from a gateway's own page. */
  returned: CheckoutReturn | null;
  onReturned: () => void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session: the page is not within the console');
  return session;
}

/** Returns whether the person may do what asks for this permission in the present workspace. */
export function useMay(): (permission: string) => boolean {
  const { permissions } = useSession().me;
  return (permission) => permissions.includes(permission);
}
