import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { agentSettings, api } from './api.ts';

/**
 * An agent that books tables. The tool `book_table` is this program's own HTTP server; the model fills in its arguments.
 *
 *   ANTIPHON_KEY=svc_… node examples/restaurant-booking.ts
 *
 * PUBLIC_URL is how the service reaches this program. For an address of your own network set FETCH_ALLOW for the service.
 */

const PORT = Number(process.env.PORT ?? 8090);
const booked = new Set<string>();

const server = createServer(async (request, response) => {
  const { time, guests, name } = (await json(request)) as { time: string; guests: number; name: string };
  const free = !booked.has(time);
  if (free) booked.add(time);
  console.log(free ? `booked ${time} for ${guests}, ${name}` : `refused ${time}, already taken`);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(free ? { booked: true, time } : { booked: false, reason: 'that time is taken' }));
});
server.listen(PORT, '127.0.0.1');

const agent = await api<{ id: string }>('POST', '/agents', {
  name: 'Restaurant',
  ...agentSettings(),
  welcome_message: 'Trattoria Verdi, good evening. For when would you like a table?',
  system_prompt: [
    'You take bookings for the restaurant Trattoria Verdi. Ask for time, number of guests and name, one at a time.',
    'Then book with book_table. When a time is taken, offer one half an hour later. Keep answers to one sentence.',
  ].join('\n'),
  tools: [
    {
      name: 'book_table',
      description: 'Books a table once time, guests and name are known.',
      method: 'POST',
      url: process.env.PUBLIC_URL ?? `http://127.0.0.1:${PORT}/book`,
      pre_call_message: 'One moment, I am looking.',
      parameters: {
        type: 'object',
        required: ['time', 'guests', 'name'],
        properties: {
          time: { type: 'string', description: '24-hour clock, like 19:30' },
          guests: { type: 'integer', minimum: 1, maximum: 12 },
          name: { type: 'string' },
        },
      },
    },
  ],
  analytics: {
    summarize: true,
    extractions: [{ key: 'time', label: 'Time', type: 'text', description: 'booked time' }],
  },
});
console.log(`agent ${agent.id} is ready; Ctrl-C ends this program`);
