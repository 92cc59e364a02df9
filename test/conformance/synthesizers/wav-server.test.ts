import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createWavServerSynthesizer } from '../../../examples/custom-synthesizer/adapter.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { synthesizerConformance } from '../synthesizer-suite.ts';

/** The synthesizer of examples/, over a server that speaks with espeak-ng. */

const WAV_HEADER_16K = Buffer.from(
  '524946460000000057415645666d74201000000001000100803e0000007d0000020010006461746100000000',
  'hex',
);

synthesizerConformance('wav server of the examples', async () => {
  const server = createServer(async (request, response) => {
    const { text } = (await json(request)) as { text: string };
    response.setHeader('content-type', 'audio/wav');
    response.write(WAV_HEADER_16K);
    if (text.trim() === '') return response.end();
    // espeak-ng speaks at 22,050 Hz; what it says matters here, not its pitch.
    const espeak = spawn('espeak-ng', ['--stdout', '--stdin']);
    let skip = 44;
    espeak.stdout.on('data', (bytes: Buffer) => {
      const audio = bytes.subarray(Math.min(skip, bytes.length));
      skip -= Math.min(skip, bytes.length);
      if (audio.length > 0) response.write(audio);
    });
    espeak.on('close', () => response.end());
    response.on('close', () => espeak.kill());
    espeak.stdin.end(text.replaceAll('\0', ''));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const create = (listener: Parameters<typeof createWavServerSynthesizer>[0]['listener'], clock = patientClock) =>
    createWavServerSynthesizer({ url, voiceId: '', clock, listener });
  return {
    create,
    createUnreachable: (listener) =>
      createWavServerSynthesizer({ url: 'http://127.0.0.1:1/', voiceId: '', clock: patientClock, listener }),
    hasTimings: false,
    remote: null,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
});
