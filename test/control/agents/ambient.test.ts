import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAmbientSounds } from '../../../control/agents/ambient-sounds.ts';
import { createUploadedAmbientSounds } from '../../../media/playout/uploaded-ambient-sounds.ts';
import { builtInAmbientSoundFile } from '../../../shared/ambient-sounds.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { type Client, request, startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;
let other: Client;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace('Acme');
  other = await api.newWorkspace('Other');
});

/** Mono PCM16 with a tone of 440 Hz. */
function wav(seconds: number, rateHz = 16_000): Buffer {
  const samples = Math.round(seconds * rateHz);
  const bytes = Buffer.alloc(44 + samples * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rateHz, 24);
  bytes.writeUInt32LE(rateHz * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples * 2, 40);
  for (let i = 0; i < samples; i++) {
    bytes.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * i) / rateHz)), 44 + i * 2);
  }
  return bytes;
}

interface Part {
  name: string;
  value: Buffer | string;
  file_name?: string;
}

function multipart(parts: Part[]): { payload: Buffer; headers: Record<string, string> } {
  const chunks = parts.flatMap(({ name, value, file_name }) => {
    const file = file_name === undefined ? '' : `; filename="${file_name}"\r\nContent-Type: application/octet-stream`;
    const head = `--a line\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value as string), Buffer.from('\r\n')];
  });
  return {
    payload: Buffer.concat([...chunks, Buffer.from('--a line--\r\n')]),
    headers: { 'content-type': 'multipart/form-data; boundary="a line"' },
  };
}

async function send(client: Client, parts: Part[], headers: Record<string, string> = {}) {
  const form = multipart(parts);
  return request(api.http, {
    method: 'POST',
    url: '/api/v1/ambient',
    headers: { 'x-api-key': client.key, ...form.headers, ...headers },
    payload: form.payload,
  });
}

const upload = (file: Buffer, name = 'Rain', client = acme) =>
  send(client, [
    { name: 'name', value: name },
    { name: 'file', value: file, file_name: 'a picture.png' },
  ]);

describe('the background sounds of a workspace', () => {
  it('start with the four built-in ones', async () => {
    const { status, body } = await other.send('GET', '/ambient');
    expect(status).toBe(200);
    expect(body.map((sound: { id: string }) => sound.id)).toEqual(['office', 'call_centre', 'cafe', 'street']);
    const size = readFileSync(builtInAmbientSoundFile('cafe')).length;
    expect(body[2]).toEqual({
      id: 'cafe',
      name: 'Cafe',
      kind: 'builtin',
      duration_seconds: 12,
      size_bytes: size,
      used_by_agents: 0,
      created_by: '',
      created_at: null,
    });
  });

  it('accept an upload by its content, whatever its file name', async () => {
    const { status, body } = await upload(wav(2, 44_100), '  Rain  ');
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Rain',
      kind: 'upload',
      duration_seconds: 2,
      size_bytes: 44 + 2 * 16_000 * 2,
      used_by_agents: 0,
      created_by: 'first key',
    });
    expect(body.id).toMatch(/^upload:[a-f0-9]{32}$/);
    expect(body.created_at).toMatch(/\+05:30$/);
    const list = (await acme.send('GET', '/ambient')).body;
    expect(list.find((sound: { id: string }) => sound.id === body.id)).toEqual(body);
    expect((await other.send('GET', '/ambient')).body).toHaveLength(4);
  });

  it('accept an MP3 file', async () => {
    const { status, body } = await upload(readFileSync(join(import.meta.dirname, 'tone.mp3')));
    expect(status).toBe(201);
    expect(body.duration_seconds).toBeGreaterThan(1.4);
    expect(body.duration_seconds).toBeLessThan(1.7);
  });

  it('can be downloaded by either name', async () => {
    const { id } = (await upload(wav(1, 16_000))).body;
    for (const sound of [id, id.slice(7), encodeURIComponent(id), 'office']) {
      const answer = await api.http.inject({
        method: 'GET',
        url: `/api/v1/ambient/${sound}/audio`,
        headers: { 'x-api-key': acme.key },
      });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toBe('audio/wav');
      expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="[\w-]+\.wav"$/);
      const expected = sound === 'office' ? readFileSync(builtInAmbientSoundFile('office')).length : 44 + 32_000;
      expect(answer.rawPayload).toHaveLength(expected);
      expect(answer.rawPayload.toString('latin1', 0, 4)).toBe('RIFF');
    }
    for (const sound of [`upload:${'f'.repeat(32)}`, 'f'.repeat(32), 'rain', `${id}0`]) {
      const { status, body } = await acme.send('GET', `/ambient/${sound}/audio`);
      expect([sound, status, body]).toEqual([sound, 404, { detail: 'sound not found' }]);
    }
    expect((await other.send('GET', `/ambient/${id}/audio`)).status).toBe(404);
  });

  it('are at most 20 uploads, also when two come at once', async () => {
    const crowded = await api.newWorkspace('Crowded');
    expect((await upload(wav(1), 'One', crowded)).status).toBe(201);
    await api.sql`
      insert into ambient_sounds
      select (jsonb_populate_record(ambient_sounds, jsonb_build_object('id', lpad(to_hex(n), 32, '0')))).*
      from ambient_sounds, generate_series(1, 18) n where workspace_id = ${crowded.workspace_id}
    `;
    const answers = await Promise.all(['A', 'B', 'C'].map((name) => upload(wav(1), name, crowded)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({ detail: 'sound limit reached (20)' });
  });
});

describe('an upload that is refused', () => {
  it('is larger than 5 MB', async () => {
    const large = Buffer.alloc(5 * 1024 * 1024 + 1);
    const { status, body } = await upload(large);
    expect([status, body]).toEqual([413, { detail: 'the file is larger than 5 MB' }]);
    const larger = await upload(Buffer.alloc(6 * 1024 * 1024));
    expect([larger.status, larger.body]).toEqual([413, { detail: 'the file is larger than 5 MB' }]);
  });

  it('is not audio', async () => {
    const files = {
      empty: Buffer.alloc(0),
      text: Buffer.from('hello'),
      png: Buffer.from('89504e470d0a1a0a', 'hex'),
      'a WAV without sound': Buffer.from('RIFF\0\0\0\0WAVE'),
      'a WAV of another kind': Buffer.from(wav(1)).fill(0x55, 20, 21),
      'a tag and nothing': Buffer.concat([Buffer.from('ID3'), Buffer.alloc(2000)]),
    };
    for (const [what, file] of Object.entries(files)) {
      const { status, body } = await upload(file);
      expect([what, status, body]).toEqual([what, 415, { detail: 'only WAV or MP3 files' }]);
    }
  });

  it('is too short or too long', async () => {
    for (const file of [wav(0.9), wav(120.5, 8_000)]) {
      const { status, body } = await upload(file);
      expect(status).toBe(422);
      expect(body.detail[0]).toMatchObject({ loc: ['body', 'file'], msg: 'the sound should be 1 to 120 seconds long' });
    }
  });

  it('lacks a field, or is not a form', async () => {
    const noFile = await send(acme, [{ name: 'name', value: 'Rain' }]);
    expect(noFile.status).toBe(422);
    expect(noFile.body.detail[0]).toMatchObject({ loc: ['body', 'file'], input: null });
    const textFile = await send(acme, [
      { name: 'name', value: 'Rain' },
      { name: 'file', value: 'not a file' },
    ]);
    expect(textFile.body.detail[0].loc).toEqual(['body', 'file']);
    for (const name of ['', ' ', 'x'.repeat(81)]) {
      const { status, body } = await upload(wav(1), name);
      expect([name, status, body.detail[0].loc]).toEqual([name, 422, ['body', 'name']]);
    }
    const noName = await send(acme, [{ name: 'file', value: wav(1), file_name: 'a.wav' }]);
    expect(noName.body.detail[0]).toMatchObject({ type: 'missing', loc: ['body', 'name'] });
    const torn = await send(acme, [{ name: 'name', value: 'Rain' }], {
      'content-type': 'multipart/form-data; boundary=b',
    });
    expect(torn.status).toBe(422);
    const json = await acme.send('POST', '/ambient', { name: 'Rain' });
    expect([json.status, json.body.detail]).toEqual([
      415,
      'send Content-Type: multipart/form-data with the file as `file`',
    ]);
  });

  it('comes without a key; other endpoints refuse such a form', async () => {
    const form = multipart([{ name: 'name', value: 'Asha' }]);
    const nobody = await request(api.http, { method: 'POST', url: '/api/v1/ambient', ...form });
    expect(nobody.status).toBe(401);
    const headers = { ...form.headers, 'x-api-key': acme.key };
    const agents = await request(api.http, { method: 'POST', url: '/api/v1/agents', headers, payload: form.payload });
    expect(agents.status).toBe(415);
  });
});

describe('agents and sounds', () => {
  it('an agent can use uploads of its own workspace only', async () => {
    const { id } = (await upload(wav(1))).body;
    const call = { ambient_sound: id };
    const foreign = await other.send('POST', '/agents', { name: 'Asha', call });
    expect(foreign.status).toBe(422);
    expect(foreign.body.detail[0]).toMatchObject({ type: 'value_error', loc: ['body', 'call', 'ambient_sound'] });
    const agent = (await acme.send('POST', '/agents', { name: 'Asha', call })).body;
    expect(agent.call.ambient_sound).toBe(id);
    const wrong = { name: 'Asha', call: { ambient_sound: `upload:${newId()}` } };
    expect((await acme.send('PUT', `/agents/${agent.id}`, wrong)).status).toBe(422);
  });

  it('a sound in use is counted and cannot be deleted; an unused one can', async () => {
    const { id } = (await upload(wav(1), 'Sea')).body;
    const agent = (await acme.send('POST', '/agents', { name: 'Asha', call: { ambient_sound: id } })).body;
    const used = (await acme.send('GET', '/ambient')).body.find((sound: { id: string }) => sound.id === id);
    expect(used.used_by_agents).toBe(1);
    const refused = await acme.send('DELETE', `/ambient/${id}`);
    expect([refused.status, refused.body]).toEqual([409, { detail: 'used by 1 agents' }]);
    await acme.send('PUT', `/agents/${agent.id}`, { name: 'Asha' });
    expect((await other.send('DELETE', `/ambient/${id}`)).status).toBe(404);
    expect((await acme.send('DELETE', `/ambient/${id}`)).status).toBe(204);
    expect((await acme.send('DELETE', `/ambient/${id}`)).status).toBe(404);
    const again = await acme.send('PUT', `/agents/${agent.id}`, { name: 'Asha', call: { ambient_sound: id } });
    expect(again.status).toBe(422);
  });

  it('a built-in sound cannot be deleted', async () => {
    const { status, body } = await acme.send('DELETE', '/ambient/office');
    expect([status, body]).toEqual([400, { detail: 'built-in sounds cannot be deleted' }]);
  });
});

describe('an engine', () => {
  it('gets an upload in chunks, and nothing for an unknown one', async () => {
    const sounds = createAmbientSounds({ sql: api.sql, clock: systemClock, decode: async () => ({ type: 'unknown' }) });
    const { id, size_bytes } = (await upload(wav(20))).body;
    const asked = { workspace_id: acme.workspace_id, sound_id: id.slice(7) };
    const parts: Uint8Array[] = [];
    for (let offset = 0; offset < size_bytes; offset += parts.at(-1)!.length) {
      const reply = await sounds.part({ ...asked, offset });
      expect(reply).toMatchObject({ found: true, total_bytes: size_bytes });
      expect(reply.chunk.length).toBeGreaterThan(0);
      expect(reply.chunk.length).toBeLessThanOrEqual(256 * 1024);
      parts.push(reply.chunk);
    }
    expect(parts.length).toBeGreaterThan(2);
    const whole = await api.http.inject({
      method: 'GET',
      url: `/api/v1/ambient/${id}/audio`,
      headers: { 'x-api-key': acme.key },
    });
    expect(Buffer.concat(parts).equals(whole.rawPayload)).toBe(true);
    const engine = createUploadedAmbientSounds({ fetchPart: sounds.part, log: createLogger('test', 'silent') });
    expect(await engine.load(acme.workspace_id, asked.sound_id)).toHaveLength(20 * 8_000);
    const nothing = { found: false, total_bytes: 0, chunk: new Uint8Array() };
    expect(await sounds.part({ ...asked, workspace_id: other.workspace_id, offset: 0 })).toEqual(nothing);
    expect(await sounds.part({ ...asked, sound_id: 'x', offset: 0 })).toEqual(nothing);
    expect((await sounds.part({ ...asked, offset: size_bytes + 5 })).chunk).toHaveLength(0);
  });
});
