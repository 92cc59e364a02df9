import type { TimelineItem } from '../api-records.ts';
import { callTimeOf, eventLabel } from './event-labels.ts';
import { duration } from './turn-bars.ts';
import { useAutoScroll } from './use-auto-scroll.ts';

/** The call's timeline events, newest last. */
export function Timeline({ events }: { events: readonly TimelineItem[] }) {
  const follow = useAutoScroll<HTMLOListElement>(events);
  const firstAt = events.find(({ type }) => type === 'call.started')?.created_at ?? events[0]?.created_at ?? '';
  return (
    <section class="panel" aria-labelledby="timeline-title">
      <h2 id="timeline-title">Timeline</h2>
      {events.length === 0 ? (
        <p class="quiet">The events of the call appear here.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
        <ol class="timeline" tabIndex={0} aria-labelledby="timeline-title" {...follow}>
          {events.map((item) => {
            const { title, detail } = eventLabel(item);
            return (
              <li key={item.id} data-level={item.level}>
                <time dateTime={item.created_at}>{callTimeOf(item, firstAt)}</time>
                <span class="event">
                  <span class="event-title">
                    {item.level !== 'info' && <span class="hidden-title">{item.level}: </span>}
                    {title}
                  </span>
                  {detail !== '' && <span class="event-detail">{detail}</span>}
                </span>
                {item.latency_ms !== null && <span class="event-ms">{duration(item.latency_ms)}</span>}
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}
