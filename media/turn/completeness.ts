import { plainWords } from '../../shared/words.ts';
import { dictation } from './dictation.ts';

/**
 * Whether the caller's words are a complete sentence. In English, Hindi (Devanagari) and Hinglish (Hindi in Latin letters).
 * Pure. It affects only the endpointing delay, so a mistake costs a second or splits a sentence in two.
 */

export type Completeness =
  /** A question, a full answer, a Hindi sentence with its verb, a whole phone number. */
  | 'complete'
  | 'unsure'
  /** The last word needs another: a conjunction, a preposition, an article, a filler. */
  | 'incomplete'
  /** A number, a name or an address is being dictated and is not complete. */
  | 'dictating';

function list(...lines: string[]): Set<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Incomplete after these, whatever punctuation the transcriber wrote. */
const ALWAYS_INCOMPLETE = list(
  'and but or because cuz if whether while unless until than nor',
  'a an the my your our their every',
  "i i'm i'd i'll i've we're we'll it's there's let's they're he's she's",
  'um umm uhm uh uhh er err erm',
  'aur lekin magar kyunki kyonki kyoki kyunke kyuki isliye agar jab jo yaani yani matlab toh phir fir umm',
  'mera meri mere hamara hamari hamare apna apni apne aapka aapki aapke uska uski unka unki',
  'और लेकिन मगर परंतु परन्तु क्योंकि क्यूंकि क्योकि इसलिए इसलिये अगर यदि जब जो कि यानी यानि मतलब तो फिर',
  'मेरा मेरी मेरे हमारा हमारी हमारे अपना अपनी अपने आपका आपकी आपके उसका उसकी उम उम्म अं',
);

/** Incomplete after these, unless the transcriber wrote a full stop or question mark: "Where are you from?" */
const INCOMPLETE_WITHOUT_STOP = list(
  'to for of from with at in on by about into onto between under near per via without during towards through against',
  'so like as which whose when where then also plus basically actually maybe',
  'ka ke ki ko se mein ne par pe ya woh wo voh vo ek wahi ye yeh sirf',
  'का के की को से में ने पर पे या वह वो एक ये यह सिर्फ',
);

/** Complete phrases that end with one of the words above. */
const COMPLETE_ENDINGS = [
  ...['check in', 'log in', 'sign in', 'come in', 'move in', 'come on', 'go on', 'hold on', 'later on', 'carry on'],
  ...[
    'think so',
    'hope so',
    'guess so',
    'believe so',
    'said so',
    'told you so',
    'and so on',
    'or so',
    'as well',
    'more or less',
    'since when',
  ],
  ...['anything like', 'used to', 'be there then', 'see you then', 'until then', 'by then', 'just then', 'me too'],
  ...['vitamin a', 'plan a', 'option a', 'grade a', 'block a', 'section a', 'kitne ka', 'kitne ki', 'kis se'],
];

/** Incomplete phrases that end with none of the words above. */
const INCOMPLETE_PHRASES = [
  ...[
    'i want',
    'i need',
    'i would like',
    "i'd like",
    'i was wondering',
    'looking for',
    'want to',
    'would like',
    'so that',
  ],
  ...[
    'i mean',
    'you know',
    'kind of',
    'sort of',
    'such as',
    'for example',
    'let me see',
    'let me think',
    'let me check',
  ],
  ...[
    'one second',
    'how do i say',
    'what do you call it',
    'and then',
    'is that',
    'said that',
    'told me that',
    'do you have',
  ],
  ...['can you', 'could you', 'would you', 'can i', 'could i', 'may i', 'shall i', 'do you', 'instead of', 'in order'],
  ...[
    'haan toh',
    'accha toh',
    'achha toh',
    'matlab ki',
    'kya naam',
    'ek minute',
    'main chahta',
    'main chahti',
    'jaise ki',
  ],
  ...['एक मिनट', 'जैसे कि', 'मैं चाहता', 'मैं चाहती'],
];

/** Incomplete without an object, except after a pronoun ("yes it is"). */
const VERBS = list("is are was were am will would can could should shall isn't aren't");
const PRONOUNS = list('it he she i we they you that there this what who so');

/** Complete answers, also in sequence: "haan ji, bilkul". */
const ANSWERS = [
  ...[
    'yes',
    'yeah',
    'yep',
    'yup',
    'no',
    'nope',
    'nah',
    'sure',
    'okay',
    'ok',
    'correct',
    'right',
    'exactly',
    'absolutely',
  ],
  ...[
    'of course',
    'definitely',
    'certainly',
    "that's right",
    'that is right',
    "that's correct",
    'that is correct',
    'perfect',
  ],
  ...[
    'not really',
    'not at all',
    'yes please',
    'no please',
    'thank you',
    'thanks',
    'thank you very much',
    'thank you so much',
    'very much',
  ],
  ...['i do', "i don't", 'i did', 'i am', "i'm not", 'it is', "it isn't", 'i will', 'i can', "i can't", 'sounds good'],
  ...[
    'bye',
    'goodbye',
    'bye bye',
    "that's all",
    'that is all',
    "that's it",
    'nothing else',
    'no problem',
    'fine',
    'great',
  ],
  ...['haan', 'han', 'haa', 'haan ji', 'ji', 'ji haan', 'ji han', 'ji nahi', 'ji nahin', 'nahi', 'nahin', 'nai', 'na'],
  ...[
    'theek hai',
    'thik hai',
    'theek',
    'thik',
    'bilkul',
    'sahi',
    'sahi hai',
    'achha',
    'accha',
    'acha',
    'zaroor',
    'zarur',
  ],
  ...['bas', 'bas itna hi', 'shukriya', 'dhanyavaad', 'dhanyavad', 'koi baat nahi', 'pakka', 'alvida', 'namaste'],
  ...[
    'हाँ',
    'हां',
    'हा',
    'जी',
    'जी हाँ',
    'जी हां',
    'हाँ जी',
    'हां जी',
    'नहीं',
    'नही',
    'जी नहीं',
    'ठीक है',
    'ठीक',
    'बिल्कुल',
    'बिलकुल',
  ],
  ...['सही', 'सही है', 'अच्छा', 'ज़रूर', 'जरूर', 'बस', 'बस इतना ही', 'धन्यवाद', 'शुक्रिया', 'कोई बात नहीं', 'पक्का', 'नमस्ते'],
].map((phrase) => phrase.split(' '));
/** A short answer has at most this many words. */
const ANSWER_WORDS = 6;

/** Endings of complete sentences. */
const CLOSINGS = [
  ...['thank you', 'thanks', 'please', 'goodbye', 'bye', "that's all", 'that is all', "that's it", 'nothing else'],
  ...[
    'thank you very much',
    'right now',
    'as soon as possible',
    'is that okay',
    'is that right',
    'shukriya',
    'dhanyavaad',
  ],
  ...['theek hai', 'धन्यवाद', 'शुक्रिया', 'ठीक है', 'बस इतना ही'],
];

/** Hindi puts its verb last: a sentence that ends with one of these is complete. */
const HINDI_VERBS = list(
  'hai hain hoon hun tha thi thay hoga hogi honge chahiye dijiye dijie dijiyega kijiye karo kardo karna karenge karunga karungi',
  'chahta chahti chahte sakta sakti sakte raha rahi rahe gaya gayi gaye milega milegi batao bataiye batayiye dena lena jaunga jaungi',
  'है हैं हूँ हूं था थी थे होगा होगी होंगे चाहिए चाहिये दीजिए दीजिये दीजिएगा कीजिए कीजिये करो करना करेंगे करूंगा करूँगा करूंगी',
  'सकता सकती सकते रहा रही रहे गया गई गए मिलेगा मिलेगी बताओ बताइए बताइये देना लेना जाऊंगा जाऊँगा जाऊंगी',
);
/** A full stop counts after this many words: transcribers write one at every pause. */
const SENTENCE_WORDS = 3;
/** "Mera naam hai" ends with the verb, but the name itself follows. */
const NAMED_THINGS = list('naam number nambar address pata email id janm नाम नंबर नम्बर पता ईमेल आईडी');

/** Only the end of the text is examined. */
const MAX_TAIL_CHARACTERS = 300;

export function completeness(text: string): Completeness {
  const trimmed = tailOf(text).replace(/["'”’)\]]+$/u, '');
  const words = plainWords(trimmed);
  const last = words.at(-1);
  if (last === undefined) return 'unsure';

  const dictated = dictation(words, trimmed);
  if (dictated) return dictated.state === 'complete' ? 'complete' : 'dictating';

  const asked = /[?？]$/u.test(trimmed);
  // An ellipsis is no full stop.
  const stopped = asked || /(^|[^.])[.!।]$/u.test(trimmed);
  if (/([,;:–—-]|…|\.\.)$/u.test(trimmed)) return 'incomplete';
  if (words.length <= ANSWER_WORDS && madeOfAnswers(words, 0)) return 'complete';

  // The last letter of "U S A" is no article.
  const closed = endsWith(words, COMPLETE_ENDINGS) || /(^| )[b-z] a$/.test(words.slice(-2).join(' '));
  if (!closed && ALWAYS_INCOMPLETE.has(last)) return 'incomplete';
  if (asked) return 'complete';
  if (!closed && !stopped) {
    if (INCOMPLETE_WITHOUT_STOP.has(last) || endsWith(words, INCOMPLETE_PHRASES)) return 'incomplete';
    if (last === 'well' && words.length === 1) return 'incomplete';
    if (VERBS.has(last) && !PRONOUNS.has(words.at(-2) ?? '')) return 'incomplete';
    if (HINDI_IS.has(last) && NAMED_THINGS.has(words.at(-2) ?? '')) return 'incomplete';
  }
  if (words.length > 1 && endsWith(words, CLOSINGS)) return 'complete';
  if (HINDI_VERBS.has(last) && words.length >= SENTENCE_WORDS) return 'complete';
  return stopped && words.length >= SENTENCE_WORDS ? 'complete' : 'unsure';
}

const HINDI_IS = list('hai है');

/**
 * True for dictation that is surely not complete, for a transcriber that detects turns: four or six digits may be a whole code,
 * whose end must not be delayed.
 */
export function isUnfinishedDictation(text: string): boolean {
  const end = tailOf(text);
  const dictated = dictation(plainWords(end), end);
  return dictated?.state === 'under_way' && dictated.digits !== 4 && dictated.digits !== 6;
}

function tailOf(text: string): string {
  return text.slice(-MAX_TAIL_CHARACTERS).trim();
}

function endsWith(words: readonly string[], phrases: readonly string[]): boolean {
  const text = ` ${words.join(' ')}`;
  return phrases.some((phrase) => text.endsWith(` ${phrase}`));
}

/** True when all words from `at` on are a sequence of answers. */
function madeOfAnswers(words: readonly string[], at: number): boolean {
  if (at === words.length) return true;
  return ANSWERS.some(
    (phrase) => phrase.every((word, index) => words[at + index] === word) && madeOfAnswers(words, at + phrase.length),
  );
}
