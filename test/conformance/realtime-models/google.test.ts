import { startGeminiLiveSimulator } from '../../../fixtures/simulators/gemini-live.ts';
import { adapter } from '../../../media/realtime/gemini-live.ts';
import { ANSWER, MS_PER_CHARACTER, realtimeConformance } from '../realtime-suite.ts';

realtimeConformance('Gemini Live', { provider: 'google', model: 'gemini-3.8-live' }, async () => {
  const simulator = await startGeminiLiveSimulator({
    transcripts: ['book a table'],
    msPerCharacter: MS_PER_CHARACTER,
    answer: (lines) =>
      lines.at(-1)?.text === 'tool' ? { tool: { name: 'find_table', arguments: '{"people":2}' } } : ANSWER,
  });
  const settings = { GOOGLE_URL: simulator.url, GOOGLE_API_KEY: 'AIza-simulated' };
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
