import type { ToolDefinition } from './llm/language-model.ts';

/** The model's tools that pause and resume the recording. */
export const PAUSE_RECORDING_TOOL = 'pause_recording';
export const RESUME_RECORDING_TOOL = 'resume_recording';

/** Those of an agent's `call`. */
export interface RecordingPauseSettings {
  record: boolean;
  recording_pause: boolean;
}

/** Pauses or resumes a call's recording; returns false when it is not recorded, or is over. */
export type PauseRecording = (paused: boolean) => boolean;

export const isRecordingTool = (name: string) => name === PAUSE_RECORDING_TOOL || name === RESUME_RECORDING_TOOL;

/** Empty where the agent may not pause, or is not recorded. */
export function recordingPauseTools({ record, recording_pause }: Partial<RecordingPauseSettings>): ToolDefinition[] {
  if (!record || !recording_pause) return [];
  const parameters = { type: 'object', properties: {} };
  return [
    {
      name: PAUSE_RECORDING_TOOL,
      description:
        'Pauses the recording of this call. Use it before the caller says something that must not be recorded.',
      parameters,
    },
    {
      name: RESUME_RECORDING_TOOL,
      description:
        'Resumes the recording of this call. Use it as soon as the caller has said what must not be recorded.',
      parameters,
    },
  ];
}

export const recordingPauseResult = (paused: boolean, done: boolean) =>
  !done ? 'The call is not recorded.' : paused ? 'The recording is paused.' : 'The recording goes on.';
