/**
 * The framing of Azure Speech over a WebSocket, as Microsoft's open SDK speaks it (github.com/microsoft/cognitive-services-speech-sdk-js):
 * a message is header lines, an empty line and a body. In a text message the body is text; a binary message begins with the
 * length of its headers in two bytes, and its body is audio.
 */

export interface AzureFrame<Body> {
  /** What it is, in lower case. */
  path: string;
  /** The request it belongs to; empty where it names none. */
  requestId: string;
  body: Body;
}

export interface AzureMessage {
  path: string;
  requestId: string;
  contentType?: string;
  /** Wall-clock time in milliseconds. */
  atMs: number;
}

const MAX_HEADER_BYTES = 4_096;

function headerOf({ path, requestId, contentType, atMs }: AzureMessage): string {
  const lines = [`Path: ${path}`, `X-RequestId: ${requestId}`, `X-Timestamp: ${new Date(atMs).toISOString()}`];
  if (contentType !== undefined) lines.push(`Content-Type: ${contentType}`);
  return `${lines.join('\r\n')}\r\n`;
}

/** @param body an object is sent as JSON. */
export function azureTextFrame(message: AzureMessage, body: object | string): string {
  const isText = typeof body === 'string';
  const contentType = message.contentType ?? (isText ? 'text/plain' : 'application/json; charset=utf-8');
  return `${headerOf({ ...message, contentType })}\r\n${isText ? body : JSON.stringify(body)}`;
}

export function azureBinaryFrame(message: AzureMessage, ...body: Uint8Array[]): Uint8Array {
  const header = Buffer.from(headerOf(message), 'latin1');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(header.length);
  return Buffer.concat([length, header, ...body]);
}

/** Makes binary messages under one header, each in the same buffer: it is valid until the next one. */
export function azureAudioFrames(message: AzureMessage): (audio: Uint8Array) => Uint8Array {
  const header = azureBinaryFrame(message);
  let buffer = Buffer.from(header);
  return (audio) => {
    const length = header.length + audio.length;
    if (buffer.length < length) {
      buffer = Buffer.alloc(length * 2);
      buffer.set(header);
    }
    buffer.set(audio, header.length);
    return buffer.subarray(0, length);
  };
}

/** Null: no such frame. */
export function readAzureTextFrame(raw: string): AzureFrame<string> | null {
  const end = raw.indexOf('\r\n\r\n');
  if (end < 0 || end > MAX_HEADER_BYTES) return null;
  return frameOf(raw.slice(0, end), raw.slice(end + 4));
}

/** The body is a view of the bytes. Null: no such frame. */
export function readAzureBinaryFrame(bytes: Uint8Array): AzureFrame<Uint8Array> | null {
  if (bytes.length < 2) return null;
  const length = bytes[0]! * 256 + bytes[1]!;
  if (length > MAX_HEADER_BYTES || bytes.length < 2 + length) return null;
  const header = Buffer.from(bytes.buffer, bytes.byteOffset + 2, length).toString('latin1');
  return frameOf(header, bytes.subarray(2 + length));
}

function frameOf<Body>(header: string, body: Body): AzureFrame<Body> | null {
  const path = headerValue(header, 'path');
  return path === '' ? null : { path: path.toLowerCase(), requestId: headerValue(header, 'x-requestid'), body };
}

function headerValue(header: string, name: string): string {
  for (const line of header.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0 && line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return '';
}

/** 100 ns. */
export const TICKS_PER_MS = 10_000;

/** The first message of a request: who asks. */
export const AZURE_SPEECH_CONFIG = {
  context: { system: { name: 'antiphon', version: '1' }, os: { platform: 'linux', name: 'linux', version: '1' } },
};
