import { expect, it } from 'vitest';
import { readableLog } from '../../dev/stack.ts';

it('shows a log line as time, message and fields', () => {
  const line =
    '{"level":60,"time":"2026-11-23T09:15:21.042Z","name":"control","error":"no database","msg":"control cannot start"}';
  expect(readableLog(`${line}\nplain`)).toBe('   09:15:21.042 control cannot start error="no database"\n   plain');
});

it('shows the error of a crash, which its stack would hide', () => {
  const stack = Array.from({ length: 30 }, (_, at) => `    at step${at} (node:internal/modules:${at}:1)`).join('\n');
  expect(readableLog(`Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'x'\n${stack}\n\nNode.js v22.23.3`)).toBe(
    "   Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'x'\n   Node.js v22.23.3",
  );
});
