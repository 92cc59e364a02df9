import { createAffineKernel } from '../audio/affine-kernel.ts';
import { readSileroWeights } from './silero-weights.ts';

/**
 * A voice-activity model for windows of many streams, one after the other. The caller fills `input` and calls `run` with the stream's
 * state. It computes on the calling thread.
 */
export interface SpeechModel {
  /** The sample rate of the windows. */
  readonly rateHz: number;
  readonly windowSamples: number;
  /** Samples that precede the window. */
  readonly contextSamples: number;
  /** The context and the window, -1 to 1. A run does not change them. */
  readonly input: Float32Array;
  /** The state of a new stream. */
  newState(): Float32Array;
  /** Returns the probability that the window holds speech. Updates the state. */
  run(state: Float32Array): number;
}

const RATE_HZ = 16_000;
const WINDOW = 512;
const CONTEXT = 64;
/** The window is extended by its own end, mirrored, so that the last spectrum has all its samples. */
const MIRRORED = 64;
const SPECTRUM_SAMPLES = 256;
const HALF = SPECTRUM_SAMPLES / 2;
/** The spectra of one window begin so many samples after each other. */
const SPECTRUM_STEP = 128;
const SPECTRA = 4;
const FREQUENCIES = HALF + 1;
/** Outputs of the four convolutions in time. */
const [FIRST, SECOND, THIRD, FOURTH] = [128, 64, 64, 128] as const;
/** Each output of a convolution is computed from three positions in time. */
const TAPS = 3;
const CELLS = 128;
const KERNEL_FLOATS = 320_000;
/** Beyond it the tangent is 1 to the precision of a float. */
const TANH_LIMIT = 7.9;

/**
 * Silero VAD v5, as in the ONNX file by its authors: four spectra, four convolutions in time, an LSTM, one output
 * (https://github.com/snakers4/silero-vad). A window takes 35 µs; onnxruntime took 50 in a batch and 200 alone. Rejects when the
 * file of the model is missing or not that model.
 */
export async function loadSilero(): Promise<SpeechModel> {
  const weights = await readSileroWeights();
  const { floats, reserve, layer } = createAffineKernel(KERNEL_FLOATS);

  const basis = weights('stft.forward_basis_buffer', 2 * FREQUENCIES * SPECTRUM_SAMPLES);
  // The basis is that of a windowed Fourier transform: its cosines are the same from both ends, and its sines opposite. So samples
  // that are equally far from the middle are added, or subtracted, first, and half of the products are left.
  const cosines = layer({
    rows: FREQUENCIES,
    columns: HALF,
    weightOf: (row, column) => basis[row * SPECTRUM_SAMPLES + column + 1]!,
  });
  const sines = layer({
    rows: FREQUENCIES,
    columns: HALF - 1,
    weightOf: (row, column) => basis[(FREQUENCIES + row) * SPECTRUM_SAMPLES + column + 1]!,
  });
  const first = convolution(0, FIRST, FREQUENCIES, [0, 1, 2]);
  const second = convolution(1, SECOND, FIRST, [0, 1, 2]);
  // Of the third the position before the first is empty, of the fourth those on both sides.
  const third = convolution(2, THIRD, SECOND, [1, 2]);
  const fourth = convolution(3, FOURTH, THIRD, [1]);
  const inputWeights = weights('decoder.rnn.weight_ih', 4 * CELLS * FOURTH);
  const stateWeights = weights('decoder.rnn.weight_hh', 4 * CELLS * CELLS);
  const inputBias = weights('decoder.rnn.bias_ih', 4 * CELLS);
  const stateBias = weights('decoder.rnn.bias_hh', 4 * CELLS);
  const cells = layer({
    rows: 4 * CELLS,
    columns: FOURTH + CELLS,
    weightOf: (row, column) =>
      column < FOURTH ? inputWeights[row * FOURTH + column]! : stateWeights[row * CELLS + column - FOURTH]!,
    biasOf: (row) => inputBias[row]! + stateBias[row]!,
  });
  const outputWeights = weights('decoder.decoder.2.weight', CELLS);
  const outputBias = weights('decoder.decoder.2.bias', 1)[0]!;

  /** The convolution of this number; `taps`: the positions in time that are computed. Inputs have one position after the other. */
  function convolution(number: number, rows: number, channels: number, taps: readonly number[]) {
    const kernel = weights(`encoder.${number}.reparam_conv.weight`, rows * channels * TAPS);
    const bias = weights(`encoder.${number}.reparam_conv.bias`, rows);
    return layer({
      ...{ rows, columns: channels * taps.length, relu: true },
      weightOf: (row, column) => {
        const tap = taps[Math.floor(column / channels)]!;
        return kernel[(row * channels + (column % channels)) * TAPS + tap]!;
      },
      biasOf: (row) => bias[row]!,
    });
  }

  const samples = reserve(CONTEXT + WINDOW + MIRRORED);
  const added = reserve(SPECTRA * HALF);
  const subtracted = reserve(SPECTRA * HALF);
  const real = reserve(SPECTRA * cosines.outputStep);
  const imaginary = reserve(SPECTRA * sines.outputStep);
  // With an empty position before and after.
  const magnitudes = reserve((SPECTRA + 2) * FREQUENCIES);
  // With an empty position before.
  const firstOutputs = reserve((1 + SPECTRA) * FIRST);
  const secondOutputs = reserve(2 * SECOND);
  const thirdOutputs = reserve(THIRD);
  const cellInputs = reserve(FOURTH + CELLS);
  const gates = reserve(4 * CELLS);

  function fold(): void {
    const end = samples + CONTEXT + WINDOW;
    for (let i = 0; i < MIRRORED; i++) floats[end + i] = floats[end - 2 - i]!;
    for (let spectrum = 0; spectrum < SPECTRA; spectrum++) {
      const from = samples + spectrum * SPECTRUM_STEP;
      const sums = added + spectrum * HALF;
      const differences = subtracted + spectrum * HALF;
      for (let i = 1; i < HALF; i++) {
        const before = floats[from + i]!;
        const after = floats[from + SPECTRUM_SAMPLES - i]!;
        floats[sums + i - 1] = before + after;
        floats[differences + i - 1] = before - after;
      }
      floats[sums + HALF - 1] = floats[from + HALF]!;
    }
  }

  function measure(): void {
    for (let spectrum = 0; spectrum < SPECTRA; spectrum++) {
      const cosine = real + spectrum * cosines.outputStep;
      const sine = imaginary + spectrum * sines.outputStep;
      const to = magnitudes + (spectrum + 1) * FREQUENCIES;
      for (let i = 0; i < FREQUENCIES; i++) {
        const a = floats[cosine + i]!;
        const b = floats[sine + i]!;
        floats[to + i] = Math.sqrt(a * a + b * b);
      }
    }
  }

  /** The LSTM: its state is what it last put out, and its memory. */
  function recall(state: Float32Array): number {
    for (let i = 0; i < CELLS; i++) floats[cellInputs + FOURTH + i] = state[i]!;
    cells.run(cellInputs, 0, gates, 1);
    let sum = outputBias;
    for (let i = 0; i < CELLS; i++) {
      const write = sigmoid(floats[gates + i]!);
      const retain = sigmoid(floats[gates + CELLS + i]!);
      const value = tanh(floats[gates + 2 * CELLS + i]!);
      const show = sigmoid(floats[gates + 3 * CELLS + i]!);
      const memory = retain * state[CELLS + i]! + write * value;
      const output = show * tanh(memory);
      state[CELLS + i] = memory;
      state[i] = output;
      if (output > 0) sum += output * outputWeights[i]!;
    }
    return sigmoid(sum);
  }

  return {
    rateHz: RATE_HZ,
    windowSamples: WINDOW,
    contextSamples: CONTEXT,
    input: floats.subarray(samples, samples + CONTEXT + WINDOW),
    newState: () => new Float32Array(2 * CELLS),
    run(state) {
      fold();
      cosines.run(added, HALF, real, SPECTRA);
      sines.run(subtracted, HALF, imaginary, SPECTRA);
      measure();
      first.run(magnitudes, FREQUENCIES, firstOutputs + FIRST, SPECTRA);
      // Every second position.
      second.run(firstOutputs, 2 * FIRST, secondOutputs, 2);
      third.run(secondOutputs, 0, thirdOutputs, 1);
      fourth.run(thirdOutputs, 0, cellInputs, 1);
      return recall(state);
    },
  };
}

function sigmoid(value: number): number {
  return 0.5 + 0.5 * tanh(value / 2);
}

/**
 * The hyperbolic tangent to 3e-7, four times as fast as `Math.tanh`: a quotient of polynomials, with the coefficients of Eigen
 * (https://gitlab.com/libeigen/eigen, `generic_fast_tanh_float`), which onnxruntime computes with as well.
 */
function tanh(value: number): number {
  const x = Math.max(-TANH_LIMIT, Math.min(TANH_LIMIT, value));
  const y = x * x;
  const a = ((-2.76076847742355e-16 * y + 2.00018790482477e-13) * y - 8.60467152213735e-11) * y + 5.12229709037114e-8;
  const above = ((a * y + 1.48572235717979e-5) * y + 6.37261928875436e-4) * y + 4.89352455891786e-3;
  const below = ((1.19825839466702e-6 * y + 1.18534705686654e-4) * y + 2.268434632439e-3) * y + 4.89352518554385e-3;
  return (x * above) / below;
}
