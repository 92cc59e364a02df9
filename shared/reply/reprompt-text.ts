import { baseCode, languageOf } from '../languages/registry.ts';

/**
 * What the agent says when it did not understand the caller, in the languages of voices and transcribers
 * that have no file in `shared/languages/`. The agent's settings have no field for it.
 */
const TEXTS: Record<string, string> = {
  gu: 'માફ કરશો, મને સમજાયું નહીં. શું તમે ફરીથી કહેશો?',
  kn: 'ಕ್ಷಮಿಸಿ, ನನಗೆ ಅರ್ಥವಾಗಲಿಲ್ಲ. ದಯವಿಟ್ಟು ಮತ್ತೊಮ್ಮೆ ಹೇಳುತ್ತೀರಾ?',
  ml: 'ക്ഷമിക്കണം, എനിക്ക് മനസ്സിലായില്ല. ദയവായി ഒന്നുകൂടി പറയാമോ?',
  or: 'କ୍ଷମା କରନ୍ତୁ, ମୁଁ ବୁଝିପାରିଲି ନାହିଁ। ଦୟାକରି ଆଉ ଥରେ କହିବେ କି?',
  pa: 'ਮਾਫ਼ ਕਰਨਾ, ਮੈਨੂੰ ਸਮਝ ਨਹੀਂ ਆਇਆ। ਕੀ ਤੁਸੀਂ ਦੁਬਾਰਾ ਕਹਿ ਸਕਦੇ ਹੋ?',
  ur: 'معاف کیجیے، مجھے سمجھ نہیں آیا۔ کیا آپ دوبارہ کہہ سکتے ہیں؟',
  as: 'ক্ষমা কৰিব, মই বুজি নাপালোঁ। অনুগ্ৰহ কৰি আকৌ এবাৰ ক’বনে?',
  ne: 'माफ गर्नुहोस्, मैले बुझिनँ। कृपया फेरि भन्नुहुन्छ?',
  id: 'Maaf, saya tidak menangkapnya. Bisakah Anda mengulanginya?',
  it: 'Mi scusi, non ho capito. Può ripetere, per favore?',
  ja: 'すみません、聞き取れませんでした。もう一度おっしゃっていただけますか。',
  ko: '죄송합니다, 잘 듣지 못했습니다. 다시 말씀해 주시겠어요?',
  nl: 'Sorry, dat heb ik niet verstaan. Kunt u het herhalen?',
  pl: 'Przepraszam, nie było dobrze słychać. Czy można prosić o powtórzenie?',
  ru: 'Простите, не удалось расслышать. Повторите, пожалуйста.',
  th: 'ขออภัย ได้ยินไม่ชัดเจน กรุณาพูดอีกครั้ง',
  tr: 'Özür dilerim, anlayamadım. Tekrar söyler misiniz?',
  vi: 'Xin lỗi, tôi chưa nghe rõ. Bạn có thể nói lại được không?',
  zh: '抱歉，我没有听清楚。您可以再说一遍吗？',
};

/**
 * `language`: the voice's, ISO 639-1, with or without a region. An agent whose own words, `lastSaid`, are in Latin letters where
 * its language is not speaks English, or a mix with it: voices of one language speak another too.
 */
export function repromptText(language: string, lastSaid: string): string {
  const english = languageOf('en')!.texts.reprompt;
  const text = languageOf(language)?.texts.reprompt ?? TEXTS[baseCode(language)] ?? english;
  return isLatin(lastSaid) && !isLatin(text) ? english : text;
}

function isLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length > letters.length / 2;
}
