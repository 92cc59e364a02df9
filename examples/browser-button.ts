import { createServer } from 'node:http';
import { api } from './api.ts';

/**
 * A page with a call button. The page loads the service's `embed.js`; this server asks the service for a call with the API key,
 * which never leaves it, and hands the session to the page.
 *
 *   ANTIPHON_KEY=svc_… node examples/browser-button.ts AGENT_ID       then open http://localhost:8093
 *
 * Add the page's origin to CONSOLE_ORIGINS of the service when it is another host.
 */

const PORT = Number(process.env.PORT ?? 8093);
const SERVICE_URL = process.env.ANTIPHON_URL ?? 'http://127.0.0.1:7080';
const [agentId] = process.argv.slice(2);
if (!agentId) throw new Error('usage: node examples/browser-button.ts AGENT_ID');

const PAGE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8"><title>Trattoria Verdi</title>
  <h1>Trattoria Verdi</h1>
  <p>Questions? Talk to us.</p>
  <script src="${SERVICE_URL}/embed.js" data-token-url="/start-call" data-label="Book a table"></script>
</html>`;

createServer(async (request, response) => {
  if (request.method === 'POST' && request.url === '/start-call') {
    try {
      // Decide here who may call: every call costs credits.
      const { session } = await api<{ session: object }>('POST', `/agents/${agentId}/web-call`, {});
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(session));
    } catch (error) {
      console.error(error);
      response.writeHead(502).end();
    }
    return;
  }
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(PAGE);
}).listen(PORT, '127.0.0.1', () => console.log(`http://localhost:${PORT}`));
