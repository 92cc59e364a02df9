const NO_CODE = 'a model that speaks writes no code';
const NO_SYNTHESIZER =
  'no synthesizer speaks the answers: what is lost with a session is in test/media/realtime/realtime-session.test.ts';
const OWN_NUMBERS = 'a model that speaks says numbers as it likes: no spoken form is made for it';

/**
 * Conversations that are not played with a speech-to-speech model, by title, and why. In all others the model's answers, their voice,
 * their tools and the model's history are those of a session; the caller's words are the script's events, as from any transcriber.
 */
export const NOT_OVER_REALTIME: Record<string, string> = {
  'that replies with code only is asked for speakable text': NO_CODE,
  'that has nothing but code to say makes the agent ask, and the next turn is answered': NO_CODE,
  'that hides its goodbye in code says the one of the agent': NO_CODE,
  'is spoken without its code': NO_CODE,
  'is answered in it, numbers too, and it is on the timeline': OWN_NUMBERS,
  'whose failed first attempt still sends audio is played from the second only': NO_SYNTHESIZER,
  'that loses its connection before its first audio is replaced': NO_SYNTHESIZER,
  'that fails in the middle leaves only the played-out text in the transcript': NO_SYNTHESIZER,
  'that a failing synthesizer cut off still ends the call': NO_SYNTHESIZER,
};
