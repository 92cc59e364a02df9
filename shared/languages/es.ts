import type { Language } from './language.ts';

/** Spanish, of Spain and of Latin America. */
export const es: Language = {
  code: 'es',
  name: 'Spanish',
  scripts: ['Latin'],
  mixes: [],
  common:
    'el, la, los, las, un, una, de, que, y, en, es, no, se, lo, por, con, para, mi, me, su, como, pero, muy, qué, está, quiero, sí, usted, yo, cuánto, tengo, hola, gracias, necesito, puede',
  turn: {
    backchannels:
      'mm, mmm, mhm, hm, hmm, ajá, aja, ah, oh, sí, si, claro, claro que sí, vale, ok, okay, okey, ya, ya veo, ya entiendo, bueno, bien, muy bien, exacto, exactamente, correcto, cierto, ' +
      'de acuerdo, por supuesto, eso, eso es, así es, entiendo, comprendo, perfecto, dale, órale, está bien, sale, ah bueno, ah vale, ah ya, qué bien, genial, estupendo',
    commands:
      'espera, espere, esperen, espérate, espérese, espérame, espéreme, aguarde, un momento, un momentito, un segundo, un minuto, un segundito, un minutito, deténgase, detente, basta, ' +
      'perdone, perdona, disculpe, disculpa, oiga, oye, escuche, escucha, escúcheme, escúchame, cállate, cállese, déjeme hablar, déjame hablar, no siga, deje de hablar',
    commands_alone: 'no, para, pare, alto, perdón, stop, que no, para para',
    courtesies:
      'hola, buenos, buenas, días, tardes, noches, gracias, muchas, adiós, hasta, luego, sí, no, por, favor, claro, perfecto, bien, bueno, genial, muy, amable',
    hesitations: 'eh, em, ehm, eeh, mmm, eem, este',
    incomplete:
      'y, e, o, u, pero, porque, aunque, sino, que, si, mientras, un, una, unos, unas, el, la, los, las, al, del, mi, mis, tu, tus, su, sus, nuestro, nuestra, nuestros, nuestras, cada, ' +
      'este, o sea, es que, así que, es decir, y entonces',
    incomplete_without_stop:
      'de, a, con, en, por, para, sin, sobre, entre, hasta, desde, hacia, según, contra, como, cuando, donde, cuyo, muy, más, tan, ni, lo, se, me, le, es, son, está, están, era, estoy, soy, fue, sería, ' +
      'quiero, quisiera, quería, necesito, me gustaría, tengo, tengo que, voy a, puedo, podría, puede, también, entonces, pues, además, básicamente, porque, ' +
      'mi nombre es, me llamo, mi número es, mi dirección es, mi correo es, estoy buscando, a ver, déjeme ver, cómo se dice, por ejemplo, tal vez, quizás, a lo mejor, hay, he, había',
    incomplete_alone: 'pues, bueno',
    complete_endings:
      'lo que sea, qué más, cómo es, así es, eso es, cuánto es, qué es, quién es, no sé qué más, una más, uno más, nada más, nunca más, algo más, lo es, sí puedo, no puedo, no tengo, ya está, sí está, no está, dónde está, cómo está, y a, también yo, yo también, a mí también, ese también, allí está',
    answers:
      'sí, si, no, claro, claro que sí, claro que no, por supuesto, vale, ok, okay, de acuerdo, exacto, exactamente, correcto, eso es, así es, está bien, perfecto, muy bien, bueno, gracias, muchas gracias, nada más, eso es todo, nada, ' +
      'adiós, hasta luego, chao, no gracias, sí por favor, por favor, hola, buenos días, buenas tardes, buenas noches, para nada, desde luego, ninguno, ninguna, no sé, no lo sé, seguro, creo que sí, creo que no, sí señor, sí señora, todavía no, ya, nunca, siempre',
    closings:
      'gracias, muchas gracias, por favor, adiós, hasta luego, eso es todo, nada más, de acuerdo, está bien, lo antes posible, ahora mismo, si es posible, verdad, no, vale',
  },
  dictation: {
    digits: ['cero', 'uno, una', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho', 'nueve'],
    two_digits:
      'diez, once, doce, trece, catorce, quince, dieciséis, diecisiete, dieciocho, diecinueve, ' +
      'veinte, veintiuno, veintidós, veintitrés, veinticuatro, veinticinco, veintiséis, veintisiete, veintiocho, veintinueve, ' +
      'treinta, treinta y uno, treinta y dos, treinta y tres, treinta y cuatro, treinta y cinco, treinta y seis, treinta y siete, treinta y ocho, treinta y nueve, ' +
      'cuarenta, cuarenta y uno, cuarenta y dos, cuarenta y tres, cuarenta y cuatro, cuarenta y cinco, cuarenta y seis, cuarenta y siete, cuarenta y ocho, cuarenta y nueve, ' +
      'cincuenta, cincuenta y uno, cincuenta y dos, cincuenta y tres, cincuenta y cuatro, cincuenta y cinco, cincuenta y seis, cincuenta y siete, cincuenta y ocho, cincuenta y nueve, ' +
      'sesenta, sesenta y uno, sesenta y dos, sesenta y tres, sesenta y cuatro, sesenta y cinco, sesenta y seis, sesenta y siete, sesenta y ocho, sesenta y nueve, ' +
      'setenta, setenta y uno, setenta y dos, setenta y tres, setenta y cuatro, setenta y cinco, setenta y seis, setenta y siete, setenta y ocho, setenta y nueve, ' +
      'ochenta, ochenta y uno, ochenta y dos, ochenta y tres, ochenta y cuatro, ochenta y cinco, ochenta y seis, ochenta y siete, ochenta y ocho, ochenta y nueve, ' +
      'noventa, noventa y uno, noventa y dos, noventa y tres, noventa y cuatro, noventa y cinco, noventa y seis, noventa y siete, noventa y ocho, noventa y nueve',
    double: 'doble',
    triple: 'triple',
    number_words:
      'número, teléfono, móvil, celular, whatsapp, código, clave, pin, cuenta, tarjeta, pasaporte, dni, documento, cédula, nif, postal',
    code_words: 'código, clave, pin',
    card_words: 'tarjeta',
    phone: {
      national: '[6789]\\d{8}|34[6789]\\d{8}|[1-57]\\d{9}|52\\d{10}|549?\\d{10}',
      international: '34\\d{9}|52\\d{10,11}|54\\d{10,11}|57\\d{10}|51\\d{9}|56\\d{9}',
      max_digits: 11,
    },
    letter_words: 'a, e, o, u, y',
    abbreviations: 'o k, d n i, t v',
    letter_examples: 'de',
    mail_words: 'correo, email, e-mail, mail, gmail',
    mail_hosts: 'gmail, yahoo, hotmail, outlook, icloud',
    is: 'es',
    at: 'arroba',
    dot: 'punto',
    plus: 'más',
    top_domains: 'com, es, mx, ar, co, cl, org, net, edu, info, eu',
  },
  greeting: {
    certain: `
(despues|luego|al (oir|escuchar)|tras) (de )?(oir |escuchar )?(la senal|el tono|el bip|el pitido|la grabacion)
(deje|dejen|deja|dejenos|dejame|dejeme|grabe) (un|su|tu|el|sus) (mensaje|recado|datos|nombre) … (senal|tono|bip|pitido)
(deje|grabe|deja) (su|un) mensaje
buzon (de )?(voz|mensajes)
contestador( automatico)?
(el|este) (numero|telefono|abonado|cliente|usuario) (al )?(que|cual) (usted )?(ha marcado|marco|llama|esta llamando|ha llamado)
(apagado o fuera de (cobertura|servicio)|fuera de cobertura|fuera del area de (servicio|cobertura))
(su|esta) llamada (sera|ha sido|esta siendo) (transferida|desviada|redirigida)
(no existe|no esta en servicio|se encuentra apagado|esta apagado)
(marque|pulse|presione|oprima) (el |la )?(uno|dos|tres|1|2|3|numeral|almohadilla|asterisco)
este es el (buzon|contestador)`,
    hints: `
(no (esta|se encuentra|estamos|estoy)) (disponible|disponibles|en este momento)
(no (puedo|podemos|puede)) (atender|atenderle|atenderte|contestar|responder|coger)
(en este momento|ahora mismo|ahora) no (puedo|podemos|estoy|estamos)
(ha|has) (llamado|contactado) (a|con)
(deje|deja|dejame|dejeme|dejenos) (un |su |tu )?(mensaje|recado|nombre|numero|datos)
(le|te) (devolvere|devolveremos|devuelvo|llamare|llamaremos|contactaremos|responderemos)
(lo antes posible|en cuanto (pueda|podamos)|a la (mayor )?brevedad)
(vuelva|vuelve|intente|intentelo|llame) (a llamar |de nuevo )?mas tarde
nuestro horario de atencion
(todas las|nuestras) lineas … ocupad(as|os)`,
    screening: `
(diga|indique) su nombre y (el )?motivo
quien (es|llama) … antes de`,
    person: `
(digame|diga|dime|aló|alo|bueno|mande|si diga|sí dígame)$
(en que|como) (puedo|le puedo|te puedo|podemos) (ayudar|ayudarle|ayudarte|servir|servirle)\\S*
(quien|con quien) (es|habla|llama|hablo|me llama|desea hablar)
de parte de quien
(que|quien) (quiere|desea|necesita|busca)
me (oye|escucha|oyes|escuchas)
(le|la|te) escucho`,
    calls: 'hola, bueno, diga, dígame, aló, sí',
  },
  texts: {
    fillers: ['Un momento, por favor.', 'Déjeme ver.'],
    reprompt: 'Perdón, no le he entendido. ¿Puede repetirlo, por favor?',
    online_check: '¿Sigue ahí?',
    goodbye: 'Gracias por llamar. Adiós.',
  },
};
