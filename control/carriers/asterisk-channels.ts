import type { TransferStatus } from '../../shared/transfer.ts';
import type { CarrierCallback, CarrierStatus } from './callback.ts';
import { callerNumber, jsonObject, jsonText } from './callback-fields.ts';

/** Names of channels and bridges at Asterisk: the name tells what a channel is, also after a restart. */

export type ChannelKind = 'placed' | 'inbound' | 'media' | 'target';

const PLACED = 'call-';
const MEDIA = 'media-';
const TARGET = 'target-';

export const placedChannel = (callId: string) => `${PLACED}${callId}`;
export const targetChannel = (transferId: string) => `${TARGET}${transferId}`;
/** Unique by the nonce: a call may open several one after the other. */
export const mediaChannel = (callerChannel: string, nonce: string) => `${MEDIA}${nonce}-${callerChannel}`;
export const callerBridge = (callerChannel: string) => `bridge-${callerChannel}`;
export const roomBridge = (room: string) => `room-${room}`;

export function channelKindOf(channelId: string): ChannelKind {
  if (channelId.startsWith(PLACED)) return 'placed';
  if (channelId.startsWith(MEDIA)) return 'media';
  return channelId.startsWith(TARGET) ? 'target' : 'inbound';
}

/** The id of the placed call or of the target's transfer; empty for a channel that Asterisk named. */
export function idInChannelName(channelId: string): string {
  const kind = channelKindOf(channelId);
  if (kind === 'placed') return channelId.slice(PLACED.length);
  return kind === 'target' ? channelId.slice(TARGET.length) : '';
}

/** The caller's channel a media channel belongs to. */
export function callerOfMedia(mediaChannelId: string): string {
  return mediaChannelId.slice(mediaChannelId.indexOf('-', MEDIA.length) + 1);
}

export function callerOfBridge(bridgeId: string): string | null {
  return bridgeId.startsWith('bridge-') ? bridgeId.slice('bridge-'.length) : null;
}

/** As in the events and responses of ARI. */
export interface Channel {
  id: string;
  state: string;
  caller: string;
  /** The dialled extension. */
  exten: string;
  /** Controlled by an ARI application, not by the dialplan. */
  inStasis: boolean;
}

export function readChannel(value: unknown): Channel | null {
  const channel = jsonObject(value);
  const id = jsonText(channel, 'id');
  if (!/^[A-Za-z0-9_:.@-]{1,149}$/.test(id)) return null;
  const dialplan = jsonObject(channel?.dialplan);
  return {
    id,
    state: jsonText(channel, 'state'),
    caller: jsonText(jsonObject(channel?.caller), 'number'),
    exten: jsonText(dialplan, 'exten'),
    inStasis: jsonText(dialplan, 'app_name') === 'Stasis',
  };
}

/** `to`: the dialled number, as the dialplan passes it in `Stasis(app,${EXTEN})`. */
export function asCallback({ id, caller, exten }: Channel, to = exten): CarrierCallback {
  const inbound = channelKindOf(id) === 'inbound';
  return {
    provider_call_id: id,
    provider_request_id: '',
    from_number: inbound ? callerNumber(caller) : '',
    to_number: inbound ? callerNumber(to) : '',
    status: null,
    carrier_status: '',
  };
}

/** Statuses of calls that nobody answered, by Q.850 cause as in Asterisk's causes.h. */
const UNANSWERED = new Map<number, Extract<CarrierStatus, TransferStatus>>([
  [17, 'busy'],
  [18, 'no-answer'],
  [19, 'no-answer'],
  // A dial that timed out ends without a cause, or normally.
  [0, 'no-answer'],
  [16, 'no-answer'],
  [127, 'no-answer'],
]);

/** The cause of a media channel whose connection broke; every other end is intended. */
export const NETWORK_OUT_OF_ORDER = 38;
/** The cause of a media channel that the engine closed. */
export const NORMAL_CLEARING = 16;

export const unansweredStatus = (cause: number) => UNANSWERED.get(cause) ?? 'failed';
