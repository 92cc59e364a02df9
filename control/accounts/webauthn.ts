import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { deferredImport } from '../../shared/deferred-import.ts';
import { isLoopbackHost } from '../../shared/networks.ts';

/**
 * What browsers and authenticators exchange for passkeys: Web Authentication level 3, https://www.w3.org/TR/webauthn-3/, with the
 * checks of sections 7.1 and 7.2 by SimpleWebAuthn, https://simplewebauthn.dev/docs/packages/server.
 */

const simpleWebAuthn = deferredImport(() => import('@simplewebauthn/server'));

/** How long an authenticator has to sign a challenge. */
export const CHALLENGE_TTL_MS = 5 * 60_000;

/** The site that passkeys are for. */
export interface RelyingParty {
  name: string;
  /** A domain: passkeys work on it and its subdomains. */
  id: string;
  /** The origins of the console on it. */
  origins: string[];
}

/**
 * Returns the site at the public URL, with the console's other origins on the same domain; null where that is no domain, as passkeys
 * are not for IP addresses. This machine is `localhost`, whatever the URL calls it.
 */
export function relyingPartyOf(name: string, publicUrl: string, consoleOrigins: Iterable<string>): RelyingParty | null {
  const addresses = [publicUrl, ...consoleOrigins].filter((each) => URL.canParse(each)).map((each) => new URL(each));
  for (const url of addresses) if (isLoopbackHost(url.hostname)) url.hostname = 'localhost';
  const id = addresses[0]?.hostname ?? '';
  if (id === '' || isIP(id.replace(/^\[|\]$/g, '')) !== 0) return null;
  const onDomain = addresses.filter(({ hostname }) => hostname === id || hostname.endsWith(`.${id}`));
  return { name, id, origins: [...new Set(onDomain.map(({ origin }) => origin))] };
}

const base64url = (max: number, what: string) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]+$/)
    .describe(`${what}, base64url`);
/** Of up to 1023 bytes. */
const MAX_CREDENTIAL_ID = 1364;
const CLIENT_DATA = 'challenge and origin';
const SIGNED = "the authenticator's part";
const common = {
  id: base64url(MAX_CREDENTIAL_ID, 'of the credential'),
  rawId: base64url(MAX_CREDENTIAL_ID, 'the same'),
  type: z.literal('public-key').describe('of the credential'),
  authenticatorAttachment: z.string().max(40).optional().describe('`platform` or `cross-platform`; not read'),
  clientExtensionResults: z.object({}).optional().describe('not read, because no extension is asked for'),
};

/** `PublicKeyCredential.toJSON()` of a new passkey. */
export const registrationResponse = z.object({
  ...common,
  response: z
    .object({
      clientDataJSON: base64url(8_000, CLIENT_DATA),
      attestationObject: base64url(32_000, 'the public key and what the authenticator says of it'),
      transports: z.array(z.string().max(32)).max(10).optional().describe('how the authenticator is reached'),
    })
    .describe(SIGNED),
});

/** `PublicKeyCredential.toJSON()` of a passkey that was used. */
export const assertionResponse = z.object({
  ...common,
  response: z
    .object({
      clientDataJSON: base64url(8_000, CLIENT_DATA),
      authenticatorData: base64url(8_000, 'site, flags and counter'),
      signature: base64url(8_000, 'of both'),
      userHandle: z.string().max(100).optional().describe('not read'),
    })
    .describe(SIGNED),
});

export type RegistrationResponse = z.output<typeof registrationResponse>;
export type AssertionResponse = z.output<typeof assertionResponse>;

interface KnownCredential {
  credential_id: Buffer;
  transports: string[];
}

const descriptorOf = ({ credential_id, transports }: KnownCredential) => ({
  id: credential_id.toString('base64url'),
  ...(transports.length === 0 ? {} : { transports }),
});

/** What a browser makes a passkey of, unless its authenticator has one of `known` already. */
export const registrationOptions = async (
  party: RelyingParty,
  user: { id: string; name: string; email: string },
  known: readonly KnownCredential[],
) =>
  (await simpleWebAuthn()).generateRegistrationOptions({
    ...{ rpName: party.name, rpID: party.id, userName: user.email, userDisplayName: user.name },
    userID: new Uint8Array(Buffer.from(user.id)),
    timeout: CHALLENGE_TTL_MS,
    attestationType: 'none',
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });

/** What a browser has one of `known` sign. */
export const assertionOptions = async (
  party: RelyingParty,
  known: readonly KnownCredential[],
  userVerification: 'required' | 'preferred',
) =>
  (await simpleWebAuthn()).generateAuthenticationOptions({
    rpID: party.id,
    timeout: CHALLENGE_TTL_MS,
    allowCredentials: known.map(descriptorOf),
    userVerification,
  });

/** @throws when anything about it is wrong. */
export async function verifiedRegistration(party: RelyingParty, challenge: string, response: RegistrationResponse) {
  const { verifyRegistrationResponse } = await simpleWebAuthn();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    requireUserVerification: false,
  });
  if (!verified) throw new Error('the attestation is not valid');
  const { credential, credentialBackedUp } = registrationInfo;
  return {
    credential_id: Buffer.from(credential.id, 'base64url'),
    public_key: Buffer.from(credential.publicKey),
    sign_count: credential.counter,
    transports: response.response.transports ?? [],
    synced: credentialBackedUp,
  };
}

/** Returns the authenticator's counter, which is not compared here. @throws when anything else about it is wrong. */
export async function verifiedAssertion(
  party: RelyingParty,
  challenge: string,
  response: AssertionResponse,
  passkey: { credential_id: Buffer; public_key: Buffer },
  userVerification: 'required' | 'preferred',
): Promise<number> {
  const { verifyAuthenticationResponse } = await simpleWebAuthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    credential: {
      id: passkey.credential_id.toString('base64url'),
      publicKey: new Uint8Array(passkey.public_key),
      // Compared where it is written, so that of two uses at once one counts.
      counter: 0,
    },
    requireUserVerification: userVerification === 'required',
  });
  if (!verified) throw new Error('the signature is not valid');
  return authenticationInfo.newCounter;
}
