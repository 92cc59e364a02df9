import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ID_PATTERN } from '../../shared/ids.ts';
import { notFound } from '../http/errors.ts';
import { file, route } from '../http/route.ts';
import type { TransferAddress } from './addresses.ts';
import type { CarrierAnswer, SignedCallback } from './callback.ts';
import type { Carrier, Carriers } from './carrier.ts';
import { CALLBACK_LIMIT_BYTES, genuineCallback, namesNoCall } from './genuine-callback.ts';
import type { TransferNews } from './transfer-news.ts';

export interface TransferRoutesDeps {
  carriers: Carriers;
  news: TransferNews;
  /** As for `carrierRoutes`. */
  publicApiUrl: string;
}

type Said = Pick<SignedCallback, 'fields' | 'json'>;

const SUMMARIES: Record<TransferAddress, string> = {
  answer: 'The person a call is transferred to picked up',
  briefed: 'The person has heard the briefing',
  status: "A carrier tells how the person's leg goes",
  caller: 'A carrier asks what to do with a caller who was taken from the agent',
  dial: 'A carrier tells how the second leg of a transfer goes',
  dialled: 'The second leg of a transfer is over, and the carrier asks what to do with the caller',
};
const NOTHING: CarrierAnswer = { content_type: 'text/plain; charset=utf-8', text: '' };

/**
 * POST /carriers/{provider}/transfer/{answer,briefed,status,caller,dial,dialled}?transfer_id=…: what a carrier asks and
 * tells about a transfer, signed by it. 403 for a wrong signature, 404 for a carrier that is not there or has no documents,
 * 422 for a status that names no call.
 */
export function transferRoutes(app: FastifyInstance, { carriers, news, publicApiUrl }: TransferRoutesDeps): void {
  const origin = publicApiUrl.replace(/\/+$/, '');
  const params = z.object({ provider: z.string().max(20) });
  const query = z.object({ transfer_id: z.string().max(64).optional() });

  for (const [address, summary] of Object.entries(SUMMARIES) as [TransferAddress, string][]) {
    route(app, {
      method: 'POST',
      path: `/carriers/{provider}/transfer/${address}`,
      tag: 'Carriers',
      summary,
      credential: 'public',
      permission: null,
      hidden: true,
      body_limit_bytes: CALLBACK_LIMIT_BYTES,
      success: 200,
      schema: { params, query, body: z.unknown(), response: file('text/plain') },
      async handler({ params, query, body }, context) {
        const { carrier, ...said } = genuineCallback({ carriers, origin, provider: params.provider, body }, context);
        // Empty where the address names none: the news are given one that nobody has.
        const transferId = ID_PATTERN.test(query.transfer_id ?? '') ? query.transfer_id! : '';
        const { content_type, text } = await answer(carrier, address, transferId, said);
        return { body: text, headers: { 'content-type': content_type } };
      },
    });
  }

  async function answer(carrier: Carrier, asked: TransferAddress, id: string, said: Said): Promise<CarrierAnswer> {
    const { name, transfers } = carrier;
    if (carrier.takeTransfer) {
      await carrier.takeTransfer(asked, id, said, news);
      return NOTHING;
    }
    const documents = transfers?.documents;
    if (!transfers || !documents) throw notFound('transfer');
    switch (asked) {
      case 'answer':
        return documents.person(await news.personAnswered(name, id, carrier.read(said)));
      case 'briefed':
        return documents.person(await news.personBriefed(name, id, carrier.read(said)));
      case 'status': {
        const callback = carrier.read(said);
        if (!callback) throw namesNoCall();
        await news.personStatus(name, id, callback);
        return NOTHING;
      }
      case 'caller':
        return documents.caller(await news.callerMoved(name, id));
      case 'dial':
      case 'dialled': {
        const told = transfers.readDial(said);
        if (told) await news.dialNews(name, id, told);
        return asked === 'dial' ? NOTHING : documents.caller({ do: 'hang up' });
      }
    }
  }
}
