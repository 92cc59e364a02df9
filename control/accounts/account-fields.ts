import { z } from 'zod';
import { isTimeZone } from '../../shared/time-zone.ts';

/** What people tell of themselves, as requests carry it. */

/**
 * The common form of RFC 5321, section 4.1.2, in ASCII: what other letters are small or the same is not agreed on everywhere.
 * A domain of other letters is written as its `xn--` form.
 */
export const EMAIL_PATTERN = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;

/** Compared and kept in lower case. */
export const emailField = () => z.string().trim().max(200).regex(EMAIL_PATTERN).toLowerCase();
export const personName = () => z.string().trim().min(1).max(80);
export const newPassword = () => z.string().min(10).max(200);
/** Any text: what no password can be is told as a wrong one. */
export const givenPassword = () => z.string().max(1000);
export const zoneField = () => z.string().max(64).refine(isTimeZone, 'use an IANA name such as Asia/Kolkata or UTC');
