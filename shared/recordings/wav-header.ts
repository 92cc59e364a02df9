/** Bytes before the first sample of a file made by `wavHeader`. */
export const WAV_HEADER_BYTES = 44;
/** RIFF sizes have 32 bits: at 8 kHz stereo this is 37 hours. */
export const WAV_MAX_DATA_BYTES = 0xffffffff - WAV_HEADER_BYTES;

const PCM = 1;

/** The header of a PCM16 file (Microsoft/IBM Multimedia Programming Interface 1.0, RIFF WAVE); interleaved samples follow. */
export function wavHeader(sampleRateHz: number, channels: 1 | 2, dataBytes: number): Uint8Array {
  if (dataBytes < 0 || dataBytes > WAV_MAX_DATA_BYTES) throw new RangeError(`${dataBytes} bytes do not fit into a WAV`);
  const header = new Uint8Array(WAV_HEADER_BYTES);
  const view = new DataView(header.buffer);
  writeName(view, 0, 'RIFF');
  view.setUint32(4, WAV_HEADER_BYTES - 8 + dataBytes, true);
  writeName(view, 8, 'WAVE');
  writeName(view, 12, 'fmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * channels * 2, true);
  view.setUint16(32, channels * 2, true);
  view.setUint16(34, 16, true);
  writeName(view, 36, 'data');
  view.setUint32(40, dataBytes, true);
  return header;
}

function writeName(view: DataView, at: number, name: string): void {
  for (let i = 0; i < name.length; i++) view.setUint8(at + i, name.charCodeAt(i));
}
