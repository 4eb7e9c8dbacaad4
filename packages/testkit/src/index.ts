/**
 * A client for the tests of your server, and vitest suites that test the promises of a store and of an adapter.
 *
 * @module
 */
export type { Answer, Approval, RegisteredClient, Tokens } from './client/answer.ts'
export { type Browser, type FormBrowserOptions, formBrowser, type UserAnswer } from './client/browser.ts'
export type { TestClientOptions } from './client/client-options.ts'
export type { ConnectionOptions, Endpoints } from './client/connection.ts'
export { type ConsentForm, formOfPage } from './client/consent-form.ts'
export { type Fields, formEncoded, type Overrides } from './client/fields.ts'
export { registerClient, testClient } from './client/register.ts'
export { type ClientRequest, inProcess, overFetch, type Send, type ServerUnderTest } from './client/send.ts'
export type { TestClient } from './client/test-client.ts'
export { describeAdapter, type Mount, type Mounted } from './describe-adapter.ts'
export {
  type CreateStore,
  type DescribeStoreOptions,
  describeStore,
  type StoreUnderTest,
} from './describe-store.ts'
export { aClient, aGrant, aTransient } from './sample-records.ts'
