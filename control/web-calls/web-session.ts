import { createHmac } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import { signMediaToken, type TokenPurpose } from '../../shared/media-token.ts';

/** What a browser needs to open its call: URL, stream token and ICE servers. */
export interface WebSession {
  /** `wss://…/web/<token>`; `ws:` in development. */
  url: string;
  /** Valid once. */
  token: string;
  /** In the form of RTCPeerConnection's `iceServers`. */
  ice_servers: IceServer[];
  /** The socket must be open by then. */
  expires_at: Date;
}

export interface IceServer {
  urls: string[];
  username?: string;
  credential?: string;
}

export interface WebSessionSettings {
  clock: Clock;
  /** `EngineRegistry.assign`. */
  assignEngine(callId: string): string;
  mediaTokenSecret: string;
  /** From `parseIceUrls`. */
  iceUrls: readonly string[];
  /** Shared with the TURN servers; empty when they need no credentials. */
  turnSecret: string;
}

const TOKEN_TTL_MS = 60_000;
/** Longer than any call, because relays check the credential again during it. */
const TURN_CREDENTIAL_TTL_MS = 6 * 3_600_000;
const MAX_ICE_URLS = 8;

export function createWebSession(
  settings: WebSessionSettings,
  callId: string,
  purpose: TokenPurpose = 'media',
): WebSession {
  return { ...createSocket(settings, callId, 'web', purpose), ice_servers: iceServers(settings, callId) };
}

/** What an API client needs to open its call's audio stream. */
export function createStreamSession(settings: WebSessionSettings, callId: string): Omit<WebSession, 'ice_servers'> {
  return createSocket(settings, callId, 'stream');
}

function createSocket(
  { clock, assignEngine, mediaTokenSecret }: WebSessionSettings,
  callId: string,
  path: 'web' | 'stream',
  purpose: TokenPurpose = 'media',
): Omit<WebSession, 'ice_servers'> {
  const expiresAtMs = clock.wall() + TOKEN_TTL_MS;
  const token = signMediaToken(mediaTokenSecret, callId, expiresAtMs, purpose);
  return { url: `${assignEngine(callId)}/${path}/${token}`, token, expires_at: new Date(expiresAtMs) };
}

/**
 * The ICE servers with time-limited TURN credentials: the username is the expiry time and the call's id, the credential its HMAC
 * with the shared secret ("A REST API For Access To TURN Services", draft-uberti-behave-turn-rest-00; coturn's `use-auth-secret`).
 */
function iceServers({ iceUrls, turnSecret, clock }: WebSessionSettings, callId: string): IceServer[] {
  const stun = iceUrls.filter((url) => url.startsWith('stun'));
  const turn = iceUrls.filter((url) => url.startsWith('turn'));
  const servers: IceServer[] = stun.length > 0 ? [{ urls: stun }] : [];
  if (turn.length === 0) return servers;
  if (turnSecret === '') return [...servers, { urls: turn }];
  const username = `${Math.ceil((clock.wall() + TURN_CREDENTIAL_TTL_MS) / 1000)}:${callId}`;
  const credential = createHmac('sha1', turnSecret).update(username).digest('base64');
  return [...servers, { urls: turn, username, credential }];
}

/** Parses comma-separated `stun:host:port` (RFC 7064) and `turn:host:port?transport=udp` (RFC 7065). */
export function parseIceUrls(text: string): string[] {
  const urls = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  for (const url of urls) {
    if (!/^(stuns?:[^\s?/]+|turns?:[^\s?/]+(\?transport=(udp|tcp))?)$/.test(url)) {
      throw new Error(`"${url}" in ICE_SERVERS is no such server: write turn:host:3478 or stun:host:3478`);
    }
  }
  if (urls.length > MAX_ICE_URLS) throw new Error(`ICE_SERVERS names more than ${MAX_ICE_URLS} servers`);
  return urls;
}
