import type { ChatPart } from './language-model.ts';

/** Turns the events of one streamed answer into parts; each protocol has its own. */
export interface AnswerReader {
  /**
   * The parts of one event's data; none for keep-alives and unknown events. Usage and finish are not among them: see `usage`,
   * `finish`. @throws LanguageModelError when the data is an error.
   */
  read(data: string): ChatPart[];
  /** Text and tool calls held back until now; to be called once, at the end of the stream. */
  rest(): ChatPart[];
  /** The provider's last token count. */
  usage(): Extract<ChatPart, { type: 'usage' }> | null;
  /** Null until the provider has sent why the model stopped. */
  finish(): Extract<ChatPart, { type: 'finish' }> | null;
  /** The protocol's end marker was read. */
  done(): boolean;
  /** Characters of text, reasoning and tool calls so far, to estimate tokens. */
  characters(): number;
}

export type FinishReason = Extract<ChatPart, { type: 'finish' }>['reason'];
