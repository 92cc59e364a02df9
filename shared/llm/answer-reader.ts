import type { ChatPart } from './language-model.ts';

/** Makes parts of one streamed answer's events; each wire protocol has its own. */
export interface AnswerReader {
  /**
   * What one event's data says; keep-alives and what is not known say nothing. Usage and finish are not among the parts:
   * see `usage`, `finish`. Throws LanguageModelError when the data is an error.
   */
  read(data: string): ChatPart[];
  /** Text and tool calls held back until now; call it once, when the stream is over. */
  rest(): ChatPart[];
  /** The last count the provider told. */
  usage(): Extract<ChatPart, { type: 'usage' }> | null;
  /** Null until the model has said why it stopped. */
  finish(): Extract<ChatPart, { type: 'finish' }> | null;
  /** The protocol's own mark of the end was read. */
  done(): boolean;
  /** Characters of text, reasoning and tool calls so far, for an estimate of the tokens. */
  characters(): number;
}

export type FinishReason = Extract<ChatPart, { type: 'finish' }>['reason'];
