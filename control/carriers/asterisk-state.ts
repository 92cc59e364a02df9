import type { Sql } from '../db/connect.ts';

/** A caller's channel with the channel of the agent's audio; the columns are explained in the migration. */
export interface AsteriskCall {
  channel_id: string;
  media_channel_id: string;
  media_connection: string;
  stream_token: string;
  connected: boolean;
  failures: number;
  transferred: boolean;
}

export interface Handover {
  transfer_id: string;
  caller: string;
  cold: boolean;
  answered: boolean;
}

/** What is known of an Asterisk's calls, in the database: every control process may command them, and any may follow their events. */
export interface AsteriskState {
  find(channelId: string): Promise<AsteriskCall | null>;
  all(): Promise<AsteriskCall[]>;
  /** False when the channel is known already. */
  add(channelId: string): Promise<boolean>;
  change(channelId: string, change: Partial<Omit<AsteriskCall, 'channel_id'>>): Promise<void>;
  /** Marks the agent's channel as joined; false when it is not the present one, or no longer wanted. */
  joined(channelId: string, mediaId: string): Promise<boolean>;
  /** Takes the agent's channel, which has ended, from the call; null when it was not the present one, or no longer wanted. */
  mediaGone(channelId: string, mediaId: string): Promise<(AsteriskCall & { was_connected: boolean }) | null>;
  /** Takes the agent's channel from the call and returns its id; empty when it had none. */
  takeMedia(channelId: string): Promise<string>;
  /** Returns the id of the agent's channel; empty when it had none. */
  remove(channelId: string): Promise<string>;

  findHandover(transferId: string): Promise<Handover | null>;
  handovers(): Promise<Handover[]>;
  handoversOf(caller: string): Promise<Handover[]>;
  addHandover(handover: Handover): Promise<void>;
  changeHandover(transferId: string, change: Partial<Omit<Handover, 'transfer_id'>>): Promise<void>;
  /** Null when it is gone already. */
  removeHandover(transferId: string): Promise<Handover | null>;
}

export function createAsteriskState(sql: Sql): AsteriskState {
  return {
    async find(channelId) {
      const [call] = await sql<AsteriskCall[]>`select * from asterisk_calls where channel_id = ${channelId}`;
      return call ?? null;
    },
    all: async () => [...(await sql<AsteriskCall[]>`select * from asterisk_calls`)],
    async add(channelId) {
      const rows = await sql`
        insert into asterisk_calls (channel_id) values (${channelId}) on conflict do nothing returning channel_id`;
      return rows.length > 0;
    },
    async change(channelId, change) {
      await sql`update asterisk_calls set ${sql(change)} where channel_id = ${channelId}`;
    },
    async joined(channelId, mediaId) {
      const rows = await sql`
        update asterisk_calls set connected = true, failures = 0
        where channel_id = ${channelId} and media_channel_id = ${mediaId} and not transferred returning channel_id`;
      return rows.length > 0;
    },
    async mediaGone(channelId, mediaId) {
      const [call] = await sql<(AsteriskCall & { was_connected: boolean })[]>`
        with before as (
          select channel_id, connected from asterisk_calls
          where channel_id = ${channelId} and media_channel_id = ${mediaId} and not transferred for update
        )
        update asterisk_calls set media_channel_id = '', connected = false,
          failures = failures + case when before.connected then 0 else 1 end
        from before where asterisk_calls.channel_id = before.channel_id
        returning asterisk_calls.*, before.connected as was_connected`;
      return call ?? null;
    },
    async takeMedia(channelId) {
      const [call] = await sql<{ media_channel_id: string }[]>`
        with before as (
          select channel_id, media_channel_id from asterisk_calls where channel_id = ${channelId} for update
        )
        update asterisk_calls set media_channel_id = '', connected = false
        from before where asterisk_calls.channel_id = before.channel_id returning before.media_channel_id`;
      return call?.media_channel_id ?? '';
    },
    async remove(channelId) {
      const [call] = await sql<{ media_channel_id: string }[]>`
        delete from asterisk_calls where channel_id = ${channelId} returning media_channel_id`;
      return call?.media_channel_id ?? '';
    },

    async findHandover(transferId) {
      const [handover] = await sql<Handover[]>`select * from asterisk_handovers where transfer_id = ${transferId}`;
      return handover ?? null;
    },
    handovers: async () => [...(await sql<Handover[]>`select * from asterisk_handovers`)],
    handoversOf: async (caller) => [
      ...(await sql<Handover[]>`
      select * from asterisk_handovers where caller = ${caller} and caller <> ''`),
    ],
    async addHandover(handover) {
      await sql`insert into asterisk_handovers ${sql(handover)} on conflict (transfer_id) do nothing`;
    },
    async changeHandover(transferId, change) {
      await sql`update asterisk_handovers set ${sql(change)} where transfer_id = ${transferId}`;
    },
    async removeHandover(transferId) {
      const [handover] = await sql<Handover[]>`
        delete from asterisk_handovers where transfer_id = ${transferId} returning *`;
      return handover ?? null;
    },
  };
}
