import { z } from 'zod';
import { time } from '../http/times.ts';

/** What a browser needs to open its stream, as the API returns it. */
export const webSession = z
  .object({
    url: z.string().describe('`wss://…/web/<token>`: the socket that a browser opens'),
    token: z.string().describe('the token alone; works once'),
    ice_servers: z
      .array(
        z.object({
          urls: z.array(z.string()).describe('`stun:…` or `turn:…`'),
          username: z.string().optional().describe('of a relay that requires one'),
          credential: z.string().optional().describe('of a relay that requires one; expires after some hours'),
        }),
      )
      .describe('as RTCPeerConnection takes them; empty when browsers reach the engine directly'),
    expires_at: time().describe(
      'the token is invalid after that, and once the call has ended, which it does after 30 seconds without audio',
    ),
  })
  .meta({ id: 'WebSession' });
