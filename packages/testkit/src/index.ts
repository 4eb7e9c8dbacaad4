/**
 * A client for the tests of your server; and the promises of a store and of an adapter, as vitest suites.
 *
 * @module
 */
export type { ConsentForm } from './client/consent-form.ts'
export { testClient } from './client/register.ts'
export type {
  Answer,
  Approval,
  RegisteredClient,
  TestClient,
  TestClientOptions,
  Tokens,
} from './client/test-client.ts'
export { describeAdapter, type Mount, type Mounted } from './describe-adapter.ts'
export {
  type CreateStore,
  type DescribeStoreOptions,
  describeStore,
  type StoreUnderTest,
} from './describe-store.ts'
export { aClient, aGrant, aTransient } from './sample-records.ts'
