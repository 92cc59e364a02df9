import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { port, readEnv } from '../shared/env.ts';
import { errorText } from '../shared/log.ts';
import { type BrowserCallsBuild, buildBrowserCalls } from './build-browser-calls.ts';
import { exampleAgent, exampleSetup, startExampleModel } from './example-agent.ts';
import { firstUser } from './first-user.ts';
import { connectSimulatedNumber, firstWorkspace } from './first-workspace.ts';
import { aborted, interruptSignal } from './interrupt-signal.ts';
import { SIMULATED_NUMBER, type SimulatedCarrier, startSimulatedCarrier } from './simulated-carrier.ts';
import { type Stack, startStack } from './stack.ts';

/** `make up`: runs the whole service until Ctrl-C. Exit code 1 when it did not start or one of its programs failed. */

const SETTINGS = z.object({
  API_PORT: port(7080),
  MEDIA_PORT: port(7070),
  /** `off` where nobody calls from the browser: nothing is built. */
  BROWSER_CALLS: z.enum(['build', 'off']).default('build'),
  /** `1`: with a simulated carrier, so that calls are placed and received without an account. */
  SIMULATED: z.enum(['0', '1']).default('0'),
  /** Where somebody is made to call through the simulated carrier. */
  CARRIER_PORT: port(7090),
  ANTIPHON_HOME: z.string().default(fileURLToPath(new URL('../.antiphon', import.meta.url))),
});

async function main(): Promise<number> {
  const say = (line: string) => console.log(line);
  const interrupted = interruptSignal(say);
  let stack: Stack | undefined;
  const closing: (() => Promise<void>)[] = [];
  try {
    const { API_PORT, MEDIA_PORT, CARRIER_PORT, ANTIPHON_HOME, BROWSER_CALLS, SIMULATED } = readEnv(SETTINGS);
    let build: BrowserCallsBuild | null = null;
    if (BROWSER_CALLS === 'build' && !(await browserCallsInstalled())) {
      say('browser calls: the media worker is not on this machine; it comes while the rest starts');
      build = buildBrowserCalls(say);
      const { stop } = build;
      closing.push(async () => stop());
    }
    const example = exampleSetup(process.env);
    const model = await startExampleModel(example, process.env);
    closing.push(model.close);
    let carrier: SimulatedCarrier | null = null;
    if (SIMULATED === '1') {
      carrier = await startSimulatedCarrier(CARRIER_PORT, say);
      closing.push(carrier.close);
    }
    stack = await startStack({
      home: ANTIPHON_HOME,
      apiPort: API_PORT,
      mediaPort: MEDIA_PORT,
      settings: (addresses) => ({
        MODELS_DIR: process.env.MODELS_DIR ?? 'models',
        ...model.settings,
        ...carrier?.settings(addresses),
      }),
      onProgress: (line) => say(`starting ${line}`),
      signal: interrupted,
    });
    const { api_key, workspace_id } = await firstWorkspace(stack, 'First workspace');
    const user = await firstUser(stack, workspace_id);
    const agentId = await exampleAgent(stack, api_key, example);
    if (carrier && agentId) await connectSimulatedNumber(stack, workspace_id, SIMULATED_NUMBER, agentId);
    const { apiUrl: api_url, mediaUrl: media_url, databaseUrl: database_url, pids, carriers } = stack;
    stack.home.writeState({
      api_url,
      media_url,
      api_key,
      database_url,
      pids,
      carriers,
      ...(agentId && { example_agent_id: agentId }),
      ...(carrier && { carrier_calls_url: carrier.callsUrl }),
    });
    const page = stack.apiUrl.replace('127.0.0.1', 'localhost');
    say(
      [
        '',
        'Antiphon is ready.',
        ...(agentId
          ? [
              `  talk     ${page}/agents/${agentId}/talk   (the example agent; sign in as below)`,
              `           it uses ${example.providers}`,
              ...(example.scripted
                ? ['           so it can only book a table: set OPENAI_API_KEY or LLM_BASE_URL and start again']
                : []),
            ]
          : []),
        `  API      ${stack.apiUrl}   (reference: ${stack.apiUrl}/docs)`,
        `  console  ${page}   (sign in as ${user.email}, password ${user.password})`,
        ...(build
          ? ['           calls in the browser are possible as soon as the line "browser calls: ready" comes']
          : []),
        `  media    ${stack.mediaUrl}`,
        ...(carrier
          ? [
              `  carrier  simulated, in Twilio's place${agentId ? `; the example agent has ${SIMULATED_NUMBER}` : ''}`,
              `           somebody calls: curl -X POST ${carrier.callsUrl}   (docs/quick-start.md has more)`,
            ]
          : []),
        `  API key  ${api_key}`,
        `  data     ${stack.home.dir}   (logs in logs/, emails in mail/, addresses for scripts in state.json)`,
        '  operator ./operator --help   (workspaces, numbers, prices, credits, decisions)',
        'Ctrl-C stops it.',
        '',
      ].join('\n'),
    );
    const broken = await Promise.race([aborted(interrupted), stack.failed]);
    if (broken !== undefined) console.error(`\n${broken}\nstopping the rest`);
    return broken === undefined ? 0 : 1;
  } catch (error) {
    if (interrupted.aborted) return 0;
    console.error(`\nAntiphon did not start: ${errorText(error)}`);
    return 1;
  } finally {
    await stack?.stop();
    for (const close of closing) await close();
    say('stopped');
  }
}

/** Whether mediasoup's worker and Opus, which browser calls need, are installed. */
function browserCallsInstalled(): Promise<boolean> {
  const script = fileURLToPath(new URL('browser-calls.sh', import.meta.url));
  return new Promise((resolve) => execFile(script, ['--check'], (error) => resolve(error === null)));
}

process.exit(await main());
