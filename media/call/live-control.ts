import type { CommandReply, LiveOrderRequest } from '../../shared/bus/messages.ts';
import { type LiveOrder, type LiveOrderResult, liveOrder, type OrderedBy } from '../../shared/live-control.ts';
import { createConverter } from '../audio/converter.ts';
import { dtmfSamples, isDtmfDigit } from '../audio/dtmf.ts';
import { type AudioFormat, LINE_RATE } from '../audio/format.ts';
import type { Leg } from '../leg/leg.ts';
import type { Reporter } from '../report/reporter.ts';
import type { AgentControl } from './agent-control.ts';
import type { Mutes } from './mutes.ts';
import type { Participants } from './participants.ts';

/** Carries out what is ordered in a live call, each order once, and puts it on the timeline. */
export type LiveControl = (request: LiveOrderRequest) => CommandReply;

export interface LiveControlOptions {
  agent: AgentControl;
  mutes: Pick<Mutes, 'set'>;
  participants: Pick<Participants, 'expect' | 'handBack'>;
  leg: Pick<Leg, 'carrier' | 'format' | 'pressKeys'>;
  /** Values of the prompt's `{variables}`, changed in place. */
  values: Record<string, string | number | boolean>;
  reporter: Pick<Reporter, 'report'>;
}

/** Results that are remembered, by the orders' ids. */
const MAX_REMEMBERED = 100;

export function createLiveControl({
  agent,
  mutes,
  participants,
  leg,
  values,
  reporter,
}: LiveControlOptions): LiveControl {
  const results = new Map<string, LiveOrderResult>();

  function carryOut(order: LiveOrder, { by, by_id }: OrderedBy): LiveOrderResult {
    switch (order.action) {
      case 'say':
        return agent.say(order.text, order.interrupt);
      case 'instruct':
        return agent.instruct(order.text);
      case 'set_variables':
        for (const [name, value] of Object.entries(order.values)) if (name !== '__proto__') values[name] = value;
        agent.onPromptChanged();
        return { done: true, detail: '' };
      case 'mute':
        return mutes.set(order);
      case 'press_keys':
        if (leg.carrier === 'browser') return { done: false, detail: 'a call from a browser takes no keys' };
        if (leg.pressKeys?.(order.digits)) return { done: true, detail: '' };
        return agent.playTones(tonesOf(order.digits, leg.format));
      case 'transfer':
        return agent.transfer(order);
      case 'hand_back':
        if (participants.handBack(order.note)) return { done: true, detail: '' };
        return { done: false, detail: 'nobody speaks to the caller in the place of the agent' };
      case 'expect_participant':
        return participants.expect({ ...order, by, by_id });
    }
  }

  return ({ order_id, by, by_id, order_json }) => {
    const known = results.get(order_id);
    if (known) return known;
    const order = readOrder(order_json);
    if (!order) return { done: false, detail: 'the engine does not know this order' };
    const result = carryOut(order, { by, by_id });
    results.set(order_id, result);
    if (results.size > MAX_REMEMBERED) results.delete(results.keys().next().value!);
    // Of participants the timeline has when they come and go.
    if (result.done && order.action !== 'expect_participant' && order.action !== 'hand_back') {
      const { message, facts } = describeOrder(order);
      reporter.report('call.control', message, { data: { action: order.action, ...facts, by, by_id } });
    }
    return result;
  };
}

function readOrder(json: string): LiveOrder | null {
  try {
    return liveOrder.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/** The keys as audio, for a carrier without a message for them. */
function tonesOf(digits: string, format: AudioFormat): Uint8Array {
  const samples = dtmfSamples([...digits].filter(isDtmfDigit));
  const converter = createConverter({ encoding: 'pcm16', sample_rate: LINE_RATE }, format);
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  return Buffer.concat([converter.convert(bytes).slice(), converter.flush()]);
}

/** For the timeline. */
function describeOrder(order: Exclude<LiveOrder, { action: 'expect_participant' | 'hand_back' }>): {
  message: string;
  facts: Record<string, unknown>;
} {
  switch (order.action) {
    case 'say':
      return { message: order.text, facts: { interrupt: order.interrupt } };
    case 'instruct':
      return { message: order.text, facts: {} };
    case 'set_variables': {
      const names = Object.keys(order.values);
      return { message: `changed ${names.join(', ')}`.slice(0, 500), facts: { names } };
    }
    case 'mute':
      return {
        message: `${order.side} ${order.muted ? 'muted' : 'unmuted'}`,
        facts: { side: order.side, muted: order.muted, ...(order.muted && { max_seconds: order.max_seconds }) },
      };
    case 'press_keys':
      return { message: `pressed ${order.digits}`, facts: { digits: order.digits } };
    case 'transfer': {
      const { target = '', number = '', reason } = order;
      return { message: `transfer to ${target || number}`, facts: { target, number, reason } };
    }
  }
}
