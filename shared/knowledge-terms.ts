/**
 * The words by which knowledge is found: those of a passage when it is kept, those of a question when it is asked, cut
 * alike in both. English, Hindi, and Hindi in Latin letters.
 */

/** A word nobody says. */
const MAX_TERM_CHARS = 60;

/** Words that stand in every sentence and tell nothing of what it is about. */
const STOP_WORDS = new Set(
  (
    'a an the this that these those there here it its i me my mine we us our you your he she they them his her their ' +
    'is are was were be been am do does did done have has had having will would shall should can could may might must ' +
    'and or but not no nor so if then than as at by for from in into of off on onto to up with about also any some ' +
    'all just too very what which who whom whose when where why how much many please tell know want need like get got ' +
    'let give say said okay ok yes yeah hello hi hey thanks thank um uh er hmm well actually ' +
    'ka ki ke ko se me mein main mera meri mere hum humko hume aap aapka aapki aapke tum yeh ye woh wo hai hain ho hota ' +
    'hoti hote tha thi the kya kab kahan kaha kaise kaun kyun kyon kitna kitne kitni aur ya par pe bhi hi to toh na nahi ' +
    'nahin haan ji jee bhai chahiye batao bataiye bataye please mujhe mujhko kuch koi raha rahi rahe kar karna karo ' +
    'का की के को से में मैं मेरा मेरी मेरे हम हमको हमें आप आपका आपकी आपके तुम यह ये वह वो है हैं हो होता होती होते था थी थे ' +
    'क्या कब कहाँ कहां कैसे कौन क्यों कितना कितने कितनी और या पर पे भी ही तो ना नहीं हाँ हां जी चाहिए बताओ बताइए मुझे ' +
    'मुझको कुछ कोई रहा रही रहे कर करना करो'
  )
    .normalize('NFKC')
    .split(' '),
);

/** Every word in order, small, as it is compared. Words apart only in number are the same word. */
export function indexTerms(text: string): string[] {
  return wordsIn(text).map(stemOf);
}

/** What a question is about: each word once, without those that tell nothing. */
export function queryTerms(text: string): string[] {
  return [...new Set(wordsIn(text).filter((word) => !STOP_WORDS.has(word)))].map(stemOf);
}

function wordsIn(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    // The apostrophe of "today's" and the comma of 1,500 do not part a word.
    .replace(/['’]s?(?![\p{L}\p{N}])|(?<=\p{N})[,](?=\p{N})|[\u200c\u200d]/gu, '')
    .replace(/['’]/gu, '');
  return (plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter((word) => word.length <= MAX_TERM_CHARS);
}

/**
 * Takes off what makes a plural: of English words by the rules of Harman's S-stemmer ("How effective is suffixing?",
 * JASIS 42, 1991), of Hindi ones the commonest endings. Two words may become one; both sides are cut the same way.
 */
function stemOf(word: string): string {
  if (/^[a-z]{4,}$/.test(word)) {
    if (/(?<![ae])ies$/.test(word)) return `${word.slice(0, -3)}y`;
    if (/(?<![aeo])es$/.test(word)) return word.slice(0, -1);
    if (/(?<![us])s$/.test(word)) return word.slice(0, -1);
    return word;
  }
  if (/^\p{Script=Devanagari}{4,}$/u.test(word)) return word.replace(/(?:ियों|ियाँ|ियां|ों|ें|ीं|ाँ|ां|ा|े|ी)$/u, '');
  return word;
}
