import { expect, it } from 'vitest';
import {
  openSessionReplyCodec,
  type SearchKnowledgeReply,
  searchKnowledgeReplyCodec,
  searchKnowledgeRequestCodec,
} from '../../../shared/bus/messages.ts';

it('a search and its answer come back as they were', () => {
  const request = { call_id: 'c', query: 'कमरे का किराया?', limit: 4, within_ms: 400 };
  expect(searchKnowledgeRequestCodec.decode(searchKnowledgeRequestCodec.encode(request))).toEqual(request);
  const passage = { source: 'किराया', text: 'तीन हज़ार', score: 0.725, keyword_match: true };
  const bare = { source: '', text: '', score: 0, keyword_match: false };
  for (const passages of [[], [passage, bare]]) {
    const reply: SearchKnowledgeReply = { error: '', passages, hits: 9, embed_ms: 12.5, search_ms: 3 };
    expect(searchKnowledgeReplyCodec.decode(searchKnowledgeReplyCodec.encode(reply))).toEqual(reply);
  }
});

it('a session carries what the agent knows, or that it is searched, or nothing', () => {
  const session = {
    ...{ call_id: 'c', workspace_id: 'w', agent_id: 'a', direction: 'inbound', channel: 'phone' },
    ...{
      from_number: '',
      to_number: '',
      agent_json: '{}',
      user_data_json: '{}',
      max_duration_seconds: 600,
      llm_fallbacks: [],
    },
  };
  for (const knowledge of [
    { text: 'Open at nine.', search: false },
    { text: '', search: true },
  ]) {
    const back = openSessionReplyCodec.decode(
      openSessionReplyCodec.encode({ refused: '', session: { ...session, knowledge } }),
    );
    expect(back.session?.knowledge).toEqual(knowledge);
  }
  const without = openSessionReplyCodec.decode(openSessionReplyCodec.encode({ refused: '', session }));
  expect(without.session?.knowledge).toBeUndefined();
});
