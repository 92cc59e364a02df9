import { z } from 'zod';
import { isTimeZone } from '../../shared/time-zone.ts';

/** Fields of users, as requests carry them. */

/**
 * The common form of RFC 5321, section 4.1.2, in ASCII: systems disagree on the lower case of other letters. A domain in
 * another script is written in its `xn--` form.
 */
export const EMAIL_PATTERN = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;

/** Compared and stored in lower case. */
export const emailField = () => z.string().trim().max(200).regex(EMAIL_PATTERN).toLowerCase();
export const personName = () => z.string().trim().min(1).max(80);
export const newPassword = () => z.string().min(10).max(200);
/** Any text: an impossible password is simply a wrong one. */
export const givenPassword = () => z.string().max(1000);
export const zoneField = () => z.string().max(64).refine(isTimeZone, 'use an IANA name such as Asia/Kolkata or UTC');
