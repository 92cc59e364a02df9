import type { Language } from './language.ts';

/** German. Its verb often comes last, but so do many other words: only lists of whole endings tell. */
export const de: Language = {
  code: 'de',
  name: 'German',
  scripts: ['Latin'],
  mixes: [],
  common:
    'der, die, das, und, ist, ich, nicht, ein, eine, einen, es, mit, sie, zu, den, auf, für, wir, mein, meine, haben, habe, was, wie, bitte, ja, nein, möchte, kann, können, wann, von, bei, hallo, danke, guten, noch',
  turn: {
    backchannels:
      'mm, mmm, mhm, hm, hmm, aha, ah, oh, ach, ach so, achso, ach ja, ja, jaja, jo, jep, jawohl, okay, ok, genau, gut, sehr gut, klar, na klar, alles klar, stimmt, richtig, verstehe, verstanden, ich verstehe, in ordnung, sicher, natürlich, ' +
      'eben, prima, super, schön, gerne, passt, na gut, ganz genau, so ist es, das stimmt, ja genau, schon klar, doch',
    commands:
      'stopp, stop, warten sie, warte, warte mal, moment, moment mal, einen moment, momentchen, sekunde, eine sekunde, eine minute, augenblick, einen augenblick, entschuldigung, entschuldigen sie, entschuldige, hören sie, hör zu, hör mal, hör auf, hören sie auf, aufhören, ' +
      'lassen sie mich ausreden, lass mich ausreden, darf ich kurz, kurze frage, ganz kurz, halt stopp, halten sie',
    commands_alone: 'halt, nein, nee, ne, pause, ruhe, nein nein, verzeihung',
    courtesies:
      'hallo, guten, tag, morgen, abend, danke, vielen, dank, schön, bitte, tschüss, auf, wiederhören, wiedersehen, ja, nein, sehr, gut, gerne, super, prima, servus, moin',
    hesitations: 'äh, ähm, öhm, öh, hm, ehm, äm, tja',
    incomplete:
      'und, oder, aber, weil, denn, dass, ob, wenn, falls, obwohl, sondern, bevor, nachdem, während, ein, eine, einen, einem, einer, eines, der, die, das, den, dem, des, mein, meine, meinen, meinem, meiner, dein, deine, sein, seine, ihr, ihre, ihren, ihrem, ihrer, unser, unsere, unseren, unserem, jede, jeden, jeder, ' +
      'ich, zum, zur, beim, vom, ins, beziehungsweise, das heißt, also ich, kein, keine, keinen',
    incomplete_without_stop:
      'mit, für, von, zu, in, im, an, am, auf, aus, bei, nach, über, unter, vor, zwischen, durch, gegen, ohne, um, bis, seit, wegen, sehr, auch, also, dann, ist, sind, war, wäre, habe, hätte, hätte gern, bin, wird, möchte, ' +
      'ich möchte, ich will, ich brauche, ich würde, ich würde gern, ich würde gerne, ich wollte, ich suche, ich hätte gerne, können sie, könnten sie, kann ich, könnte ich, haben sie, gibt es, ich heiße, mein name ist, meine nummer ist, meine adresse ist, ' +
      'sozusagen, eigentlich, zum beispiel, irgendwie, quasi, ich glaube, ich meine, ich denke, sagen wir, mal sehen, wie sagt man, und zwar, nämlich, wie, als, welche, welchen, so',
    incomplete_alone: 'also, tja, na ja, naja, gut',
    complete_endings:
      'ich auch, wir auch, mir auch, das auch, auch nicht, und ihnen, und sie, ich bin es, wer ist das, was ist das, ist es das, war es das, das war es, wie viel ist das, ist das, von mir aus, ich habe, nur ich, kennen sie das, möchte ich, kann ich das, brauche ich das, wissen sie das, glaube ich, meine ich, denke ich, wollen sie das, ich bin dabei, geht das, ' +
      'guten tag auch, und so, oder so, ach so, das geht so, ich komme an, rufen sie an, ich rufe an, ruf mich an, ich nehme an, fangen wir an, hören sie auf, machen sie auf, das fällt aus, sieht gut aus, wie sieht es aus, kommen sie vor, ich habe vor, ich stimme zu, hören sie zu, machen sie zu, ich hole es ab, kommt mit, ich nehme es mit, teilen sie mir das mit, wie heißen sie, danke ihr',
    answers:
      'ja, jo, nein, nee, doch, klar, na klar, natürlich, sicher, genau, ganz genau, richtig, stimmt, das stimmt, okay, ok, in ordnung, gut, sehr gut, alles klar, passt, danke, vielen dank, danke schön, dankeschön, bitte, ja bitte, nein danke, ja gerne, gerne, sehr gerne, auf keinen fall, auf jeden fall, ' +
      'tschüss, auf wiederhören, auf wiedersehen, schönen tag noch, hallo, guten tag, guten morgen, guten abend, das war alles, das ist alles, nichts weiter, sonst nichts, weiß ich nicht, keine ahnung, vielleicht, eher nicht, eigentlich nicht, kein problem, perfekt, super, prima, noch nicht, gar nicht, nie, immer, mach ich, jawohl, selbstverständlich',
    closings:
      'danke, vielen dank, bitte, tschüss, auf wiederhören, das war alles, das ist alles, in ordnung, so schnell wie möglich, wenn möglich, oder, nicht wahr, okay, geht das, danke schön, möglich',
  },
  dictation: {
    digits: ['null', 'eins, ein', 'zwei, zwo', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun'],
    two_digits:
      'zehn, elf, zwölf, dreizehn, vierzehn, fünfzehn, sechzehn, siebzehn, achtzehn, neunzehn, ' +
      'zwanzig, einundzwanzig, zweiundzwanzig, dreiundzwanzig, vierundzwanzig, fünfundzwanzig, sechsundzwanzig, siebenundzwanzig, achtundzwanzig, neunundzwanzig, ' +
      'dreißig, einunddreißig, zweiunddreißig, dreiunddreißig, vierunddreißig, fünfunddreißig, sechsunddreißig, siebenunddreißig, achtunddreißig, neununddreißig, ' +
      'vierzig, einundvierzig, zweiundvierzig, dreiundvierzig, vierundvierzig, fünfundvierzig, sechsundvierzig, siebenundvierzig, achtundvierzig, neunundvierzig, ' +
      'fünfzig, einundfünfzig, zweiundfünfzig, dreiundfünfzig, vierundfünfzig, fünfundfünfzig, sechsundfünfzig, siebenundfünfzig, achtundfünfzig, neunundfünfzig, ' +
      'sechzig, einundsechzig, zweiundsechzig, dreiundsechzig, vierundsechzig, fünfundsechzig, sechsundsechzig, siebenundsechzig, achtundsechzig, neunundsechzig, ' +
      'siebzig, einundsiebzig, zweiundsiebzig, dreiundsiebzig, vierundsiebzig, fünfundsiebzig, sechsundsiebzig, siebenundsiebzig, achtundsiebzig, neunundsiebzig, ' +
      'achtzig, einundachtzig, zweiundachtzig, dreiundachtzig, vierundachtzig, fünfundachtzig, sechsundachtzig, siebenundachtzig, achtundachtzig, neunundachtzig, ' +
      'neunzig, einundneunzig, zweiundneunzig, dreiundneunzig, vierundneunzig, fünfundneunzig, sechsundneunzig, siebenundneunzig, achtundneunzig, neunundneunzig',
    double: 'doppel, zweimal',
    triple: 'dreimal',
    number_words:
      'nummer, telefonnummer, handynummer, telefon, handy, mobilnummer, mobil, whatsapp, code, pin, konto, kontonummer, karte, kartennummer, kundennummer, bestellnummer, vertragsnummer, postleitzahl, rufnummer, vorwahl, iban',
    code_words: 'code, pin',
    card_words: 'karte, kartennummer',
    phone: {
      national: '01[5-7]\\d{8,9}|0[2-9]\\d{9,10}|49\\d{10,11}',
      international: '49\\d{10,11}|43\\d{9,11}|41\\d{9}',
      max_digits: 12,
    },
    letter_words: '',
    abbreviations: 'o k, t v, u s a, e u, g m b h, w c, p c, i t',
    letter_examples: 'wie, für',
    mail_words: 'mail, e-mail, email, mailadresse, e-mail-adresse, emailadresse, gmail',
    mail_hosts: 'gmail, yahoo, hotmail, outlook, gmx, web, t-online, icloud, freenet',
    is: 'ist, lautet',
    at: 'at, ät, klammeraffe',
    dot: 'punkt',
    plus: 'plus',
    top_domains: 'com, de, at, ch, org, net, eu, info',
  },
  greeting: {
    certain: `
nach (dem|einem) (signalton|piepton|piep|ton|signal)
(hinterlassen|hinterlasst|sprechen|sprecht) … (nachricht|namen|rufnummer|nummer) … (signalton|piepton|piep|ton)
(sprachbox|mailbox|anrufbeantworter|voicemail|sprachmailbox)
(der|die) (gewunschte|angerufene|gewahlte) (gesprachspartner|teilnehmer|teilnehmerin|person|rufnummer|nummer|anschluss)
(kein anschluss unter dieser nummer|diese (rufnummer|nummer) ist nicht (vergeben|bekannt|erreichbar))
(vorubergehend|zurzeit|derzeit|momentan) nicht (erreichbar|zu erreichen)
(ihr (anruf|gesprach)|der anruf) (wird|wurde) (weitergeleitet|umgeleitet|an)
(drucken|wahlen) sie (bitte )?(die )?(eins|zwei|drei|1|2|3|raute|raute-taste|sterntaste)
aufsprechen sie|nachricht aufzusprechen`,
    hints: `
(ich bin|wir sind|bin|sind) (leider |gerade |im moment |zurzeit |derzeit |momentan |zur zeit )*(nicht|unterwegs|im urlaub|im gesprach|verhindert|au(ß|ss)er haus)
(kann|konnen) (ich |wir )?(ihren |deinen |den )?(anruf )?(leider |gerade |im moment |zurzeit |derzeit |momentan |ihren anruf |den anruf )*nicht (entgegennehmen|annehmen|ans telefon|rangehen|personlich)
(ihren|deinen) anruf … nicht … entgegennehmen
(hinterlassen|hinterlasse|hinterlasst|sprechen sie|sprich) (sie )?(mir |uns )?(bitte |doch |gerne |einfach )*(ihre|eine|deine|euren|ihren|mir|uns|auf)
(rufe|rufen|melde|melden) (ich |wir )?(sie |dich |mich |uns |schnellstmoglich |umgehend |so bald wie moglich |baldmoglichst |bei ihnen )*(zuruck|bei ihnen)?$
(so (bald|schnell) wie moglich|schnellstmoglich|baldmoglichst|umgehend) … (zuruck|bei ihnen|melden|melde)
(versuchen|probieren) sie es … (spater|erneut|noch einmal)
(au(ß|ss)erhalb|unsere) (der )?(geschaftszeiten|burozeiten|offnungszeiten|sprechzeiten)
sie (haben|sind) … (erreicht|gewahlt|verbunden mit)
(alle|unsere) (leitungen|mitarbeiter|platze) … (belegt|besetzt|gesprach)`,
    screening: `
(nennen|sagen) sie (bitte )?(ihren namen|den grund)
grund (ihres|fur ihren) anruf\\S*`,
    person: `
(was|wie|womit) (kann|darf|konnen) (ich|wir) (fur sie|ihnen|dir|fur dich) (tun|helfen|behilflich sein|weiterhelfen)?
(wer|mit wem) (ist|spricht|spreche|sind|bin|ist denn) (da|dran|dort|ich|sie|verbunden)
(worum|um was) (geht|handelt) es
(ja bitte|bitte|ja hallo|hallo)$
am apparat
(horen sie mich|konnen sie mich horen|ist da jemand|hallo wer)
(ich hore|schiessen sie los|was gibt's|was gibt es)`,
    calls: 'hallo, ja',
  },
  texts: {
    fillers: ['Einen Moment, bitte.', 'Lassen Sie mich kurz nachsehen.'],
    reprompt: 'Entschuldigung, das habe ich nicht verstanden. Können Sie es bitte wiederholen?',
    online_check: 'Sind Sie noch da?',
    goodbye: 'Danke für Ihren Anruf. Auf Wiederhören.',
  },
};
