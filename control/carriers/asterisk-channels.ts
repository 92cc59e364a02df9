import type { TransferStatus } from '../../shared/transfer.ts';
import type { CarrierCallback, CarrierStatus } from './callback.ts';
import { callerNumber } from './callback-fields.ts';

/** What Asterisk's channels are called here, so that whoever finds one knows what it is, also after a restart. */

export type ChannelKind = 'placed' | 'inbound' | 'media' | 'person';

const PLACED = 'call-';
const MEDIA = 'media-';
const TARGET = 'person-';

export const placedChannel = (callId: string) => `${PLACED}${callId}`;
export const targetChannel = (transferId: string) => `${TARGET}${transferId}`;
/** A caller can have had several of them. */
export const mediaChannel = (callerChannel: string, nonce: string) => `${MEDIA}${nonce}-${callerChannel}`;
export const callerBridge = (callerChannel: string) => `bridge-${callerChannel}`;
export const roomBridge = (room: string) => `room-${room}`;

export function channelKindOf(channelId: string): ChannelKind {
  if (channelId.startsWith(PLACED)) return 'placed';
  if (channelId.startsWith(MEDIA)) return 'media';
  return channelId.startsWith(TARGET) ? 'person' : 'inbound';
}

/** The call we placed, the transfer a person is rung for; empty for a channel that Asterisk named. */
export function idInChannelName(channelId: string): string {
  const kind = channelKindOf(channelId);
  if (kind === 'placed') return channelId.slice(PLACED.length);
  return kind === 'person' ? channelId.slice(TARGET.length) : '';
}

/** Whose sound a media channel carries. */
export function callerOfMedia(mediaChannelId: string): string {
  return mediaChannelId.slice(mediaChannelId.indexOf('-', MEDIA.length) + 1);
}

export function callerOfBridge(bridgeId: string): string | null {
  return bridgeId.startsWith('bridge-') ? bridgeId.slice('bridge-'.length) : null;
}

/** As in the events and answers of ARI. */
export interface Channel {
  id: string;
  state: string;
  caller: string;
  /** What was dialled. */
  exten: string;
  /** In an application of ARI, not in the dialplan. */
  inStasis: boolean;
}

export function readChannel(value: unknown): Channel | null {
  const channel = asObject(value);
  const id = text(channel.id);
  if (!/^[A-Za-z0-9_:.@-]{1,149}$/.test(id)) return null;
  const dialplan = asObject(channel.dialplan);
  return {
    id,
    state: text(channel.state),
    caller: text(asObject(channel.caller).number),
    exten: text(dialplan.exten),
    inStasis: text(dialplan.app_name) === 'Stasis',
  };
}

/** `to` as the dialplan names it in `Stasis(app,${EXTEN})`. */
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

/** Q.850 causes, as Asterisk numbers them (causes.h), of a call that nobody answered. */
const UNANSWERED = new Map<number, Extract<CarrierStatus, TransferStatus>>([
  [17, 'busy'],
  [18, 'no-answer'],
  [19, 'no-answer'],
  // A dial whose time is over ends without a cause, or normally.
  [0, 'no-answer'],
  [16, 'no-answer'],
  [127, 'no-answer'],
]);

/** A media channel whose connection broke; its other ends are meant. */
export const NETWORK_OUT_OF_ORDER = 38;
/** The engine said goodbye. */
export const NORMAL_CLEARING = 16;

export const unansweredStatus = (cause: number) => UNANSWERED.get(cause) ?? 'failed';

export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : '';
}
