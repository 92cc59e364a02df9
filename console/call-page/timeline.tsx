import type { TimelineItem } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { callTimeOf, eventFields, eventLabel } from './event-labels.ts';
import { duration } from './turn-bars.ts';
import { useAutoScroll } from './use-auto-scroll.ts';

/** The call's timeline events, newest last. Each opens to show all that is known of it. */
export function Timeline({ events }: { events: readonly TimelineItem[] }) {
  const follow = useAutoScroll<HTMLOListElement>(events);
  const firstAt = events.find(({ type }) => type === 'call.started')?.created_at ?? events[0]?.created_at ?? '';
  return (
    <section class="panel" aria-labelledby="timeline-title">
      <div>
        <h2 id="timeline-title">{t('Timeline')}</h2>
        <p class="quiet small">
          {events.length === 0 ? t('The events of the call appear here.') : t('Times from the start of the call.')}
        </p>
      </div>
      {events.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
        <ol class="timeline" tabIndex={0} aria-labelledby="timeline-title" {...follow}>
          {events.map((item) => (
            <Event key={item.id} item={item} firstAt={firstAt} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Event({ item, firstAt }: { item: TimelineItem; firstAt: string }) {
  const { title, detail } = eventLabel(item);
  const fields = eventFields(item);
  const line = (
    <>
      <time dateTime={item.created_at}>{callTimeOf(item, firstAt)}</time>
      <span class="event">
        <span class="event-title">
          {item.level !== 'info' && (
            <span class="hidden-title">{item.level === 'error' ? t('Error:') : t('Warning:')} </span>
          )}
          {title}
        </span>
        {detail !== '' && <span class="event-detail">{detail}</span>}
      </span>
      {item.latency_ms !== null && <span class="event-ms">{duration(item.latency_ms)}</span>}
    </>
  );
  return (
    <li data-level={item.level}>
      {fields.length === 0 ? (
        <div class="event-line">{line}</div>
      ) : (
        <details>
          <summary class="event-line">{line}</summary>
          <dl class="event-fields">
            {fields.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </li>
  );
}
