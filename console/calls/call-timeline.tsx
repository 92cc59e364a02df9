import { eventLabel } from '../call-page/event-labels.ts';
import { duration } from '../call-page/turn-bars.ts';
import type { TimelineItem } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { lengthText, timeText } from '../ui/format.ts';

interface CallTimelineProps {
  events: readonly TimelineItem[];
  onSeek: ((seconds: number) => void) | undefined;
}

/** Everything that happened on the call; each event opens to all that is known of it. */
export function CallTimeline({ events, onSeek }: CallTimelineProps) {
  return (
    <section class="panel" aria-labelledby="timeline-title">
      <h2 id="timeline-title">{t('Timeline')}</h2>
      {events.length === 0 ? (
        <p class="quiet">{t('The events of the call appear here.')}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
        <ol class="timeline record-timeline" tabIndex={0} aria-labelledby="timeline-title">
          {events.map((item) => (
            <Event key={item.id} item={item} onSeek={onSeek} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Event({ item, onSeek }: { item: TimelineItem; onSeek: CallTimelineProps['onSeek'] }) {
  const { title, detail } = labelOf(item);
  const { offset_ms, level, message, data, latency_ms, created_at } = item;
  const seconds = offset_ms === null ? null : offset_ms / 1_000;
  const hasMore = Object.keys(data).length > 0 || message.length > detail.length;
  const heading = (
    <>
      <span class="event-title">
        {level !== 'info' && <span class="hidden-title">{level === 'error' ? t('Error') : t('Warning')}: </span>}
        {title}
      </span>
      {detail !== '' && <span class="event-detail">{detail}</span>}
    </>
  );
  return (
    <li data-level={level}>
      {seconds !== null && seconds >= 0 && onSeek ? (
        <button
          type="button"
          class="plain"
          aria-label={t('Play from {{at}}', { at: lengthText(seconds) })}
          onClick={() => onSeek(seconds)}
        >
          {lengthText(seconds)}
        </button>
      ) : (
        <time dateTime={created_at}>{seconds === null || seconds < 0 ? '–' : lengthText(seconds)}</time>
      )}
      {hasMore ? (
        <details class="event">
          <summary>{heading}</summary>
          {message !== '' && <p class="whole">{message}</p>}
          {Object.keys(data).length > 0 && <pre class="json">{JSON.stringify(data, null, 2)}</pre>}
          <p class="quiet">{timeText(created_at, Date.now())}</p>
        </details>
      ) : (
        <span class="event">{heading}</span>
      )}
      {latency_ms !== null && <span class="event-ms">{duration(latency_ms)}</span>}
    </li>
  );
}

/** As on the page of a running call, but of the caller and not of the person who reads. */
function labelOf(item: TimelineItem): { title: string; detail: string } {
  const label = eventLabel(item);
  switch (item.type) {
    case 'user.turn':
      return { ...label, title: t('Caller') };
    case 'interrupted':
      return { ...label, title: t('The caller talked over the agent') };
    case 'user.online_check':
      return { ...label, title: t('Asked whether the caller is there') };
    default:
      return label;
  }
}
