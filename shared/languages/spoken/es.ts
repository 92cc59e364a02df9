import type { SpokenForms } from './spoken-forms.ts';

export const es: SpokenForms = {
  decimal: ',',
  counting: 'western',
  hundreds:
    'cien, doscientos, trescientos, cuatrocientos, quinientos, seiscientos, setecientos, ochocientos, novecientos',
  hundreds_before:
    'ciento, doscientos, trescientos, cuatrocientos, quinientos, seiscientos, setecientos, ochocientos, novecientos',
  scales: [
    { zeros: 12, one: 'un billón', many: ' billones' },
    { zeros: 6, one: 'un millón', many: ' millones' },
    { zeros: 3, one: 'mil', many: ' mil' },
  ],
  before_noun: {
    millones: 'millones de',
    millón: 'millón de',
    billones: 'billones de',
    veintiuno: 'veintiún',
    uno: 'un',
  },
  minus: 'menos',
  plus: 'más',
  point: 'coma',
  percent: 'por ciento',
  number: 'número',
  about: 'unos',
  and: 'y',
  range: '{from} a {to}',
  out_of: '{part} de {whole}',
  signs: 'arroba, punto, guion, guion bajo, más, barra',
  months: 'enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre, octubre, noviembre, diciembre',
  days: 'primero',
  date: '{day} de {month} de {year}',
  date_without_year: '{day} de {month}',
  month_and_year: '{month} de {year}',
  time: {
    clock: 24,
    hours:
      'cero, una, dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, once, doce, trece, catorce, quince, dieciséis, diecisiete, dieciocho, diecinueve, veinte, veintiuna, veintidós, veintitrés',
    whole: '{hour} en punto',
    minutes: '{hour} y {minute}',
    half: '{hour} y media',
    range: '{from} a {to}',
  },
  currencies: {
    '€': 'euro, euros, céntimo, céntimos',
    $: 'dólar, dólares, centavo, centavos',
    MXN: 'peso, pesos, centavo, centavos',
    '£': 'libra, libras, penique, peniques',
    '₹': 'rupia, rupias, paisa, paisas',
  },
  hundredths_joint: 'con',
  units:
    'kilómetro/kilómetros, metro/metros, centímetro/centímetros, kilo/kilos, gramo/gramos, litro/litros, mililitro/mililitros, minuto/minutos, hora/horas, segundo/segundos, gigabyte/gigabytes, megabyte/megabytes, grado/grados',
  written_scales: 'mil: mil, millones: millones, k: mil',
  per: 'mes, año, día, noche, hora, persona, semana, kg: kilo',
  each: 'por',
  fractions: 'medio, un tercio, dos tercios, un cuarto, tres cuartos, veinticuatro horas los siete días',
  before_digits: 'código, pin, número, clave, id, referencia, expediente, extensión, terminada en',
  before_year: 'en, desde, año, de, del, hasta',
};
