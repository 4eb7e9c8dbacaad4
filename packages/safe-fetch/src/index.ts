/**
 * The fetch of a document whose URL a client provides, for Node.
 *
 * @module
 */
export type { SafeFetchOptions, UnsafeForTests } from './options.ts'
export { safeFetch, safePost } from './safe-fetch.ts'
