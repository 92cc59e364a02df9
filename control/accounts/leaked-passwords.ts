import { dictionary } from '@zxcvbn-ts/language-common';

/**
 * The 49,000 passwords that are most frequent in leaks, in lower case; they ship with the package, which unpacks them for a tenth of a second.
 * Its estimate of guesses is not used: it takes up to half a second of the event loop where a look at the list takes a tenth of a
 * millisecond at most.
 */
export const LEAKED: ReadonlySet<string> = new Set(dictionary['passwords-common']);
