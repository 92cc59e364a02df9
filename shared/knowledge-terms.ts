/**
 * The terms of the keyword search: those of a passage when it is indexed, and those of a query, stemmed alike. English, Hindi,
 * and Hindi in Latin letters.
 */

/** Longer words are left out. */
const MAX_TERM_CHARS = 60;

/** Frequent words without a subject of their own. */
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

/** Every word of a text in order, in lower case, as its stem. */
export function indexTerms(text: string): string[] {
  return wordsIn(text).map(stemOf);
}

/** The stems of a query's words, each once, without stop words. */
export function queryTerms(text: string): string[] {
  return [...new Set(wordsIn(text).filter((word) => !STOP_WORDS.has(word)))].map(stemOf);
}

function wordsIn(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    // The apostrophe of "today's" and the comma of 1,500 do not separate words.
    .replace(/['’]s?(?![\p{L}\p{N}])|(?<=\p{N})[,](?=\p{N})|[\u200c\u200d]/gu, '')
    .replace(/['’]/gu, '');
  return (plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter((word) => word.length <= MAX_TERM_CHARS);
}

/**
 * Removes plural endings: of English words by Harman's S-stemmer ("How effective is suffixing?", JASIS 42, 1991), of Hindi words
 * the most frequent endings. Different words may get the same stem.
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
