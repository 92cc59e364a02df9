import {
  type RestRequest,
  type RestResponse,
  type RestServer,
  startRestServer,
} from '../../fixtures/simulators/carrier-http.ts';
import type { NumberStock } from '../../fixtures/simulators/number-stock.ts';
import { startTwilioNumbers } from '../../fixtures/simulators/twilio-numbers.ts';

/** Puts a stock of numbers beside a simulated Twilio: calls and numbers at one address, as Twilio has them. */
export async function withNumbers(
  callsUrl: string,
  account: { accountSid: string; authToken: string },
  stock: NumberStock,
): Promise<RestServer> {
  const numbers = await startTwilioNumbers(account, stock);
  const front = await startRestServer((request) =>
    forward(/PhoneNumbers/.test(request.path) ? numbers.url : callsUrl, request),
  );
  return {
    url: front.url,
    async close() {
      await front.close();
      await numbers.close();
    },
  };
}

async function forward(url: string, request: RestRequest): Promise<RestResponse> {
  const { method, path, query, contentType, body, authorization } = request;
  const response = await fetch(`${url}${path}?${query}`, {
    method,
    headers: { authorization, 'content-type': contentType },
    ...(method === 'GET' ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, ...(text === '' ? {} : { body: JSON.parse(text) }) };
}
