import { type Language, TEN_DIGIT_PHONE } from './language.ts';

/** English, as in India: its speakers mix in Hindi. */
export const en: Language = {
  code: 'en',
  name: 'English',
  scripts: ['Latin'],
  mixes: ['hi'],
  common:
    "the, is, are, and, to, of, you, that, it, in, for, with, this, have, what, my, not, can, want, do, i, i'm, was, your, how, when, please, would, yes",
  turn: {
    backchannels:
      'mm, mmm, mhm, mmhm, mmhmm, hm, hmm, hmmm, mm-hm, mm-hmm, uh-huh, uhuh, uh, huh, ah, aha, oh, ok, okay, right, yeah, yep, yup, sure',
    commands: 'stop, wait, hold on, one minute, one moment, one second, excuse me, no',
    courtesies:
      'hello, hi, hey, good, morning, afternoon, evening, night, thanks, thank, you, so, much, very, bye, goodbye, yes, no, please, sure, great, perfect, fine',
    hesitations: 'um, umm, uhm, uh, uhh, er, err, erm',
    incomplete:
      "and, but, or, because, cuz, if, whether, while, unless, until, than, nor, a, an, the, my, your, our, their, every, i, i'm, i'd, i'll, i've, we're, we'll, it's, there's, let's, they're, he's, she's",
    incomplete_without_stop:
      'to, for, of, from, with, at, in, on, by, about, into, onto, between, under, near, per, via, without, during, towards, through, against, so, like, as, which, whose, when, where, then, also, plus, basically, actually, maybe, ' +
      "i want, i need, i would like, i'd like, i was wondering, looking for, want to, would like, so that, i mean, you know, kind of, sort of, such as, for example, let me see, let me think, let me check, " +
      'one second, how do i say, what do you call it, and then, is that, said that, told me that, do you have, can you, could you, would you, can i, could i, may i, shall i, do you, instead of, in order',
    incomplete_alone: 'well',
    complete_endings:
      'check in, log in, sign in, come in, move in, come on, go on, hold on, later on, carry on, think so, hope so, guess so, believe so, said so, told you so, and so on, or so, as well, more or less, since when, ' +
      'anything like, used to, be there then, see you then, until then, by then, just then, me too, vitamin a, plan a, option a, grade a, block a, section a',
    linking_verbs: "is, are, was, were, am, will, would, can, could, should, shall, isn't, aren't",
    complete_after: 'it, he, she, i, we, they, you, that, there, this, what, who, so',
    answers:
      'yes, yeah, yep, yup, no, nope, nah, sure, okay, ok, correct, right, exactly, absolutely, of course, definitely, certainly, ' +
      "that's right, that is right, that's correct, that is correct, perfect, not really, not at all, yes please, no please, thank you, thanks, thank you very much, thank you so much, very much, " +
      "i do, i don't, i did, i am, i'm not, it is, it isn't, i will, i can, i can't, sounds good, bye, goodbye, bye bye, that's all, that is all, that's it, nothing else, no problem, fine, great",
    closings:
      "thank you, thanks, please, goodbye, bye, that's all, that is all, that's it, nothing else, thank you very much, right now, as soon as possible, is that okay, is that right",
  },
  dictation: {
    digits: ['zero, oh, nought, nil', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'],
    two_digits:
      'ten, eleven, twelve, thirteen, fourteen, fifteen, sixteen, seventeen, eighteen, nineteen, ' +
      'twenty, twenty one, twenty two, twenty three, twenty four, twenty five, twenty six, twenty seven, twenty eight, twenty nine, ' +
      'thirty, thirty one, thirty two, thirty three, thirty four, thirty five, thirty six, thirty seven, thirty eight, thirty nine, ' +
      'forty, forty one, forty two, forty three, forty four, forty five, forty six, forty seven, forty eight, forty nine, ' +
      'fifty, fifty one, fifty two, fifty three, fifty four, fifty five, fifty six, fifty seven, fifty eight, fifty nine, ' +
      'sixty, sixty one, sixty two, sixty three, sixty four, sixty five, sixty six, sixty seven, sixty eight, sixty nine, ' +
      'seventy, seventy one, seventy two, seventy three, seventy four, seventy five, seventy six, seventy seven, seventy eight, seventy nine, ' +
      'eighty, eighty one, eighty two, eighty three, eighty four, eighty five, eighty six, eighty seven, eighty eight, eighty nine, ' +
      'ninety, ninety one, ninety two, ninety three, ninety four, ninety five, ninety six, ninety seven, ninety eight, ninety nine',
    double: 'double',
    triple: 'triple',
    zero_among_digits: 'oh',
    number_words:
      'number, numbers, phone, mobile, telephone, contact, whatsapp, otp, pin, code, pincode, account, card, passport',
    code_words: 'otp, pin, code, pincode',
    card_words: 'card',
    phone: TEN_DIGIT_PHONE,
    letter_words: 'a, i',
    abbreviations: 'a m, p m, i d, t v, o k, u s, u k, u s a, a c, d j, i t, h r',
    letter_examples: 'as in, for',
    mail_words: 'email, e-mail, mail, gmail',
    mail_hosts: 'gmail, yahoo, hotmail, outlook, rediffmail, icloud',
    is: 'is',
    at: 'at, rate',
    dot: 'dot',
    plus: 'plus',
    top_domains: 'com, in, org, net, edu, gov, io, ai, info, biz, uk',
  },
  greeting: {
    certain: `
(after|at|following|hear|heard) the (tone|beep|signal)
(leave|record|drop) … message … (tone|beep)
(record|leave) your (message|name and number)
(leave|record) (me |us )?a voice message
(forwarded|transferred|redirected|diverted|connected) to (an? |the |my )?(automated |automatic )?(voice ?mail|voice message|answering|mailbox)
(reached|this is) (the |my |our )?(personal )?(voice ?mail|answering machine|answering service|mailbox)
(voice ?mail ?box|voice ?mail (service|system|of|for)|mailbox (of|for|is))
your call (has been|is being|was|will be) (forwarded|transferred|diverted)
the (mobile |phone )?(person|number|subscriber|customer|party|user|airtel number|jio number) (that )?(you are|you're|you have|you've|you) (currently )?(trying|dial+ed|called|calling)
(is|are) (currently |presently )?(switched off|out of (the )?(coverage|network)|outside (the )?(coverage|network))
(is|are) (currently |presently )?not (reachable|in service)
the (number|mobile|phone) … (switched off|does not exist|not reachable|coverage area)
press (the )?(one|two|three|1|2|3|hash|pound|star)`,
    hints: `
(is|are|am|be) (currently |presently |also )?(not available|unavailable|unable)
(isn't|not) available
(can't|cannot|can not|could not|couldn't|unable to) (come to|take|get to|answer|attend|pick up|reach)
(you have|you've) reached
(leave|drop) (me |us )?(a|your|the) (brief |short |detailed )?(message|name|number|details)
(your )?name (and|your)( your)?( phone| contact| telephone)? number
(get|call|come) (right )?back to you|return(ing)? your call|(will|i'll|we'll) (get|call) (you )?back
as soon as (possible|i can|we can)
(sorry|unfortunately) (i|we) (have |just )?missed your call
(away from|not at) (my|the) (desk|phone)|out of (the )?office
(no one|nobody|no-one) is available
try (your call |calling )?(again )?later
(busy|speaking|talking) on another call|another line
voice ?mail|mailbox|answering (machine|service)`,
    screening: `
screening|say your name|record your name and reason|reason for (calling|your call)
why (you are|you're) calling`,
    person: `
(how|what) (can|may|could) (i|we) (help|do|assist)
(can|may|could) i (help|assist|know|ask|take a message)
(who is|who's|who am i|whom am i) (this|calling|speaking|it|there|that)
(who|what) (is|are) (you|this)
are you there|is anyone there|can you hear me|yes tell me|tell me
would you like to
speaking$`,
    calls: 'hello',
  },
  texts: {
    fillers: ['One moment, please.', 'Let me see.', 'Just a second.'],
    reprompt: 'Sorry, I did not catch that. Could you say it again?',
    online_check: 'Are you still there?',
    goodbye: 'Thank you for calling. Goodbye.',
  },
};
