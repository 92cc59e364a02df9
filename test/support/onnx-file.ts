import protobuf from 'protobufjs';

/**
 * Writes a minimal ONNX file with the interface of Smart Turn v3: float32 [batch, 80, 800] in, one probability [batch, 1] out,
 * sigmoid(gain · mean of the features + bias). Field numbers of onnx.proto (github.com/onnx/onnx, Apache-2.0), opset 13.
 */

const ONNX = `
  syntax = "proto3";
  message Model { int64 ir_version = 1; string producer_name = 2; Graph graph = 7; repeated Opset opset_import = 8; }
  message Opset { string domain = 1; int64 version = 2; }
  message Graph {
    repeated Node node = 1; string name = 2; repeated Tensor initializer = 5;
    repeated Value input = 11; repeated Value output = 12;
  }
  message Node {
    repeated string input = 1; repeated string output = 2; string name = 3; string op_type = 4;
    repeated Attribute attribute = 5;
  }
  message Attribute { string name = 1; int64 i = 3; repeated int64 ints = 8; int32 type = 20; }
  message Tensor { repeated int64 dims = 1; int32 data_type = 2; repeated float float_data = 4; string name = 8; }
  message Value { string name = 1; Type type = 2; }
  message Type { TensorType tensor_type = 1; }
  message TensorType { int32 elem_type = 1; Shape shape = 2; }
  message Shape { repeated Dimension dim = 1; }
  message Dimension { oneof value { int64 dim_value = 1; string dim_param = 2; } }
`;
const { root } = protobuf.parse(ONNX, { keepCase: true });

const FLOAT = 1;
const INT = 2;
const INTS = 7;

function value(name: string, sizes: number[]) {
  const dim = [{ dim_param: 'batch' }, ...sizes.map((size) => ({ dim_value: size }))];
  return { name, type: { tensor_type: { elem_type: FLOAT, shape: { dim } } } };
}

/** `outputs` above 1 makes an incompatible model. */
export function turnModelFile(options: { gain?: number; bias?: number; outputs?: 1 | 80 } = {}): Uint8Array {
  const { gain = 1, bias = 0, outputs = 1 } = options;
  const scalar = (name: string, number: number) => ({ name, dims: [1], data_type: FLOAT, float_data: [number] });
  const axes = outputs === 1 ? [1, 2] : [2];
  const model = {
    ir_version: 7,
    producer_name: 'a test',
    opset_import: [{ domain: '', version: 13 }],
    graph: {
      name: 'turn',
      node: [
        {
          op_type: 'ReduceMean',
          input: ['input_features'],
          output: ['mean'],
          attribute: [
            { name: 'axes', ints: axes, type: INTS },
            { name: 'keepdims', i: 0, type: INT },
          ],
        },
        { op_type: 'Mul', input: ['mean', 'gain'], output: ['scaled'], attribute: [] },
        { op_type: 'Add', input: ['scaled', 'bias'], output: ['moved'], attribute: [] },
        { op_type: 'Sigmoid', input: ['moved'], output: ['logits'], attribute: [] },
      ],
      initializer: [scalar('gain', gain), scalar('bias', bias)],
      input: [value('input_features', [80, 800])],
      output: [value('logits', outputs === 1 ? [] : [outputs])],
    },
  };
  const type = root.lookupType('Model');
  return type.encode(type.fromObject(model)).finish();
}
