export type * from '../generated/operations.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type ListName,
  type OperationName,
  type RequestOptions,
} from './client.ts';
export { AntiphonApiError, AntiphonConnectionError, AntiphonTimeoutError, type ValidationItem } from './errors.ts';
export { type Delivery, verifyWebhook, WebhookSignatureError } from './webhooks.ts';
