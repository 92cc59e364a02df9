import { useState } from 'preact/hooks';
import type { Passkey } from './account-api.ts';

const day = (time: string) => new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' });

interface PasskeyListProps {
  passkeys: readonly Passkey[];
  /** Without one of them the password is enough to sign in. */
  lastStep: boolean;
  onRemove: (id: string) => void;
}

/** The user's passkeys; each is removed with a second press. */
export function PasskeyList({ passkeys, lastStep, onRemove }: PasskeyListProps) {
  const [asked, setAsked] = useState<string | null>(null);
  if (passkeys.length === 0) return <p class="quiet">There are none yet.</p>;
  return (
    <ul class="rows">
      {passkeys.map(({ id, name, created_at, last_used_at }) => (
        <li key={id}>
          <span class="row-text">
            <span>{name}</span>
            <span class="quiet small">
              added {day(created_at)} · {last_used_at ? `last used ${day(last_used_at)}` : 'not used yet'}
            </span>
            {asked === id && lastStep && (
              <span class="small">
                It may be your last second step: without one your password is enough to sign in.
              </span>
            )}
          </span>
          {asked === id ? (
            <>
              <button
                type="button"
                class="secondary"
                aria-label={`Remove now: ${name}`}
                onClick={() => {
                  setAsked(null);
                  onRemove(id);
                }}
              >
                Remove now
              </button>
              <button type="button" class="plain" onClick={() => setAsked(null)}>
                Keep
              </button>
            </>
          ) : (
            <button type="button" class="plain" aria-label={`Remove ${name}`} onClick={() => setAsked(id)}>
              Remove
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
