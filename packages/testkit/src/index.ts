/**
 * Vitest suites that test the promises of a store and of an adapter, and records for tests. The client for the tests of your
 * server is `@grantkit/testkit/client`.
 *
 * @module
 */
export { describeAdapter, type Mounted } from './describe-adapter.ts'
export { describeStore } from './describe-store.ts'
export { aClient, aGrant, aTransient } from './sample-records.ts'
