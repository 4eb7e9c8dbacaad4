/**
 * Whether this is a Cloudflare Worker. There no timer, no connection and no randomness outlives a request, and none exists when a
 * module is loaded.
 */
export const IN_WORKER: boolean =
  (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent === 'Cloudflare-Workers'
