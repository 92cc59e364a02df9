import { expect, it } from 'vitest';
import { z } from 'zod';
import { port, readEnv } from '../../shared/env.ts';

const schema = z.object({ PORT: port(7070), SECRET: z.string().min(4), URL: z.string().default('here') });

it('settings are read, with their defaults', () => {
  expect(readEnv(schema, { SECRET: 'abcd', PORT: '80', OTHER: 'x' })).toEqual({
    PORT: 80,
    SECRET: 'abcd',
    URL: 'here',
  });
});

it('an empty variable is not set', () => {
  expect(readEnv(schema, { SECRET: 'abcd', URL: '', PORT: '' })).toEqual({ PORT: 7070, SECRET: 'abcd', URL: 'here' });
});

it('every wrong setting is named in one error', () => {
  expect(() => readEnv(schema, { PORT: '70000' })).toThrow(/PORT:[\s\S]*SECRET:/);
});

it('a secret is not shown', () => {
  expect(() => readEnv(schema, { SECRET: 'xyz' })).toThrow(expect.not.stringContaining('xyz'));
});
