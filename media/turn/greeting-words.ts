import { plainWords } from '../../shared/words.ts';

/**
 * What the words of a greeting say about its speaker: a machine, a person, or nothing certain. English, Hindi and Hinglish. The
 * phrases are those of voicemail and network announcements; a person who uses one of them is recognized by the other clues.
 */
export interface GreetingClues {
  /** Only a machine says this. */
  certain: boolean;
  /** How many different phrases were said that machines use often, and people seldom. */
  hints: number;
  /** A person addresses the caller: a question, an offer of help. Or a screening service asks who calls. */
  person: boolean;
}

/** `…` matches up to eight words. Spelled as `plainWords` returns them. */
const CERTAIN = [
  '(after|at|following|hear|heard) the (tone|beep|signal)',
  '(leave|record|drop) … message … (tone|beep)',
  '(record|leave) your (message|name and number)',
  '(leave|record) (me |us )?a voice message',
  '(forwarded|transferred|redirected|diverted|connected) to (an? |the |my )?(automated |automatic )?(voice ?mail|voice message|answering|mailbox)',
  '(reached|this is) (the |my |our )?(personal )?(voice ?mail|answering machine|answering service|mailbox)',
  '(voice ?mail ?box|voice ?mail (service|system|of|for)|mailbox (of|for|is))',
  'your call (has been|is being|was|will be) (forwarded|transferred|diverted)',
  "the (mobile |phone )?(person|number|subscriber|customer|party|user|airtel number|jio number) (that )?(you are|you're|you have|you've|you) (currently )?(trying|dial+ed|called|calling)",
  '(is|are) (currently |presently )?(switched off|out of (the )?(coverage|network)|outside (the )?(coverage|network))',
  '(is|are) (currently |presently )?not (reachable|in service)',
  'the (number|mobile|phone) … (switched off|does not exist|not reachable|coverage area)',
  'press (the )?(one|two|three|1|2|3|hash|pound|star)',
  '(beep|tone|bip) (ke |k )?(baad|bad)',
  '(beep|tone) (sunne|bajne) ke (baad|bad)',
  '(sandesh|message|sandes) (chhod|chod|chhor|record kar)\\S*',
  'jis (number|vyakti|nambar|grahak|upbhokta|customer) (se|ko|par|pe) aap',
  'jis (number|vyakti|nambar|grahak|upbhokta) se sampark',
  '(switch|switched|swich) off hai',
  '(coverage|network) (kshetra|area|chhetra) se bahar',
  'pahunch (kshetra )?se bahar',
  '(ek|do|one|two|1|2) (dabaye|dabaayein|dabayen|dabaen|dabaiye)',
  '(बीप|टोन) (की ध्वनि |सुनने |बजने )?के बाद',
  '(संदेश|सन्देश|मैसेज|मेसेज) (छोड|रिकॉर्ड कर)\\S*',
  '(वॉइस|वॉयस|वाइस) ?(मेल|मैसेज)',
  'जिस (नंबर|नम्बर|व्यक्ति|ग्राहक|उपभोक्ता) (से|को|पर)',
  '(स्विच|स्विच्ड) ऑफ',
  '(पहुंच|नेटवर्क|कवरेज) (क्षेत्र )?से बाहर',
  '(एक|दो|1|2) दबा(एं|ये|यें|इए)',
];

const HINTS = [
  '(is|are|am|be) (currently |presently |also )?(not available|unavailable|unable)',
  "(isn't|not) available",
  "(can't|cannot|can not|could not|couldn't|unable to) (come to|take|get to|answer|attend|pick up|reach)",
  "(you have|you've) reached",
  '(leave|drop) (me |us )?(a|your|the) (brief |short |detailed )?(message|name|number|details)',
  '(your )?name (and|your)( your)?( phone| contact| telephone)? number',
  "(get|call|come) (right )?back to you|return(ing)? your call|(will|i'll|we'll) (get|call) (you )?back",
  'as soon as (possible|i can|we can)',
  '(sorry|unfortunately) (i|we) (have |just )?missed your call',
  '(away from|not at) (my|the) (desk|phone)|out of (the )?office',
  '(no one|nobody|no-one) is available',
  'try (your call |calling )?(again )?later',
  '(busy|speaking|talking) on another call|another line',
  'voice ?mail|mailbox|answering (machine|service)',
  'upla?bdh (nahi|nahin|nhi)',
  '(vyast|busy) hai',
  '(baad|bad) (me|mein) (prayas|koshish|try|call)',
  'sampark nahi(n)? (ho|kar)',
  'उपलब्ध नहीं',
  'व्यस्त है',
  'बाद में (प्रयास|कोशिश|कॉल)',
  'संपर्क नहीं',
];

/** A call-screening service expects an answer. */
const SCREENING = [
  'screening|say your name|record your name and reason|reason for (calling|your call)',
  "why (you are|you're) calling",
];

const PERSON = [
  '(how|what) (can|may|could) (i|we) (help|do|assist)',
  '(can|may|could) i (help|assist|know|ask|take a message)',
  "(who is|who's|who am i|whom am i) (this|calling|speaking|it|there|that)",
  '(who|what) (is|are) (you|this)',
  'are you there|is anyone there|can you hear me|yes tell me|tell me',
  'would you like to',
  'speaking$',
  '(kaun|kon) (hai|bol|baat)\\S*',
  '(aap )?(kaun|kon)',
  '(boliye|bolo|boliyega|batao|bataiye|batayein|kahiye|farmaiye|suniye)',
  '(kya|kaise) (kaam|madad|sahayata|help|seva)\\S*',
  '(haan|ha|han) ?(ji|bolo|boliye)',
  '(कौन|बोलिए|बोलिये|बोलो|बताइए|बताइये|बताओ|कहिए|कहिये|हां जी|जी हां|हैलो|हेलो)',
  '(क्या|कैसे) (काम|मदद|सहायता|सेवा)\\S*',
];

/** Unifies the two ways of writing one nasal, and letters with and without a dot below. */
function sameSpelling(text: string): string {
  return text.normalize('NFD').replaceAll('ँ', 'ं').replaceAll('़', '');
}

function phrases(list: readonly string[]): RegExp[] {
  return list.map((phrase) => {
    const source = sameSpelling(phrase)
      .replaceAll(' … ', ' (?:\\S+ ){0,8}?')
      .replaceAll(/\((?!\?)/g, '(?:');
    return new RegExp(`(?<=^| )(?:${source})(?= |$)`, 'u');
  });
}

const CERTAIN_PHRASES = phrases(CERTAIN);
const HINT_PHRASES = phrases(HINTS);
const PERSON_PHRASES = phrases(PERSON);
const SCREENING_PHRASES = phrases(SCREENING);
/** Longest greeting in words; of a longer one the end is read. */
const MAX_WORDS = 200;

/** `greeting` is all that was said so far, `last` its last utterance. */
export function readGreeting(greeting: string, last: string): GreetingClues {
  const all = normalize(greeting);
  const latest = normalize(last);
  const among = (text: string) => (phrase: RegExp) => phrase.test(text);
  const screening = SCREENING_PHRASES.some(among(latest));
  return {
    certain: !screening && CERTAIN_PHRASES.some(among(all)),
    hints: HINT_PHRASES.filter(among(all)).length,
    person: screening || PERSON_PHRASES.some(among(latest)),
  };
}

function normalize(text: string): string {
  return sameSpelling(plainWords(text.replaceAll('’', "'")).slice(-MAX_WORDS).join(' '));
}
