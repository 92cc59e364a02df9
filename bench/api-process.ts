import { fork } from 'node:child_process';

/** The process of api-server.ts, which benches measure. */
export interface ApiProcess {
  /** `http://127.0.0.1:<port>` of the API, and of the bare route, once it listens; rejects when it ends before. */
  urls: Promise<{ api: string; bare: string }>;
  /** Since it began: CPU time, and statements sent to the database. */
  use(): Promise<{ cpu_us: number; statements: number }>;
  stop(): void;
}

/** Starts it over a migrated database. */
export function startApiProcess(databaseUrl: string, recordingsDir: string): ApiProcess {
  const api = fork(new URL('./api-server.ts', import.meta.url), {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      MEDIA_TOKEN_SECRET: 'a secret of the bench',
      RECORDINGS_DIR: recordingsDir,
      // Agents need providers; none is reached.
      ...{ OPENAI_API_KEY: 'none', ELEVENLABS_API_KEY: 'none', DEEPGRAM_API_KEY: 'none' },
    },
  });
  const urls: ApiProcess['urls'] = new Promise((resolve, reject) => {
    api.once('message', (message) => resolve(message as { api: string; bare: string }));
    api.once('exit', () => reject(new Error('the API ended')));
  });
  return {
    urls,
    use: () =>
      new Promise((resolve) => {
        api.once('message', (message) => resolve(message as { cpu_us: number; statements: number }));
        api.send('use');
      }),
    stop() {
      if (api.connected) api.disconnect();
    },
  };
}
