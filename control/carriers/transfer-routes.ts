import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ID_PATTERN } from '../../shared/ids.ts';
import { notFound } from '../http/errors.ts';
import { file, route } from '../http/route.ts';
import type { CallbackResponse, SignedCallback } from './callback.ts';
import type { Carrier, Carriers } from './carrier.ts';
import type { TransferEndpoint } from './carrier-urls.ts';
import type { TransferEventHandler } from './transfer-event-handler.ts';
import { callbackWithoutCall, MAX_CALLBACK_BYTES, verifyCallback } from './verified-callback.ts';

export interface TransferRoutesDeps {
  carriers: Carriers;
  events: TransferEventHandler;
  /** As for `carrierRoutes`. */
  publicApiUrl: string;
}

type CallbackContent = Pick<SignedCallback, 'fields' | 'json'>;

const SUMMARIES: Record<TransferEndpoint, string> = {
  answer: 'The person a call is transferred to picked up',
  briefed: 'The person has heard the briefing',
  status: "A carrier tells how the person's leg goes",
  caller: 'A carrier asks what to do with a caller who was taken from the agent',
  dial: 'A carrier tells how the second leg of a transfer goes',
  dialled: 'The second leg of a transfer is over, and the carrier asks what to do with the caller',
};
const EMPTY_RESPONSE: CallbackResponse = { content_type: 'text/plain; charset=utf-8', text: '' };

/**
 * POST /carriers/{provider}/transfer/{answer,briefed,status,caller,dial,dialled}?transfer_id=…: what a carrier asks and
 * tells about a transfer, signed by it. 403 for a wrong signature, 404 for a carrier that is not there or has no documents,
 * 422 for a status that names no call.
 */
export function transferRoutes(
  app: FastifyInstance,
  { carriers, events: news, publicApiUrl }: TransferRoutesDeps,
): void {
  const origin = publicApiUrl.replace(/\/+$/, '');
  const params = z.object({ provider: z.string().max(20) });
  const query = z.object({ transfer_id: z.string().max(64).optional() });

  for (const [address, summary] of Object.entries(SUMMARIES) as [TransferEndpoint, string][]) {
    route(app, {
      method: 'POST',
      path: `/carriers/{provider}/transfer/${address}`,
      tag: 'Carriers',
      summary,
      credential: 'public',
      permission: null,
      hidden: true,
      body_limit_bytes: MAX_CALLBACK_BYTES,
      success: 200,
      schema: { params, query, body: z.unknown(), response: file('text/plain') },
      async handler({ params, query, body }, context) {
        const { carrier, ...said } = verifyCallback({ carriers, origin, provider: params.provider, body }, context);
        // Empty where the address names none: the news are given one that nobody has.
        const transferId = ID_PATTERN.test(query.transfer_id ?? '') ? query.transfer_id! : '';
        const { content_type, text } = await answer(carrier, address, transferId, said);
        return { body: text, headers: { 'content-type': content_type } };
      },
    });
  }

  async function answer(
    carrier: Carrier,
    asked: TransferEndpoint,
    id: string,
    said: CallbackContent,
  ): Promise<CallbackResponse> {
    const { name, transfers } = carrier;
    if (carrier.handleTransferCallback) {
      await carrier.handleTransferCallback(asked, id, said, news);
      return EMPTY_RESPONSE;
    }
    const documents = transfers?.documents;
    if (!transfers || !documents) throw notFound('transfer');
    switch (asked) {
      case 'answer':
        return documents.target(await news.targetAnswered(name, id, carrier.parseCallback(said)));
      case 'briefed':
        return documents.target(await news.targetBriefed(name, id, carrier.parseCallback(said)));
      case 'status': {
        const callback = carrier.parseCallback(said);
        if (!callback) throw callbackWithoutCall();
        await news.targetStatus(name, id, callback);
        return EMPTY_RESPONSE;
      }
      case 'caller':
        return documents.caller(await news.callerMoved(name, id));
      case 'dial':
      case 'dialled': {
        const told = transfers.parseDialCallback(said);
        if (told) await news.dialStatus(name, id, told);
        return asked === 'dial' ? EMPTY_RESPONSE : documents.caller({ do: 'hang up' });
      }
    }
  }
}
