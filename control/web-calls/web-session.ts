import { createHmac } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import { signMediaToken } from '../../shared/media-token.ts';

/** What a browser needs to open its call: where, with which pass, and through which relays. */
export interface WebSession {
  /** `wss://…/web/<token>`; `ws:` on a machine of one's own. */
  url: string;
  /** Works once. */
  token: string;
  /** As a browser's RTCPeerConnection takes them. */
  ice_servers: IceServer[];
  /** Until then the first socket must be open. */
  expires_at: Date;
}

export interface IceServer {
  urls: string[];
  username?: string;
  credential?: string;
}

export interface WebSessionSettings {
  clock: Clock;
  /** How a browser reaches the engine with the most room, `wss://…` without a slash at the end; see `EngineBoard.place`. */
  assignEngine(callId: string): string;
  mediaTokenSecret: string;
  /** As `readIceUrls` read them. */
  iceUrls: readonly string[];
  /** Shared with the TURN servers; empty when they want no credentials. */
  turnSecret: string;
}

const TOKEN_TTL_MS = 60_000;
/** A relay asks again when a call is kept up for so long: no call lasts longer. */
const TURN_CREDENTIAL_TTL_MS = 6 * 3_600_000;
const MAX_ICE_URLS = 8;

export function createWebSession(settings: WebSessionSettings, callId: string): WebSession {
  const { clock, assignEngine: placeOf, mediaTokenSecret } = settings;
  const expiresAtMs = clock.wall() + TOKEN_TTL_MS;
  const token = signMediaToken(mediaTokenSecret, callId, expiresAtMs);
  return {
    url: `${placeOf(callId)}/web/${token}`,
    token,
    ice_servers: iceServers(settings, callId),
    expires_at: new Date(expiresAtMs),
  };
}

/**
 * Relays know no users: the name is the moment the pass ends and whose it is, the credential a signature of that name with
 * the shared secret ("A REST API For Access To TURN Services", draft-uberti-behave-turn-rest-00; coturn's `use-auth-secret`).
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

/** `stun:host:port` (RFC 7064) and `turn:host:port?transport=udp` (RFC 7065), comma-separated. */
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
