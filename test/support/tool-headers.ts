import { createSecretBox } from '../../control/db/secret-box.ts';
import { createToolHeaders } from '../../control/tools/seal-tool-headers.ts';

/** Seals header values with a key of the tests. */
export const toolHeaders = createToolHeaders(createSecretBox(['a key of the tests']));
