/** E.164: a plus, a country code, 7 to 15 digits in all. */
export const E164_PATTERN = /^\+[1-9][0-9]{6,14}$/;

/** Carriers leave the plus out or keep it; the record always has it. */
export function toE164(number: string): string {
  const digits = number.replace(/[^0-9]/g, '');
  return digits === '' ? '' : `+${digits}`;
}

/** For logs: country and the last two digits. */
export function maskNumber(number: string): string {
  return number.length < 6 ? '***' : `${number.slice(0, 3)}***${number.slice(-2)}`;
}
