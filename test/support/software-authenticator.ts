import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/**
 * An authenticator for P-256 with attestation `none`, as Web Authentication level 3 describes it, and the browser around it:
 * https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data
 */

interface Shared {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
}

export interface Changes {
  origin?: string;
  type?: string;
  /** Instead of one more than the last time. */
  counter?: number;
  verified?: boolean;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let counter = 0;

  const clientData = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));

  function authenticatorData(rpId: string, flags: number, count: number, rest = Buffer.alloc(0)): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(count, 1);
    return Buffer.concat([sha256(rpId), head, rest]);
  }

  /** The public key as COSE (RFC 9052): kty EC2, alg ES256, crv P-256, x, y. */
  function coseKey(): Buffer {
    const { x, y } = publicKey.export({ format: 'jwk' });
    const bytes = (text: string | undefined) => Buffer.from(text!, 'base64url');
    return Buffer.concat([
      ...[Buffer.from('a5010203262001215820', 'hex'), bytes(x)],
      ...[Buffer.from('225820', 'hex'), bytes(y)],
    ]);
  }

  const base = { id, rawId: id, type: 'public-key', clientExtensionResults: {} };

  return {
    id,
    /** `navigator.credentials.create` */
    register(options: Shared, changes: Changes = {}) {
      const flags = USER_PRESENT | HAS_CREDENTIAL | (changes.verified === false ? 0 : USER_VERIFIED);
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, 32]), credentialId, coseKey()]);
      const data = authenticatorData(options.rp!.id, flags, changes.counter ?? counter, credential);
      // CBOR: {fmt: "none", attStmt: {}, authData: bytes}
      const length = Buffer.alloc(2);
      length.writeUInt16BE(data.length);
      const attestation = Buffer.concat([
        ...[Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'), length, data],
      ]);
      const client = clientData(changes.type ?? 'webauthn.create', options.challenge, changes.origin ?? origin);
      return {
        ...base,
        response: {
          clientDataJSON: client.toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    /** `navigator.credentials.get` */
    use(options: Shared, changes: Changes = {}) {
      counter = changes.counter ?? counter + 1;
      const flags = USER_PRESENT | (changes.verified === false ? 0 : USER_VERIFIED);
      const data = authenticatorData(options.rpId!, flags, counter);
      const client = clientData(changes.type ?? 'webauthn.get', options.challenge, changes.origin ?? origin);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return {
        ...base,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      };
    },
  };
}

export type SoftwareAuthenticator = ReturnType<typeof createAuthenticator>;
