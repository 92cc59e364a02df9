import type { CallRow } from '../../../../control/calls/call-row.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { startTransfer } from '../../../../control/calls/transfers/start-transfer.ts';
import {
  createTransferController,
  type TransferController,
} from '../../../../control/calls/transfers/transfer-controller.ts';
import { reconcileTransfers } from '../../../../control/calls/transfers/transfer-reconciler.ts';
import type { TransferRow } from '../../../../control/calls/transfers/transfer-row.ts';
import type { CarrierStatus } from '../../../../control/carriers/callback.ts';
import { CarrierError, type Carriers } from '../../../../control/carriers/carrier.ts';
import { carrierUrls } from '../../../../control/carriers/carrier-urls.ts';
import type { DialOutcome, FoundDials } from '../../../../control/carriers/dial.ts';
import type { CarrierTransfers } from '../../../../control/carriers/transfers.ts';
import type { CallEnding, CallEvent, StartTransferRequest, TransferOutcome } from '../../../../shared/bus/messages.ts';
import { newId } from '../../../../shared/ids.ts';
import { carrierCallback, createCallFixture, createTestCarrier, delivered, log, mediaEvent } from '../call-fixture.ts';

/** The number of the transfer's target. */
export const NUMBER = '+919800011111';

const usual = () => ({
  dial: async (): Promise<DialOutcome> => ({
    accepted: true,
    provider_call_id: `CA-target-${newId()}`,
    provider_request_id: '',
  }),
  /** Moves the caller of a cold transfer, or joins a warm one. */
  move: async (): Promise<'done' | 'gone'> => 'done',
  /** The carrier's list of calls; null when it does not answer. */
  listed: null as FoundDials | null,
  /** Whether the engine does what it is asked; it may reject. */
  engine: async (_outcome: TransferOutcome): Promise<boolean> => true,
});

/** Connected calls on a line whose carrier and engine behave as `behaves` says. */
export async function createTransferFixture() {
  const fixture = await createCallFixture();
  const { sql, clock } = fixture;
  const tenant = await fixture.tenant(100);
  const behaves = usual();
  /** The requests that the carrier got. */
  const asked: string[] = [];
  /** The outcomes that the engine got. */
  const outcomes: TransferOutcome[] = [];
  const working: Promise<void>[] = [];

  const carrierTransfers: CarrierTransfers = {
    async connect() {
      asked.push('connect');
      return behaves.move();
    },
    async dialTarget(request) {
      asked.push(`dial ${request.to_number} from ${request.from_number}`);
      return behaves.dial();
    },
    async join() {
      asked.push('join');
      return behaves.move();
    },
    parseDialCallback: () => null,
    documents: null,
  };
  const line = createTestCarrier();
  const findDial = async () => behaves.listed ?? Promise.reject(new CarrierError('no list', 500));
  const carriers: Carriers = new Map([['twilio', { ...line.carrier, transfers: carrierTransfers, findDial }] as const]);
  const addresses = carrierUrls('https://api.example.com', 'wss://media.example.com');
  const controller: TransferController = createTransferController({
    ...{ sql, clock, log, carriers, addresses },
    bus: {
      async sendTransferOutcome(outcome) {
        outcomes.push(outcome);
        return { done: await behaves.engine(outcome), detail: '' };
      },
    },
    track: (work) => void working.push(work),
  });

  const deliver = (...events: CallEvent[]) =>
    ingest(
      { sql, clock, log },
      events.map((event) => delivered(event)),
    );
  async function row(id: string): Promise<TransferRow> {
    const [found] = await sql<TransferRow[]>`select * from transfers where id = ${id}`;
    return found!;
  }
  const round = (wallMs = clock.wall()) =>
    reconcileTransfers({ sql, clock: { ...clock, wall: () => wallMs }, log, transfers: controller });

  return {
    ...fixture,
    ...{ tenant, behaves, asked, outcomes, line, carriers, addresses, controller, deliver, row, round },

    /** Puts everything back to its usual behaviour; before each test. */
    reset() {
      Object.assign(behaves, usual());
      for (const list of [asked, outcomes, working]) list.length = 0;
    },

    async inConversation(): Promise<CallRow> {
      const call = await fixture.opened(tenant);
      await deliver(mediaEvent(call.id, 1, 'call.started'));
      return fixture.read(call.id);
    },

    /** The engine's report of the call's end. */
    ended: (callId: string, seq: number, hangup_reason: CallEnding['hangup_reason']) =>
      deliver(
        mediaEvent(callId, seq, 'call.ended', {
          ending: { hangup_by: 'agent', hangup_reason, duration_seconds: 5, recorded: false },
        }),
      ),

    async start(
      call: Pick<CallRow, 'id'>,
      warm: boolean,
      { transfer_id = newId(), ...more }: Partial<StartTransferRequest> = {},
      at: Carriers = carriers,
    ) {
      const request = { call_id: call.id, transfer_id, name: 'Sales', number: NUMBER, reason: 'a bill', warm };
      const reply = await startTransfer(
        { sql, clock, log, carriers: at, addresses, hangUpTarget: controller.hangUpTarget },
        { ...request, summary: warm ? 'A caller.' : '', language: 'en', ...more },
      );
      return { reply, id: transfer_id };
    },

    outcomesOf: (id: string) => outcomes.filter(({ transfer_id }) => transfer_id === id),

    async later(ms: number): Promise<void> {
      clock.shift(ms);
      await round();
    },

    /** What goes on after a carrier's callback was answered. */
    background: () => Promise.all(working),

    statusEvents: async (call: CallRow) =>
      (await fixture.timeline(call)).filter(({ type }) => type === 'call.transfer_status'),

    /** A callback for the target's leg. */
    ofTarget: async (id: string, status: CarrierStatus | null = null) =>
      carrierCallback({ provider_call_id: (await row(id)).target_call_id, status }),
  };
}

export type TransferFixture = Awaited<ReturnType<typeof createTransferFixture>>;
