import { expect, it } from 'vitest';
import { consoleUrlFor } from '../../../control/workspaces/console-url.ts';

const returnTo = (origin: string | undefined, consoleUrl: string, ...others: string[]) =>
  consoleUrlFor(origin, { consoleUrl, consoleOrigins: new Set(others) });

it('is where the person signed in, if that is the console', () => {
  const usual = 'https://voice.example.com';
  expect(returnTo('https://console.example.com', usual, 'https://console.example.com')).toBe(
    'https://console.example.com',
  );
  expect(returnTo(usual, `${usual}/page`)).toBe(`${usual}/page`);
  expect(returnTo(undefined, usual)).toBe(usual);
  expect(returnTo('http://localhost:7080', 'http://127.0.0.1:7080')).toBe('http://localhost:7080');
});

it.each([
  ['https://evil.example', 'https://voice.example.com'],
  ['https://voice.example.com.evil.example', 'https://voice.example.com'],
  ['http://voice.example.com', 'https://voice.example.com'],
  ['http://localhost:7080', 'https://voice.example.com'],
  ['http://localhost:9999', 'http://127.0.0.1:7080'],
  ['http://localhost.evil.example:7080', 'http://127.0.0.1:7080'],
  ['null', 'http://127.0.0.1:7080'],
  ['javascript:alert(1)', 'http://127.0.0.1:7080'],
])('is never elsewhere: %s', (origin, usual) => {
  expect(returnTo(origin, usual)).toBe(usual);
});
