import { ar } from './ar.ts';
import { bn } from './bn.ts';
import { de } from './de.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { mr } from './mr.ts';
import { pt } from './pt.ts';
import type { SpokenForms } from './spoken-forms.ts';
import { ta } from './ta.ts';
import { te } from './te.ts';

/** By code: the languages whose spoken form is data. English and Hindi have rules of their own in `media/reply/`. */
export const SPOKEN_FORMS: Readonly<Record<string, SpokenForms>> = { ar, bn, de, es, fr, mr, pt, ta, te };
