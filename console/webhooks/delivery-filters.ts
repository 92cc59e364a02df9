import type { getWebhooksDeliveries } from '../generated/api.ts';
import { DELIVERY_STATUSES } from './webhook-texts.ts';

/** The filters of the list of deliveries, as they stand in the page's address and as the API takes them. */
export type DeliveryFilters = Omit<
  NonNullable<Parameters<typeof getWebhooksDeliveries>[0]>,
  'limit' | 'skip' | 'timezone'
>;
type DeliveredType = NonNullable<DeliveryFilters['eventType']>[number];

const ENDPOINT = /^(?:we_[a-f0-9]{32}|agent|campaign)$/;
const CALL = /^[a-f0-9]{32}$/;

/** Reads the filters from the address; what is none is left out, so that an old link still opens. */
export function deliveryFiltersIn(
  { endpoint, event, status, call }: Readonly<Record<string, string>>,
  types: readonly string[],
): DeliveryFilters {
  const wanted = DELIVERY_STATUSES.find((each) => each === status);
  return {
    ...(endpoint && ENDPOINT.test(endpoint) && { endpointId: endpoint }),
    ...(event && types.includes(event) && { eventType: [event as DeliveredType] }),
    ...(wanted && { status: [wanted] }),
    ...(call && CALL.test(call) && { callId: call }),
  };
}
