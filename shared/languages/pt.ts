import type { Language } from './language.ts';

/** Portuguese, of Brazil and of Portugal. */
export const pt: Language = {
  code: 'pt',
  name: 'Portuguese',
  scripts: ['Latin'],
  mixes: [],
  common:
    'o, a, os, as, um, uma, de, do, da, que, e, é, em, no, na, não, para, com, por, mas, meu, minha, eu, você, muito, está, quero, sim, como, seu, obrigado, obrigada, preciso, queria, posso, qual, tenho, pra, isso, vocês',
  turn: {
    backchannels:
      'mm, mmm, mhm, hm, hmm, hum, ah, oh, sim, tá, tá bom, tá certo, tá ok, certo, ok, okay, claro, claro que sim, pois, pois é, pois sim, pois claro, isso, isso mesmo, isso aí, aham, ahan, uhum, ahã, entendi, entendo, percebo, beleza, exato, exatamente, é, é isso, é verdade, ' +
      'está bem, de acordo, perfeito, sei, com certeza, ótimo, muito bem, bom, bem, legal, combinado, com efeito, né, ah tá, ah sim, ah entendi, já, fixe, compreendo',
    commands:
      'espera, espere, espera aí, espera lá, espere aí, peraí, pera aí, pera, calma, calma aí, um momento, um momentinho, um minuto, um minutinho, um segundo, só um segundo, só um minuto, só um instante, um instante, um instantinho, com licença, desculpa, desculpe, escuta, escute, ouça, olhe, me escuta, me escute, ' +
      'deixa eu falar, deixe-me falar, cala a boca, pode parar, para de falar, pare de falar, aguarde, já chega',
    commands_alone: 'não, para, pare, chega, alto, stop, não não, perdão, basta',
    courtesies:
      'olá, oi, bom, boa, dia, tarde, noite, obrigado, obrigada, muito, tchau, adeus, até, logo, sim, não, por, favor, claro, perfeito, ótimo, tudo, bem, alô',
    hesitations: 'é é, ahn, eh, hã, hum, hmm, éé, ééé, ã, ãh, aann',
    incomplete:
      'e, ou, mas, porque, pois que, embora, que, se, quando, enquanto, um, uma, uns, umas, o, a, os, as, ao, à, do, da, dos, das, no, na, nos, nas, num, numa, pelo, pela, meu, minha, meus, minhas, seu, sua, seus, suas, nosso, nossa, cada, ' +
      'ou seja, então eu, quer dizer, só que, tipo assim, é que, eu, porém, nem, pro, pra, pros, pras',
    incomplete_without_stop:
      'de, com, em, por, para, sem, sobre, entre, até, desde, como, onde, muito, mais, tão, também, é, são, está, estou, sou, era, foi, seria, tá, tem, tenho, vou, ' +
      'eu quero, quero, queria, eu queria, gostaria, eu gostaria, preciso, eu preciso, posso, pode, poderia, tenho que, vou ter que, meu nome é, me chamo, eu me chamo, chamo-me, o meu nome é, meu número é, o meu número é, meu endereço é, meu email é, estou procurando, estou à procura, ' +
      'tipo, então, daí, aí, por exemplo, deixa eu ver, deixe ver, como se diz, sabe, talvez, acho que, eu acho que, eu acho, basicamente, na verdade, há, gostava, gostava de',
    incomplete_alone: 'então, bom, olha, bem, pois',
    complete_endings:
      'e você, e o senhor, eu também, ele também, nós também, a gente também, também não, nada mais, mais nada, nunca mais, algo mais, um pouco mais, quanto é, o que é, quem é, como é, como está, onde está, onde é, é isso que é, não tem, não posso, não pode, já tenho, não tenho, não preciso, não quero, sim posso, sim quero, é o que tem, aqui está, pode ser, tem sim, ' +
      'não sei o quê, lá está, tudo bem então, tá bom então, até então, fica por aí, estou aí, eu vou, já vou, está aí, não está, ela está, ele está, eu sou',
    answers:
      'sim, não, claro, claro que sim, claro que não, com certeza, isso, isso mesmo, exato, exatamente, certo, correto, ok, okay, tá, tá bom, tá certo, está bem, está certo, beleza, perfeito, ótimo, pode ser, obrigado, obrigada, muito obrigado, muito obrigada, de nada, por favor, sim por favor, não obrigado, não obrigada, ' +
      'tchau, adeus, até logo, até mais, oi, olá, alô, bom dia, boa tarde, boa noite, só isso, é só isso, é só, mais nada, nada, nenhum, nenhuma, não sei, acho que sim, acho que não, talvez, ainda não, nunca, sempre, pois é, tenho, quero, posso, é, já, sem problema, tudo bem, combinado, de acordo, sou eu, sim senhor, sim senhora, de jeito nenhum, de modo nenhum',
    closings:
      'obrigado, obrigada, muito obrigado, muito obrigada, por favor, tchau, adeus, até logo, só isso, é só isso, o mais rápido possível, agora mesmo, se possível, tudo bem, tá bom, né, não é, certo, pode ser, está bem',
  },
  dictation: {
    digits: ['zero', 'um, uma', 'dois, duas', 'três', 'quatro', 'cinco', 'seis, meia', 'sete', 'oito', 'nove'],
    two_digits:
      'dez, onze, doze, treze, catorze/quatorze, quinze, dezesseis/dezasseis, dezessete/dezassete, dezoito, dezenove/dezanove, ' +
      'vinte, vinte e um, vinte e dois, vinte e três, vinte e quatro, vinte e cinco, vinte e seis, vinte e sete, vinte e oito, vinte e nove, ' +
      'trinta, trinta e um, trinta e dois, trinta e três, trinta e quatro, trinta e cinco, trinta e seis, trinta e sete, trinta e oito, trinta e nove, ' +
      'quarenta, quarenta e um, quarenta e dois, quarenta e três, quarenta e quatro, quarenta e cinco, quarenta e seis, quarenta e sete, quarenta e oito, quarenta e nove, ' +
      'cinquenta, cinquenta e um, cinquenta e dois, cinquenta e três, cinquenta e quatro, cinquenta e cinco, cinquenta e seis, cinquenta e sete, cinquenta e oito, cinquenta e nove, ' +
      'sessenta, sessenta e um, sessenta e dois, sessenta e três, sessenta e quatro, sessenta e cinco, sessenta e seis, sessenta e sete, sessenta e oito, sessenta e nove, ' +
      'setenta, setenta e um, setenta e dois, setenta e três, setenta e quatro, setenta e cinco, setenta e seis, setenta e sete, setenta e oito, setenta e nove, ' +
      'oitenta, oitenta e um, oitenta e dois, oitenta e três, oitenta e quatro, oitenta e cinco, oitenta e seis, oitenta e sete, oitenta e oito, oitenta e nove, ' +
      'noventa, noventa e um, noventa e dois, noventa e três, noventa e quatro, noventa e cinco, noventa e seis, noventa e sete, noventa e oito, noventa e nove',
    double: 'duplo, dobro',
    triple: 'triplo',
    number_words:
      'número, telefone, celular, telemóvel, whatsapp, código, senha, pin, conta, cartão, passaporte, cpf, rg, cep, nif, protocolo, pedido, contribuinte',
    code_words: 'código, senha, pin',
    card_words: 'cartão',
    phone: {
      national: '[1-9][1-9]9\\d{8}|[1-9][1-9][2-5]\\d{7}|0[1-9][1-9]9?\\d{8}|55\\d{10,11}|9[1236]\\d{7}|2\\d{8}',
      international: '55\\d{10,11}|351\\d{9}',
      max_digits: 12,
    },
    letter_words: 'a, e, o, é, à',
    abbreviations: 'o k, c p f, t v, r g',
    letter_examples: 'de',
    mail_words: 'email, e-mail, mail, correio, gmail',
    mail_hosts: 'gmail, yahoo, hotmail, outlook, uol, bol, terra, icloud, sapo',
    is: 'é',
    at: 'arroba',
    dot: 'ponto',
    plus: 'mais',
    top_domains: 'com, br, pt, org, net, edu, gov, info, eu',
  },
  greeting: {
    certain: `
(apos|depois d\\S+|ao ouvir) (o |a )?(sinal|bip|tom|bipe|apito)
(deixe|grave|deixa|deixar|gravar) … (mensagem|recado|nome) … (sinal|bip|bipe|tom|apito)
(deixe|grave|deixa|deixar) (a |o |uma |um )?(sua |seu )?(mensagem|recado)
(caixa postal|caixa de (mensagens|correio)|correio de voz|secretaria eletronica|atendedor de chamadas|voice ?mail)
(o|este) (numero|telefone|cliente|celular|telemovel) (que|para o qual|de telefone que) (voce |o senhor )?(ligou|discou|chamou|marcou|esta)
(esta|encontra-se|se encontra) (desligado|fora (da area|de area|do ar|de servico)|temporariamente (indisponivel|fora))
(o numero (que|para) … nao (existe|esta|se encontra)|nao esta (disponivel|atribuido) … (numero|rede)|este numero nao)
(sua|esta|a sua) (chamada|ligacao) (sera|esta sendo|foi|vai ser) (encaminhada|transferida|direcionada|completada|reencaminhada)
(digite|tecle|disque|prima|pressione|aperte) (o |a |a tecla )?(um|dois|tres|1|2|3|jogo da velha|cardinal|asterisco)
sera cobrada (apos|a partir)`,
    hints: `
(nao (posso|podemos|pude|consigo)) (atender|atende-lo|falar|responder)
(no momento|neste momento|agora) (nao|estou|estamos|nao estou|nao posso)
(nao (estou|estamos|esta)) (disponivel|disponiveis|em casa|no escritorio)
(voce|o senhor) ligou (para|pra)
(ligou|esta a ligar) para (o|a|os)
(deixe|deixa) (o )?(seu|teu|um|uma|sua) (nome|numero|recado|mensagem|contato|contacto|telefone)
(retorno|retornarei|retornaremos|ligo de volta|ligarei de volta|entro em contato|entraremos em contato|devolvo|devolverei|responderei|responderemos|contactaremos)
(assim que (possivel|puder|pudermos|der)|o mais (rapido|breve|depressa) possivel|logo que (possivel|possa))
(tente|ligue|volte a ligar) (novamente |de novo )?mais tarde
(nosso|o nosso) horario de (atendimento|funcionamento)
(todos os|nossos) (atendentes|nossos atendentes|operadores) … ocupados`,
    screening: `
(diga|informe) o seu nome
(motivo|assunto) da (sua )?(ligacao|chamada)`,
    person: `
(em que|como|no que) (posso|podemos) (ajudar|ajuda-lo|ajuda-la|ser util|te ajudar|lhe ajudar)\\S*
(quem|com quem) (e|fala|esta falando|gostaria|deseja|falo|eu falo|ta falando)
(pode falar|fala|diga|pois nao|estou|sim diga|pois diga)$
(quer|deseja|gostaria de) falar com quem
(esta me ouvindo|ta me ouvindo|consegue me ouvir|esta a ouvir-me)
(alo|esta la|sou eu)$`,
    calls: 'alô, oi, sim, estou, olá',
  },
  texts: {
    fillers: ['Um momento, por favor.', 'Deixe-me ver.'],
    reprompt: 'Desculpe, não entendi. Pode repetir, por favor?',
    online_check: 'Ainda está aí?',
    goodbye: 'Obrigado por ligar. Até logo.',
  },
};
