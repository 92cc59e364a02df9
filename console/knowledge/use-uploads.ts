import { ok } from '@oazapfts/runtime';
import { useQueryClient } from '@tanstack/preact-query';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { changeProblemText } from '../data/problem-text.ts';
import { uploadFetch } from '../data/requests.ts';
import { postKnowledgeBasesKbIdSourcesFile as postFile } from '../generated/api.ts';
import { fileError } from './knowledge-texts.ts';

export interface Upload {
  id: number;
  file: File;
  state: 'waiting' | 'sending' | 'failed';
  /** Sent of it, from 0 to 1. */
  share: number;
  /** Why it failed. */
  error: string;
}

interface Uploads {
  uploads: readonly Upload[];
  add: (files: readonly File[]) => void;
  again: (upload: Upload) => void;
  dismiss: (upload: Upload) => void;
}

/** Sends files to a knowledge base one after the other; those that arrived are among its sources and no longer here. */
export function useUploads(baseId: string): Uploads {
  const client = useQueryClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const lastId = useRef(0);
  const page = useRef(new AbortController());
  useEffect(() => () => page.current.abort(), []);

  const change = useCallback(
    (id: number, to: Partial<Upload>) =>
      setUploads((before) => before.map((each) => (each.id === id ? { ...each, ...to } : each))),
    [],
  );
  const dismiss = useCallback(({ id }: Upload) => setUploads((before) => before.filter((each) => each.id !== id)), []);

  const next = uploads.some(({ state }) => state === 'sending')
    ? undefined
    : uploads.find(({ state }) => state === 'waiting');
  useEffect(() => {
    if (!next) return;
    const { id, file } = next;
    const send = async () => {
      change(id, { state: 'sending', share: 0 });
      try {
        const progress = uploadFetch((share) => change(id, { share }));
        await ok(postFile(baseId, { file }, {}, { fetch: progress, signal: page.current.signal }));
        dismiss(next);
        await client.invalidateQueries({ queryKey: ['knowledge-base', baseId] });
        void client.invalidateQueries({ queryKey: ['knowledge-bases'] });
      } catch (error) {
        change(id, { state: 'failed', error: changeProblemText(error) });
      }
    };
    void send();
  }, [next?.id, baseId, change, dismiss, client]);

  const add = useCallback((files: readonly File[]) => {
    const added = files.map((file): Upload => {
      lastId.current += 1;
      const error = fileError(file);
      return { id: lastId.current, file, state: error === '' ? 'waiting' : 'failed', share: 0, error };
    });
    setUploads((before) => [...before, ...added]);
  }, []);
  const again = useCallback(({ id }: Upload) => change(id, { state: 'waiting', error: '' }), [change]);
  return { uploads, add, again, dismiss };
}
