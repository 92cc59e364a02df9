import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Weights that no package ships: `make models` fetches them, and engines use those that they find. */
export interface ModelFile {
  /** As `make models NAME=…` names it. */
  name: string;
  /** In the folder of the models. */
  file: string;
  /** Of one revision, so that the content cannot change. */
  url: string;
  bytes: number;
  sha256: string;
  licence: string;
  purpose: string;
}

/** Its size and checksum are published at huggingface.co/rishabhf/smart-turn-v3-archive, with the revision they are of. */
export const SMART_TURN: ModelFile = {
  name: 'smart-turn',
  file: 'smart-turn-v3.2-cpu.onnx',
  url: 'https://huggingface.co/pipecat-ai/smart-turn-v3/resolve/f766f81d3cfdf7737ac64aad813d91bbfd56bf93/smart-turn-v3.2-cpu.onnx',
  bytes: 8_679_182,
  sha256: '2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f',
  licence: 'BSD-2-Clause',
  purpose: "hears whether the caller's turn is over, in 23 languages",
};

export const MODEL_FILES: readonly ModelFile[] = [SMART_TURN];

/** The path of a fetched model; empty when the folder is not set or has no such file. */
export function presentModel(folder: string, { file }: ModelFile): string {
  const path = join(folder, file);
  return folder !== '' && existsSync(path) ? path : '';
}
