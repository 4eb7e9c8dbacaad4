/**
 * The fetch of a document whose address a stranger chose, for Node.
 *
 * @module
 */
export type { SafeFetchOptions, UnsafeForTests } from './options.ts'
export { safeFetch } from './safe-fetch.ts'
