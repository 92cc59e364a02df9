import { describe, expect, it } from 'vitest';
import { readLines } from '../../../bench/language-figures.ts';
import { followCaller, languageOfText, startCallerLanguage } from '../../../media/turn/caller-language.ts';
import { LANGUAGES } from '../../../shared/languages/registry.ts';

const SENTENCES = ['interruption', 'complete'];

describe('the language of a text', () => {
  it.each(LANGUAGES.map(({ code }) => code))(
    'of %s is found in most of its held-out sentences, and no other',
    (code) => {
      const found = readLines(code)
        .filter(({ label }) => SENTENCES.includes(label))
        .map(({ text }) => languageOfText(text));
      expect(found.filter((each) => each !== null && each !== code)).toEqual([]);
      expect(found.filter((each) => each === code).length / found.length).toBeGreaterThanOrEqual(0.35);
    },
  );

  it.each(['', '4821', 'Okay, thank you.', 'なるほど、わかりました', 'میں کل آؤں گا'])(
    'of "%s" is not known',
    (text) => {
      expect(languageOfText(text)).toBeNull();
    },
  );
});

describe('the conversation', () => {
  it('follows a clear turn at once', () => {
    const state = startCallerLanguage('en-IN');
    expect(followCaller(state, 'hola quiero cambiar la cita que tengo mañana', '')).toBe('es');
    expect(followCaller(state, 'sorry i do not speak spanish that well', '')).toBe('en-IN');
  });

  it('follows short turns after the second', () => {
    const state = startCallerLanguage('en');
    expect(followCaller(state, 'quiero una mesa', '')).toBeNull();
    expect(followCaller(state, '¿cuánto es por persona con desayuno?', 'en')).toBe('es');
  });

  it('follows after two turns into a language that is mixed in', () => {
    const state = startCallerLanguage('hi');
    expect(followCaller(state, 'i want to change the booking that i have for tomorrow', '')).toBeNull();
    expect(followCaller(state, 'can you do it for the evening please', '')).toBe('en');
  });

  it('takes the word of the transcriber in the second turn', () => {
    const state = startCallerLanguage('en');
    expect(followCaller(state, 'dois quartos duplos', 'pt')).toBeNull();
    expect(followCaller(state, 'varanda grande mesmo', 'pt-BR')).toBe('pt');
  });

  it('stays for a short answer, its own language, and one without a file', () => {
    const state = startCallerLanguage('en');
    expect(followCaller(state, 'sí claro', 'es')).toBeNull();
    expect(followCaller(state, 'i would like to have the table for two', '')).toBeNull();
    expect(followCaller(state, 'vorrei prenotare un tavolo', 'it')).toBeNull();
    expect(followCaller(state, 'vorrei prenotare un tavolo', 'it')).toBeNull();
  });

  it('comes back to an own language without a file where the transcriber names it', () => {
    const state = startCallerLanguage('it');
    expect(followCaller(state, 'i would like to have the table for two please', '')).toBe('en');
    expect(followCaller(state, 'scusi ma parlo italiano', 'it')).toBeNull();
    expect(followCaller(state, 'vorrei prenotare un tavolo', 'it')).toBe('it');
  });
});
