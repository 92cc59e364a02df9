import { startOpenAiRealtimeSimulator } from '../../../fixtures/simulators/openai-realtime.ts';
import { adapter } from '../../../media/realtime/openai-realtime.ts';
import { ANSWER, MS_PER_CHARACTER, realtimeConformance } from '../realtime-suite.ts';

realtimeConformance('OpenAI Realtime', { provider: 'openai', model: 'gpt-realtime-2.1' }, async () => {
  const simulator = await startOpenAiRealtimeSimulator({
    transcripts: ['book a table'],
    msPerCharacter: MS_PER_CHARACTER,
    answer: (lines) =>
      lines.at(-1)?.text === 'tool' ? { tool: { name: 'find_table', arguments: '{"people":2}' } } : ANSWER,
  });
  const settings = { OPENAI_BASE_URL: simulator.url, OPENAI_API_KEY: 'sk-simulated' };
  return {
    create: (options) => adapter({ ...options, settings }),
    refuse(refusal) {
      simulator.faults.refuse = refusal;
    },
    disconnect: () => simulator.connections.forEach((connection) => void connection.break()),
    send: (message) => simulator.connections.forEach((connection) => void connection.send(message)),
    violations: simulator.violations,
    close: () => simulator.close(),
  };
});
