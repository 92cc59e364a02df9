import { type Language, TEN_DIGIT_PHONE } from './language.ts';

/** Hindi, in Devanagari and in Latin letters; its speakers mix in English. */
export const hi: Language = {
  code: 'hi',
  name: 'Hindi',
  scripts: ['Devanagari', 'Latin'],
  mixes: ['en'],
  common:
    'है, हैं, में, का, की, के, को, से, और, मैं, मुझे, आप, क्या, नहीं, मेरा, यह, हूँ, कर, था, हाँ, जी, ' +
    'hai, hain, mein, ka, ki, ke, ko, aur, mujhe, aap, kya, nahi, nahin, mera, meri, hoon, kar, haan, ji, chahiye, kaise, kab',
  turn: {
    backchannels: 'achha, acha, accha, haan, han, ha, ji, theek, thik, हाँ, हां, अच्छा, जी, ठीक, हम्म',
    commands: 'ruko, rukiye, ek minute, ek second, bas, nahi, suno, suniye, रुको, रुकिए, एक मिनट, बस, नहीं, सुनिए',
    courtesies: 'namaste, namaskar, नमस्ते, नमस्कार, dhanyavaad, dhanyavad, shukriya, धन्यवाद, शुक्रिया',
    hesitations: 'umm, उम, उम्म, अं',
    incomplete:
      'aur, lekin, magar, kyunki, kyonki, kyoki, kyunke, kyuki, isliye, agar, jab, jo, yaani, yani, matlab, toh, phir, fir, ' +
      'mera, meri, mere, hamara, hamari, hamare, apna, apni, apne, aapka, aapki, aapke, uska, uski, unka, unki, ' +
      'और, लेकिन, मगर, परंतु, परन्तु, क्योंकि, क्यूंकि, क्योकि, इसलिए, इसलिये, अगर, यदि, जब, जो, कि, यानी, यानि, मतलब, तो, फिर, ' +
      'मेरा, मेरी, मेरे, हमारा, हमारी, हमारे, अपना, अपनी, अपने, आपका, आपकी, आपके, उसका, उसकी',
    incomplete_without_stop:
      'ka, ke, ki, ko, se, mein, ne, par, pe, ya, woh, wo, voh, vo, ek, wahi, ye, yeh, sirf, ' +
      'का, के, की, को, से, में, ने, पर, पे, या, वह, वो, एक, ये, यह, सिर्फ, ' +
      'haan toh, accha toh, achha toh, matlab ki, kya naam, ek minute, main chahta, main chahti, jaise ki, ' +
      'एक मिनट, जैसे कि, मैं चाहता, मैं चाहती',
    complete_endings: 'kitne ka, kitne ki, kis se',
    answers:
      'haan, han, haa, haan ji, ji, ji haan, ji han, ji nahi, ji nahin, nahi, nahin, nai, na, ' +
      'theek hai, thik hai, theek, thik, bilkul, sahi, sahi hai, achha, accha, acha, zaroor, zarur, ' +
      'bas, bas itna hi, shukriya, dhanyavaad, dhanyavad, koi baat nahi, pakka, alvida, namaste, ' +
      'हाँ, हां, हा, जी, जी हाँ, जी हां, हाँ जी, हां जी, नहीं, नही, जी नहीं, ठीक है, ठीक, बिल्कुल, बिलकुल, ' +
      'सही, सही है, अच्छा, ज़रूर, जरूर, बस, बस इतना ही, धन्यवाद, शुक्रिया, कोई बात नहीं, पक्का, नमस्ते',
    closings: 'shukriya, dhanyavaad, theek hai, धन्यवाद, शुक्रिया, ठीक है, बस इतना ही',
    final_verbs:
      'hai, hain, hoon, hun, tha, thi, thay, hoga, hogi, honge, chahiye, dijiye, dijie, dijiyega, kijiye, karo, kardo, karna, karenge, karunga, karungi, ' +
      'chahta, chahti, chahte, sakta, sakti, sakte, raha, rahi, rahe, gaya, gayi, gaye, milega, milegi, batao, bataiye, batayiye, dena, lena, jaunga, jaungi, ' +
      'है, हैं, हूँ, हूं, था, थी, थे, होगा, होगी, होंगे, चाहिए, चाहिये, दीजिए, दीजिये, दीजिएगा, कीजिए, कीजिये, करो, करना, करेंगे, करूंगा, करूँगा, करूंगी, ' +
      'सकता, सकती, सकते, रहा, रही, रहे, गया, गई, गए, मिलेगा, मिलेगी, बताओ, बताइए, बताइये, देना, लेना, जाऊंगा, जाऊँगा, जाऊंगी',
    naming_verbs: 'hai, है',
    named_things: 'naam, number, nambar, address, pata, email, id, janm, नाम, नंबर, नम्बर, पता, ईमेल, आईडी',
  },
  dictation: {
    digits: [
      'शून्य, ज़ीरो, जीरो, shunya, shoonya, sifar, jeero',
      'एक, वन, ek',
      'दो, टू, do',
      'तीन, थ्री, teen',
      'चार, फोर, char, chaar',
      'पाँच, पांच, फाइव, panch, paanch',
      'छह, छः, छ, छे, सिक्स, che, chhe, chhah, chhai',
      'सात, सेवन, saat',
      'आठ, एट, aath',
      'नौ, नाइन, nau',
    ],
    two_digits:
      'दस, ग्यारह, बारह, तेरह, चौदह, पंद्रह, सोलह, सत्रह, अठारह, उन्नीस, ' +
      'बीस, इक्कीस, बाईस, तेईस, चौबीस, पच्चीस, छब्बीस, सत्ताईस, अट्ठाईस, उनतीस, ' +
      'तीस, इकतीस, बत्तीस, तैंतीस, चौंतीस, पैंतीस, छत्तीस, सैंतीस, अड़तीस, उनतालीस, ' +
      'चालीस, इकतालीस, बयालीस, तैंतालीस, चौवालीस, पैंतालीस, छियालीस, सैंतालीस, अड़तालीस, उनचास, ' +
      'पचास, इक्यावन, बावन, तिरपन, चौवन, पचपन, छप्पन, सत्तावन, अट्ठावन, उनसठ, ' +
      'साठ, इकसठ, बासठ, तिरसठ, चौंसठ, पैंसठ, छियासठ, सड़सठ, अड़सठ, उनहत्तर, ' +
      'सत्तर, इकहत्तर, बहत्तर, तिहत्तर, चौहत्तर, पचहत्तर, छिहत्तर, सतहत्तर, अठहत्तर, उनासी, ' +
      'अस्सी, इक्यासी, बयासी, तिरासी, चौरासी, पचासी, छियासी, सत्तासी, अट्ठासी, नवासी, ' +
      'नब्बे, इक्यानवे, बानवे, तिरानवे, चौरानवे, पचानवे, छियानवे, सत्तानवे, अट्ठानवे, निन्यानवे',
    double: 'डबल, dabal',
    triple: 'ट्रिपल',
    number_words: 'aadhaar, aadhar, nambar, nmbr, नंबर, नम्बर, फोन, मोबाइल, कोड, ओटीपी, पिन, खाता, कार्ड, आधार',
    code_words: 'कोड, ओटीपी, पिन',
    card_words: 'कार्ड',
    phone: TEN_DIGIT_PHONE,
    letter_names:
      'ए, बी, सी, डी, ई, एफ, जी, एच, आई, जे, के, एल, एम, एन, ओ, पी, क्यू, आर, एस, टी, यू, वी, डब्ल्यू, डब्लू, एक्स, वाई, वाय, ज़ेड, जेड',
    mail_words: 'ईमेल, मेल, जीमेल',
    mail_hosts: 'जीमेल, याहू',
    is: 'hai, है',
    at: 'एट',
    dot: 'डॉट, डाट',
    plus: 'प्लस',
    top_domains: 'कॉम, इन, ओआरजी',
  },
  greeting: {
    certain: `
(beep|tone|bip) (ke |k )?(baad|bad)
(beep|tone) (sunne|bajne) ke (baad|bad)
(sandesh|message|sandes) (chhod|chod|chhor|record kar)\\S*
jis (number|vyakti|nambar|grahak|upbhokta|customer) (se|ko|par|pe) aap
jis (number|vyakti|nambar|grahak|upbhokta) se sampark
(switch|switched|swich) off hai
(coverage|network) (kshetra|area|chhetra) se bahar
pahunch (kshetra )?se bahar
(ek|do|one|two|1|2) (dabaye|dabaayein|dabayen|dabaen|dabaiye)
(बीप|टोन) (की ध्वनि |सुनने |बजने )?के बाद
(संदेश|सन्देश|मैसेज|मेसेज) (छोड|रिकॉर्ड कर)\\S*
(वॉइस|वॉयस|वाइस) ?(मेल|मैसेज)
जिस (नंबर|नम्बर|व्यक्ति|ग्राहक|उपभोक्ता) (से|को|पर)
(स्विच|स्विच्ड) ऑफ
(पहुंच|नेटवर्क|कवरेज) (क्षेत्र )?से बाहर
(एक|दो|1|2) दबा(एं|ये|यें|इए)`,
    hints: `
upla?bdh (nahi|nahin|nhi)
(vyast|busy) hai
(baad|bad) (me|mein) (prayas|koshish|try|call)
sampark nahi(n)? (ho|kar)
उपलब्ध नहीं
व्यस्त है
बाद में (प्रयास|कोशिश|कॉल)
संपर्क नहीं`,
    screening: '',
    person: `
(kaun|kon) (hai|bol|baat)\\S*
(aap )?(kaun|kon)
(boliye|bolo|boliyega|batao|bataiye|batayein|kahiye|farmaiye|suniye)
(kya|kaise) (kaam|madad|sahayata|help|seva)\\S*
(haan|ha|han) ?(ji|bolo|boliye)
(कौन|बोलिए|बोलिये|बोलो|बताइए|बताइये|बताओ|कहिए|कहिये|हां जी|जी हां|हैलो|हेलो)
(क्या|कैसे) (काम|मदद|सहायता|सेवा)\\S*`,
    calls: 'haan',
  },
  texts: {
    fillers: ['एक क्षण रुकिए।', 'ज़रा देखते हैं।', 'बस एक मिनट।'],
    reprompt: 'माफ़ कीजिए, मुझे समझ नहीं आया। क्या आप फिर से कह सकते हैं?',
    online_check: 'क्या आप अभी भी लाइन पर हैं?',
    goodbye: 'कॉल करने के लिए धन्यवाद। नमस्ते।',
  },
};
