import { createServer } from 'node:http';
import { agentSettings, api } from './api.ts';

/**
 * An agent that says where an order is. The tool is a GET with the order's number in the query and a secret in a header, which the
 * API never shows again. Variables of a call, here the caller's first name, come with the call that is placed.
 *
 *   ANTIPHON_KEY=svc_… node examples/order-status.ts                  creates the agent and serves the tool
 *   ANTIPHON_KEY=svc_… CALL=+919800000001 node examples/order-status.ts   and calls this number
 */

const PORT = Number(process.env.PORT ?? 8091);
const SECRET = process.env.TOOL_SECRET ?? 'example-secret';
const ORDERS: Record<string, string> = { '1001': 'out for delivery, expected before six', '1002': 'packed' };

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const allowed = request.headers['x-tool-secret'] === SECRET;
  const number = url.searchParams.get('order_number') ?? '';
  console.log(allowed ? `asked for order ${number}` : 'refused a request without the secret');
  response.statusCode = allowed ? 200 : 403;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(allowed ? { order: number, status: ORDERS[number] ?? 'unknown number' } : {}));
}).listen(PORT, '127.0.0.1');

const agent = await api<{ id: string; variables: string[] }>('POST', '/agents', {
  name: 'Order status',
  ...agentSettings(),
  welcome_message: 'Hello {first_name}, this is Verdi Deliveries. What is your order number?',
  system_prompt: 'Look up the order with order_status and say where it is in one sentence. The caller is {first_name}.',
  tools: [
    {
      name: 'order_status',
      description: 'Looks up where an order is.',
      method: 'GET',
      url: process.env.PUBLIC_URL ?? `http://127.0.0.1:${PORT}/orders`,
      headers: { 'X-Tool-Secret': SECRET },
      parameters: {
        type: 'object',
        required: ['order_number'],
        properties: { order_number: { type: 'string', pattern: '^[0-9]{4}$' } },
      },
      timeout_seconds: 5,
    },
  ],
});
console.log(`agent ${agent.id} is ready; it wants the variables ${agent.variables.join(', ')}`);

if (process.env.CALL) {
  const call = await api<{ id: string; status: string }>('POST', `/agents/${agent.id}/call`, {
    to_number: process.env.CALL,
    user_data: { first_name: 'Asha' },
  });
  console.log(`call ${call.id} is ${call.status}`);
}
