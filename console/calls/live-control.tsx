import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { sentence } from '../data/field-errors.ts';
import { changeProblemText } from '../data/problem-text.ts';
import {
  type Call,
  postCallsCallIdHandBack as handBack,
  postCallsCallIdInstructions as instruct,
  postCallsCallIdMute as mute,
  postCallsCallIdDtmf as pressKeys,
  postCallsCallIdSay as say,
  postCallsCallIdVariables as setVariables,
  type TimelineItem,
  postCallsCallIdTransfer as transfer,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { CheckField, TextArea, TextField } from '../ui/fields.tsx';
import { toast } from '../ui/toasts.tsx';
import { LiveAudioButtons } from './live-audio.tsx';

interface LiveControlProps {
  call: Call;
  events: readonly TimelineItem[];
}

/** What a person can do in a call that goes on: with the agent's words, its prompt, and who is heard. */
export function LiveControl({ call, events }: LiveControlProps) {
  const order = useOrder(call.id);
  const send = (run: Parameters<typeof order.mutate>[0]) => !order.isPending && order.mutate(run);
  return (
    <section class="panel live-control" aria-labelledby="live-title">
      <h2 id="live-title">{t('Live control')}</h2>
      <LiveAudioButtons
        callId={call.id}
        isTaken={isTaken(events)}
        onHandBack={() => send({ run: (idempotencyKey) => ok(handBack(call.id, {}, { idempotencyKey })) })}
      />
      <Mutes {...{ call, events, send }} busy={order.isPending} />
      <Words {...{ call, send }} busy={order.isPending} />
      <Variable {...{ call, send }} busy={order.isPending} />
      {call.channel === 'phone' && <Keys {...{ call, send }} busy={order.isPending} />}
      {call.channel === 'phone' && <Transfer {...{ call, send }} busy={order.isPending} />}
    </section>
  );
}

interface PartProps {
  call: Call;
  busy: boolean;
  /** Sends an order; one at a time. */
  send: (order: Order) => void;
}

interface Order {
  run: (idempotencyKey: string) => Promise<{ detail: string }>;
  onDone?: () => void;
}

/** One click is one order: its key goes with it, also when it is sent again. */
function useOrder(callId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ run }: Order) => run(crypto.randomUUID()),
    onSuccess: ({ detail }, { onDone }) => {
      toast(detail === '' ? t('Done.') : sentence(detail));
      onDone?.();
    },
    onError: (error: Error) => toast(changeProblemText(error), { tone: 'error' }),
    onSettled: () => client.invalidateQueries({ queryKey: ['call-events', callId] }),
  });
}

function Mutes({ call, events, send, busy }: PartProps & { events: readonly TimelineItem[] }) {
  const sides = [
    { side: 'agent', mute: t('Mute the agent'), unmute: t('Unmute the agent') },
    { side: 'caller', mute: t('Mute the caller'), unmute: t('Unmute the caller') },
  ] as const;
  return (
    <div class="buttons">
      {sides.map(({ side, mute: onText, unmute: offText }) => {
        const muted = isMuted(events, side);
        const run = (idempotencyKey: string) => ok(mute(call.id, { side, muted: !muted }, { idempotencyKey }));
        return (
          <button key={side} type="button" class="secondary" aria-disabled={busy} onClick={() => send({ run })}>
            {muted ? offText : onText}
          </button>
        );
      })}
    </div>
  );
}

/** Whether somebody speaks to the caller, as the timeline has it: one at a time. */
export function isTaken(events: readonly TimelineItem[]): boolean {
  const last = events.findLast(
    ({ type, data }) => type === 'call.control' && (data.mode === 'take_over' || data.mode === 'join'),
  );
  return last !== undefined && last.data.action !== 'leave';
}

/** As the timeline has it. */
export function isMuted(events: readonly TimelineItem[], side: 'agent' | 'caller'): boolean {
  // The agent may speak again once a person who took over has left.
  const last = events.findLast(
    ({ type, data: { action, mode, side: muted } }) =>
      type === 'call.control' &&
      ((action === 'mute' && muted === side) || (side === 'agent' && action === 'leave' && mode === 'take_over')),
  );
  return last?.data.muted === true;
}

function Words({ call, send, busy }: PartProps) {
  const [text, setText] = useState('');
  const [interrupt, setInterrupt] = useState(false);
  const blocked = busy || text.trim() === '';
  const onDone = () => setText('');
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (blocked) return;
        send({ run: (idempotencyKey) => ok(say(call.id, { text, interrupt }, { idempotencyKey })), onDone });
      }}
    >
      <TextArea label={t('Text for the agent')} rows={2} maxLength={1_000} value={text} onChange={setText} />
      <CheckField label={t('Interrupt the agent')} checked={interrupt} onChange={setInterrupt} />
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled={blocked}>
          {t('Say it to the caller')}
        </button>
        <button
          type="button"
          class="secondary"
          aria-disabled={blocked}
          onClick={() => {
            if (blocked) return;
            send({ run: (idempotencyKey) => ok(instruct(call.id, { text }, { idempotencyKey })), onDone });
          }}
        >
          {t('Add it to the prompt')}
        </button>
      </div>
    </form>
  );
}

function Variable({ call, send, busy }: PartProps) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const blocked = busy || name.trim() === '';
  return (
    <form
      class="form live-variable"
      onSubmit={(event) => {
        event.preventDefault();
        if (blocked) return;
        const values = { [name.trim()]: value };
        send({ run: (idempotencyKey) => ok(setVariables(call.id, { values }, { idempotencyKey })) });
      }}
    >
      <TextField label={t('Variable')} maxLength={64} value={name} onChange={setName} />
      <TextField label={t('Value')} maxLength={2_000} value={value} onChange={setValue} />
      <button type="submit" class="secondary" aria-disabled={blocked}>
        {t('Set')}
      </button>
    </form>
  );
}

function Keys({ call, send, busy }: PartProps) {
  const [digits, setDigits] = useState('');
  const blocked = busy || !/^[0-9*#]{1,32}$/.test(digits);
  return (
    <form
      class="form live-row"
      onSubmit={(event) => {
        event.preventDefault();
        if (blocked) return;
        const run = (idempotencyKey: string) => ok(pressKeys(call.id, { digits }, { idempotencyKey }));
        send({ run, onDone: () => setDigits('') });
      }}
    >
      <TextField label={t('Keys to press')} type="tel" maxLength={32} value={digits} onChange={setDigits} />
      <button type="submit" class="secondary" aria-disabled={blocked}>
        {t('Press')}
      </button>
    </form>
  );
}

function Transfer({ call, send, busy }: PartProps) {
  const [to, setTo] = useState('');
  const [asking, setAsking] = useState(false);
  const blocked = busy || to.trim() === '';
  const given = to.trim();
  const body = given.startsWith('+') ? { number: given.replace(/[\s().-]/g, '') } : { target: given };
  return (
    <form
      class="form live-row"
      onSubmit={(event) => {
        event.preventDefault();
        if (!blocked) setAsking(true);
      }}
    >
      <TextField
        label={t('Transfer to')}
        hint={t('A target of the agent by name, or a number with its country code.')}
        maxLength={60}
        value={to}
        onChange={setTo}
      />
      <button type="submit" class="secondary" aria-disabled={blocked}>
        {t('Transfer')}
      </button>
      {asking && (
        <ConfirmDialog
          title={t('Transfer the caller to {{person}}?', { person: given })}
          action={t('Transfer')}
          onConfirm={() => {
            setAsking(false);
            send({ run: (idempotencyKey) => ok(transfer(call.id, body, { idempotencyKey })), onDone: () => setTo('') });
          }}
          onClose={() => setAsking(false)}
        >
          {t('The agent leaves the call as soon as the person has answered.')}
        </ConfirmDialog>
      )}
    </form>
  );
}
