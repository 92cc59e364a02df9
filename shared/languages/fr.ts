import type { Language } from './language.ts';

/** French. */
export const fr: Language = {
  code: 'fr',
  name: 'French',
  scripts: ['Latin'],
  mixes: [],
  common:
    "le, la, les, un, une, des, de, du, et, est, c'est, je, j'ai, vous, il, elle, que, qui, dans, pour, pas, sur, avec, mais, mon, ma, votre, oui, bonjour, merci, voudrais, quel, comment, ce, à, ne, suis, peux",
  turn: {
    backchannels:
      "mm, mmm, mhm, hm, hmm, hum, ah, oh, oui, ouais, ouaip, oui oui, d'accord, ok, okay, bien, très bien, bien sûr, entendu, exactement, exact, voilà, c'est ça, ah bon, ah oui, je vois, je comprends, tout à fait, effectivement, absolument, " +
      "parfait, super, génial, en effet, bon, ça marche, ça va, certes, évidemment, c'est vrai, compris, ben oui, mais oui, si",
    commands:
      'attendez, attends, stop, arrêtez, arrête, un instant, une seconde, une minute, un moment, deux secondes, deux minutes, excusez-moi, excuse-moi, écoutez, écoute, écoutez-moi, taisez-vous, laissez-moi parler, laisse-moi parler, je vous arrête, je vous coupe, ça suffit, doucement',
    commands_alone: 'non, pardon, mais non, ah non, non non, minute, stop stop',
    courtesies:
      "bonjour, bonsoir, salut, allô, merci, beaucoup, au, revoir, bonne, journée, soirée, oui, non, s'il, vous, plaît, parfait, très, bien, super, d'accord, à, bientôt",
    hesitations: 'euh, heu, hum, euhm, beuh, ben, bah',
    incomplete:
      'et, ou, mais, car, parce que, parce qu, puisque, donc, que, qu, si, quand, lorsque, comme, un, une, des, le, la, les, l, d, du, au, aux, mon, ma, mes, ton, ta, tes, son, sa, ses, notre, nos, votre, vos, leur, leurs, chaque, ' +
      "je, j, il, elle, on, nous, ce, c, qui, dont, c'est-à-dire, alors que, et puis, ni, afin de, pour que",
    incomplete_without_stop:
      "de, à, avec, en, dans, par, pour, sans, sur, sous, entre, chez, vers, depuis, pendant, jusqu'à, très, plus, trop, aussi, alors, puis, ensuite, surtout, c'est, est, sont, suis, était, serait, il y a, " +
      "je voudrais, je veux, j'aimerais, j'ai besoin, j'ai, je dois, je peux, je vais, je cherche, est-ce que, pouvez-vous, pourriez-vous, vous pouvez, vous avez, je m'appelle, mon nom est, mon numéro est, mon adresse est, " +
      'en fait, du coup, disons, voyons, comment dire, par exemple, genre, peut-être, je crois que, je pense que, il faut, il me faut, on peut, ne, pas de',
    incomplete_alone: 'alors, bon, donc, enfin',
    complete_endings:
      "c'est tout ce que, et vous, et toi, pas du tout, moi aussi, nous aussi, vous aussi, lui aussi, non plus, moi non plus, rien de plus, un peu plus, encore plus, et alors, peut-être, pas trop, ça dépend de vous, combien c'est, où c'est, qui est-ce, où est-il, quelle heure est-il, je suis là, oui je peux, j'y vais, on y va, venez avec, c'est pour vous, c'est bien ça, n'est-ce pas, je ne peux plus, n'en ai plus, chez nous, chez vous, entre nous, avec vous, c'est pour nous, sans vous",
    answers:
      "oui, ouais, non, si, d'accord, ok, okay, bien sûr, exactement, exact, tout à fait, absolument, c'est ça, voilà, parfait, très bien, merci, merci beaucoup, oui merci, non merci, s'il vous plaît, oui s'il vous plaît, pas du tout, jamais, toujours, " +
      "au revoir, bonne journée, bonne soirée, à bientôt, bonjour, bonsoir, allô, c'est tout, rien d'autre, je ne sais pas, je sais pas, peut-être, pas vraiment, entendu, ça marche, ça va, bien, ça me va, pas de problème, pas de souci, aucun problème, volontiers, moi aussi, moi non plus, évidemment, je crois, certainement",
    closings:
      "merci, merci beaucoup, s'il vous plaît, au revoir, c'est tout, c'est bon, d'accord, dès que possible, tout de suite, si possible, n'est-ce pas, voilà, merci d'avance, c'est possible, hein",
  },
  dictation: {
    digits: ['zéro', 'un, une', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf'],
    two_digits:
      'dix, onze, douze, treize, quatorze, quinze, seize, dix-sept, dix-huit, dix-neuf, ' +
      'vingt, vingt et un, vingt-deux, vingt-trois, vingt-quatre, vingt-cinq, vingt-six, vingt-sept, vingt-huit, vingt-neuf, ' +
      'trente, trente et un, trente-deux, trente-trois, trente-quatre, trente-cinq, trente-six, trente-sept, trente-huit, trente-neuf, ' +
      'quarante, quarante et un, quarante-deux, quarante-trois, quarante-quatre, quarante-cinq, quarante-six, quarante-sept, quarante-huit, quarante-neuf, ' +
      'cinquante, cinquante et un, cinquante-deux, cinquante-trois, cinquante-quatre, cinquante-cinq, cinquante-six, cinquante-sept, cinquante-huit, cinquante-neuf, ' +
      'soixante, soixante et un, soixante-deux, soixante-trois, soixante-quatre, soixante-cinq, soixante-six, soixante-sept, soixante-huit, soixante-neuf, ' +
      'soixante-dix, soixante et onze, soixante-douze, soixante-treize, soixante-quatorze, soixante-quinze, soixante-seize, soixante-dix-sept, soixante-dix-huit, soixante-dix-neuf, ' +
      'quatre-vingts/quatre-vingt, quatre-vingt-un, quatre-vingt-deux, quatre-vingt-trois, quatre-vingt-quatre, quatre-vingt-cinq, quatre-vingt-six, quatre-vingt-sept, quatre-vingt-huit, quatre-vingt-neuf, ' +
      'quatre-vingt-dix, quatre-vingt-onze, quatre-vingt-douze, quatre-vingt-treize, quatre-vingt-quatorze, quatre-vingt-quinze, quatre-vingt-seize, quatre-vingt-dix-sept, quatre-vingt-dix-huit, quatre-vingt-dix-neuf',
    double: 'double',
    triple: 'triple',
    number_words:
      'numéro, téléphone, portable, mobile, whatsapp, code, pin, compte, carte, passeport, postal, dossier, client, commande, sécu',
    code_words: 'code, pin',
    card_words: 'carte',
    phone: {
      national: '0[1-9]\\d{8}|33[1-9]\\d{8}|0033[1-9]\\d{8}',
      international: '33[1-9]\\d{8}|32\\d{8,9}|41\\d{9}',
      max_digits: 11,
    },
    letter_words: 'a, à, y, l, d, j, c, n, s, m, t',
    abbreviations: 'o k, t v, s m s',
    letter_examples: 'comme',
    mail_words: 'mail, e-mail, email, courriel, adresse mail, gmail',
    mail_hosts: 'gmail, yahoo, hotmail, outlook, orange, free, wanadoo, laposte, icloud',
    is: "est, c'est",
    at: 'arobase, at',
    dot: 'point',
    plus: 'plus',
    top_domains: 'com, fr, be, ch, ca, org, net, eu, info',
  },
  greeting: {
    certain: `
(apres|des) (le (bip|signal|signal sonore|top)|la tonalite)
(laissez|laisser|deposez|enregistrez) … (message|nom|coordonnees|numero) … (bip|signal|signal sonore|tonalite)
(laisser|laissez|deposer|deposez|enregistrer|enregistrez)( moi| nous|-moi|-nous)? (un|votre|vos) (message|coordonnees)
(la )?messagerie (vocale|de|du)
(boite|boîte) vocale
repondeur
(le|votre) (correspondant|numero) (que vous|demande|compose|n'est)\\S* … (joignable|disponible|attribue|service|appeler)?
(votre correspondant|le numero|la personne) … (n'est pas (joignable|disponible|attribue|en service)|est injoignable|ne peut (pas )?etre joint)
(tapez|appuyez sur|faites le|composez le|pressez) (la touche )?(un|deux|trois|1|2|3|diese|etoile)
votre appel (va etre|est|a ete|sera) (transfere|redirige|renvoye|dirige)`,
    hints: `
(je|nous) (ne )?(suis|sommes) (pas|actuellement|malheureusement|momentanement) (pas )?(disponible|disponibles|joignable|joignables|absent|absente|absents|la)
(je|nous) (ne )?(peux|pouvons|puis) (pas |actuellement )?(pas )?(vous )?(repondre|prendre|decrocher)
(indisponible|injoignable)
vous etes bien (sur|chez|au)
(laissez|laisser)( moi| nous|-moi|-nous)? (un|votre|vos) (petit )?(message|nom|numero|coordonnees)
(je|nous) (vous )?(rappelle|rappellerai|rappellerons|recontacterai|recontacterons|rappelerai)
(des que possible|des que je|dans les (meilleurs|plus brefs) delais|au plus vite)
(rappelez|renouvelez votre appel|rappeler) (plus tard|ulterieurement)
(nos|tous nos|l'ensemble de nos) (conseillers|lignes|operateurs|bureaux)
(nos )?horaires d'ouverture`,
    screening: `
(dites|donnez|indiquez|annoncez) votre nom
(la raison|le motif|l'objet) de votre appel`,
    person: `
(que|qu'est-ce que|en quoi|comment) (je )?(puis-je|peux-je|puis|peux|pouvons-nous|on peut) (faire |vous )?(aider|pour vous|renseigner|etre utile)\\S*
(qui|c'est qui|qui est-ce|qui etes-vous|qui est) (est |c'est )?(a l'appareil|qui appelle|l'appareil|la|vous)
c'est (qui|de la part de qui|pour quoi|a quel sujet|pourquoi)
de la part de qui
(oui )?(je vous ecoute|j'ecoute|a l'appareil)
vous m'entendez
(allo|oui allo)$`,
    calls: 'allô, allo, oui',
  },
  texts: {
    fillers: ['Un instant, s’il vous plaît.', 'Voyons cela.'],
    reprompt: "Excusez-moi, je n'ai pas compris. Pouvez-vous répéter, s'il vous plaît ?",
    online_check: 'Vous êtes toujours là ?',
    goodbye: 'Merci de votre appel. Au revoir.',
  },
};
