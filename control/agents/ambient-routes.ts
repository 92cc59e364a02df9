import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { acceptUploads } from '../http/multipart.ts';
import { file, route } from '../http/route.ts';
import { time } from '../http/times.ts';
import { type AmbientSounds, MAX_AMBIENT_SOUND_BYTES } from './ambient-sounds.ts';

const TAG = 'Agents';

const soundRecord = z
  .object({
    id: z.string().describe('as `call.ambient_sound` of an agent names it'),
    name: z.string().describe('for display'),
    kind: z.enum(['builtin', 'upload']).describe('uploads belong to the workspace'),
    duration_seconds: z.number().describe('until it begins again'),
    size_bytes: z.int().describe('of the WAV file'),
    used_by_agents: z.int().describe('agents whose calls it plays in'),
    created_by: z.string().describe('a name; empty for a built-in one'),
    created_at: time().nullable(),
  })
  .meta({ id: 'AmbientSound' });

const params = z.object({ sound: z.string().describe('the id, or the 32 hex characters of an upload') });

const form = z.object({
  file: z
    .custom<Buffer>((value) => value instanceof Buffer, 'Field required')
    .meta({ type: 'string', format: 'binary', description: 'WAV or MP3, at most 5 MB, 1 to 120 seconds' }),
  name: z.string().trim().min(1).max(80).describe('for display'),
});

export function ambientRoutes(app: FastifyInstance, ambientSounds: AmbientSounds): void {
  route(app, {
    method: 'GET',
    path: '/api/v1/ambient',
    tag: TAG,
    summary: 'Background sounds: the built-in ones and the uploads, newest first',
    credential: 'key',
    permission: 'agents.view',
    schema: { response: z.array(soundRecord) },
    success: 200,
    handler: async (_input, { workspace_id }) => ambientSounds.list(workspace_id),
  });

  acceptUploads(app, { maxFileBytes: MAX_AMBIENT_SOUND_BYTES, label: 'file' }, (uploads) =>
    route(uploads, {
      method: 'POST',
      path: '/api/v1/ambient',
      tag: TAG,
      summary: 'Upload a background sound; it is stored as mono WAV at 16 kHz',
      credential: 'key',
      permission: 'agents.edit',
      consumes: 'multipart/form-data',
      schema: { body: form, response: soundRecord },
      success: 201,
      errors: [409, 413, 415],
      handler: async ({ body }, { workspace_id, actor }) => ambientSounds.add(workspace_id, actor, body),
    }),
  );

  route(app, {
    method: 'GET',
    path: '/api/v1/ambient/{sound}/audio',
    tag: TAG,
    summary: 'A background sound as a WAV file',
    credential: 'key',
    permission: 'agents.view',
    schema: { params, response: file('audio/wav', 'the sound') },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id }) => {
      const { body, file_name } = await ambientSounds.audio(workspace_id, params.sound);
      const headers = { 'content-disposition': `attachment; filename="${file_name}"`, 'cache-control': 'private' };
      return { body, headers };
    },
  });

  route(app, {
    method: 'DELETE',
    path: '/api/v1/ambient/{sound}',
    tag: TAG,
    summary: 'Remove an uploaded sound that no agent uses',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params },
    success: 204,
    errors: [400, 404, 409],
    handler: async ({ params }, { workspace_id, actor }) => ambientSounds.remove(workspace_id, params.sound, actor),
  });
}
