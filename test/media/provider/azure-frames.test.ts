import { expect, test } from 'vitest';
import { readFrame } from '../../../fixtures/simulators/azure-frame.ts';
import {
  azureAudioFrames,
  azureBinaryFrame,
  azureTextFrame,
  readAzureBinaryFrame,
  readAzureTextFrame,
} from '../../../media/provider/azure-frames.ts';
import { azureLocale, azureSpeechAddress } from '../../../shared/providers/azure-speech.ts';

const MESSAGE = { path: 'audio', requestId: 'a'.repeat(32), atMs: 0 };

test('a text message is header lines, an empty line and the body', () => {
  expect(azureTextFrame({ ...MESSAGE, path: 'text.piece' }, 'Good\r\n\r\nmorning')).toBe(
    `Path: text.piece\r\nX-RequestId: ${MESSAGE.requestId}\r\nX-Timestamp: 1970-01-01T00:00:00.000Z\r\n` +
      'Content-Type: text/plain\r\n\r\nGood\r\n\r\nmorning',
  );
});

test('a binary message begins with the length of its headers', () => {
  const bytes = azureBinaryFrame(MESSAGE, Uint8Array.of(1, 2));
  expect(bytes[0]! * 256 + bytes[1]!).toBe(bytes.length - 4);
  expect(readFrame(Buffer.from(bytes), true)).toMatchObject({ path: 'audio', body: Buffer.from([1, 2]) });
});

test('audio is framed in one buffer, whatever its length', () => {
  const frame = azureAudioFrames(MESSAGE);
  for (const length of [160, 1, 5_000]) {
    const audio = new Uint8Array(length).fill(length);
    expect(readFrame(Buffer.from(frame(audio)), true)).toMatchObject({ body: Buffer.from(audio) });
  }
  expect(frame(new Uint8Array(3)).buffer).toBe(frame(new Uint8Array(9)).buffer);
});

test.each(['', '{}', 'Path: x', 'X: y\r\n\r\n{}', `Path: x\r\n${'a'.repeat(5_000)}\r\n\r\n`])(
  '%j is no frame',
  (raw) => {
    expect(readAzureTextFrame(raw)).toBeNull();
    expect(readAzureBinaryFrame(Buffer.from(raw))).toBeNull();
  },
);

test('names of headers and paths are read in any case', () => {
  expect(readAzureTextFrame('PATH:Turn.End\r\nx-requestid: b\r\n\r\n')).toEqual({
    ...{ path: 'turn.end', requestId: 'b', body: '' },
  });
});

test.each([
  ['hi', 'hi-IN'],
  ['en-in', 'en-IN'],
  ['no', 'nb-NO'],
  ['tlh', null],
  ['', null],
])('the locale of %j is %j', (tag, locale) => {
  expect(azureLocale(tag)).toBe(locale);
});

test('an address is made of nothing but the name of a region', () => {
  expect(azureSpeechAddress('stt', 'centralindia')).toBe('wss://centralindia.stt.speech.microsoft.com');
  for (const region of ['', 'evil.example/', 'a@b', 'centralindia.evil', '127', 'A', 'x#']) {
    expect(azureSpeechAddress('tts', region), region).toBeNull();
  }
});
