import { afterEach, describe, expect, it } from 'vitest';
import { ProviderRequestError } from '../../control/catalog/provider-request.ts';
import { MAX_VOICES, type VoiceList } from '../../control/catalog/voice-lists/voice-list.ts';
import type { SynthesizerFaults } from '../../fixtures/simulators/synthesizer-faults.ts';

export interface RemoteVoices {
  list: VoiceList;
  faults: SynthesizerFaults;
  /** The body of a response with these entries, where it is not the usual one, and an id that is valid. */
  shape?: { body(entries: readonly object[]): object; id: string };
  close(): Promise<void>;
}

const USUAL_SHAPE: NonNullable<RemoteVoices['shape']> = {
  body: (entries) => ({ voices: entries, data: entries, has_more: false }),
  id: 'ok',
};
/** An entry with this id, wherever a provider has it. */
const named = (id: string) => ({ id, voice_id: id, canonical_name: id, ShortName: id });

/** What a list that comes from a provider must also do: pages, and a provider that misbehaves. */
export function describeRemoteVoiceList(
  name: string,
  start: (options: { voices?: number; apiKey?: string }) => Promise<RemoteVoices>,
): void {
  let remote: RemoteVoices;
  const later = () => AbortSignal.timeout(10_000);

  const failure = async (list: VoiceList, signal = later()) => {
    const error: unknown = await list.all(signal).catch((thrown: unknown) => thrown);
    if (!(error instanceof ProviderRequestError)) throw new Error(`no ProviderRequestError: ${String(error)}`);
    return [error.kind, error.message];
  };

  describe(`the voices of ${name}, over its API`, () => {
    afterEach(() => remote.close());

    it('come in pages', async () => {
      remote = await start({ voices: 250 });
      expect(await remote.list.all(later())).toHaveLength(250);
    });

    it(`are at most ${MAX_VOICES}`, async () => {
      remote = await start({ voices: MAX_VOICES + 150 });
      expect(await remote.list.all(later())).toHaveLength(MAX_VOICES);
    });

    it('need the right key', async () => {
      remote = await start({ apiKey: 'another' });
      expect(await failure(remote.list)).toEqual(['refused', 'HTTP 401']);
    });

    it.each([429, 500])('fail with the status %i', async (status) => {
      remote = await start({});
      remote.faults.http = { status, headers: { 'retry-after': '30' } };
      expect(await failure(remote.list)).toEqual(['refused', `HTTP ${status}`]);
    });

    it.each([
      ['no JSON', '<html>', 'the response is not JSON'],
      ['no UTF-8', Buffer.from([0xff, 0xfe, 0x7b]), 'the response is not JSON'],
      ['JSON of another shape', '[]', 'the response has no voices'],
      ['20 MB', `"${'x'.repeat(20 * 1024 * 1024)}"`, 'the response is too long'],
    ])('fail when the response is %s', async (_, body, message) => {
      remote = await start({});
      remote.faults.http = { status: 200, body };
      expect(await failure(remote.list)).toEqual(['invalid', message]);
    });

    it('leave out entries that are no voices', async () => {
      remote = await start({});
      const { id, body } = remote.shape ?? USUAL_SHAPE;
      const entries = ['a b', id].map((each) => ({ ...named(each), name: 7, labels: [] }));
      const page = body([null, 7, {}, ...entries] as object[]);
      remote.faults.http = { status: 200, body: JSON.stringify(page) };
      const voices = await remote.list.all(later());
      expect(voices).toMatchObject([{ voice_id: id, gender: 'neutral', languages: [] }]);
      expect(voices[0]!.name.toLowerCase()).toBe(id);
    });

    it('end when a page leads to itself', async () => {
      remote = await start({});
      const { id, body } = remote.shape ?? USUAL_SHAPE;
      const page = Object.assign(body([{ ...named(id), name: 'Ok' }]), { has_more: true, next_page_token: 'same' });
      remote.faults.http = { status: 200, body: JSON.stringify(page) };
      expect((await remote.list.all(later())).length).toBeLessThanOrEqual(2);
    });

    it('fail when a redirect leads elsewhere', async () => {
      remote = await start({});
      remote.faults.http = { status: 302, headers: { location: 'http://127.0.0.1:9/' } };
      expect(await failure(remote.list)).toEqual(['refused', 'HTTP 302']);
    });

    it('are given up when asked to', async () => {
      remote = await start({});
      remote.faults.http = 'hang';
      expect(await failure(remote.list, AbortSignal.timeout(50))).toEqual(['unreachable', 'timed out']);
    });

    it('fail when nobody listens', async () => {
      remote = await start({});
      await remote.close();
      expect(await failure(remote.list)).toEqual(['unreachable', 'ECONNREFUSED']);
    });
  });
}
