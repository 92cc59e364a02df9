import { expect, test } from 'vitest';
import { type CannedPromptsOptions, createCannedPrompts } from '../../../media/call/canned-prompts.ts';
import { repromptText } from '../../../shared/reply/reprompt-text.ts';

const END = { hangup_by: 'agent', hangup_reason: 'hang-up prompt' } as const;

function prompts(texts: { welcome?: string; online?: string; goodbye?: string }) {
  const done: unknown[] = [];
  const agent = {
    welcome_message: texts.welcome ?? '',
    call: { user_online_message: texts.online ?? '', hangup_message: texts.goodbye ?? '' },
  } as CannedPromptsOptions['agent'];
  const history = [
    { role: 'agent' as const, text: 'Wann?', interrupted: false },
    { role: 'agent' as const, text: '', interrupted: false },
    { role: 'user' as const, text: 'eight', interrupted: false },
  ];
  const said = createCannedPrompts(
    { agent, values: { name: 'Asha' }, language: 'de' },
    { history, report: (type, message) => void done.push([type, message]) },
    { say: (kind, text, end) => void done.push([kind, text, ...(end ? [end] : [])]) },
  );
  return { said, done };
}

test('the texts have their variables filled in, and are on the timeline', () => {
  const { said, done } = prompts({ welcome: 'Hello {name}. ', online: '{name}?', goodbye: 'Bye {name}' });
  said.welcome();
  said.onlineCheck();
  expect(said.goodbye(END)).toBe(true);
  expect(done).toEqual([
    ['welcome', 'Hello Asha.'],
    ['welcome', 'Hello Asha.'],
    ['user.online_check', 'Asha?'],
    ['online_check', 'Asha?'],
    ['goodbye', 'Bye Asha', END],
  ]);
});

test('what has no text is not said', () => {
  const { said, done } = prompts({ welcome: ' ' });
  said.welcome();
  said.onlineCheck();
  expect(said.goodbye(END)).toBe(false);
  expect(done).toEqual([]);
});

test('the caller is asked again in the language of what the agent said last', () => {
  const { said, done } = prompts({});
  said.reprompt();
  expect(done).toEqual([['reprompt', repromptText('de', 'Wann?')]]);
});
