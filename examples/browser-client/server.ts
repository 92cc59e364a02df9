import { createServer } from 'node:http';
import { join } from 'node:path';
import { bundleOf } from '../../fixtures/simulators/browser-bundle.ts';
import { api } from '../api.ts';

/**
 * A page with a client of its own for browser calls (docs/browser-calls.md), and the server that asks for its calls.
 *
 *   ANTIPHON_KEY=svc_… node examples/browser-client/server.ts AGENT_ID       then open http://localhost:8094
 */

const PORT = Number(process.env.PORT ?? 8094);
const [agentId] = process.argv.slice(2);
if (!agentId) throw new Error('usage: node examples/browser-client/server.ts AGENT_ID');

const script = await bundleOf(join(import.meta.dirname, 'page.js'));
const PAGE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8"><title>Call</title><link rel="icon" href="data:,">
  <button id="call">Call</button> <button id="mute">Mute</button> <button id="hang-up">Hang up</button>
  <p id="status">Idle</p>
  <div id="transcript"></div>
  <audio></audio>
  <script src="/page.js"></script>
</html>`;

createServer(async (request, response) => {
  if (request.method === 'POST' && request.url === '/start-call') {
    try {
      const { session } = await api<{ session: object }>('POST', `/agents/${agentId}/web-call`, { user_data: {} });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(session));
    } catch (error) {
      console.error(error);
      response.writeHead(502).end();
    }
    return;
  }
  const isScript = request.url === '/page.js';
  response.setHeader('content-type', `text/${isScript ? 'javascript' : 'html'}; charset=utf-8`);
  response.end(isScript ? script : PAGE);
}).listen(PORT, '127.0.0.1', () => console.log(`http://localhost:${PORT}`));
