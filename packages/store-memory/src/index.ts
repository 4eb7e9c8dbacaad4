/**
 * The embedded store of Grantkit: records in the memory of one process.
 *
 * @module
 */
export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memory-store.ts'
