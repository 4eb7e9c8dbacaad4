/**
 * The promises of a Grantkit store and of an adapter, as vitest suites that anyone can call.
 *
 * @module
 */
export { describeAdapter, type Mount, type Mounted } from './describe-adapter.ts'
export {
  type CreateStore,
  type DescribeStoreOptions,
  describeStore,
  type StoreUnderTest,
} from './describe-store.ts'
export { aClient, aGrant } from './sample-records.ts'
