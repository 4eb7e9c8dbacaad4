/** For a service that listens with a framework of its own choice. */
export { rememberCallers } from './listen/callers.ts'
export { draining } from './listen/draining.ts'
export { listenOnHono } from './listen/hono.ts'
export type { Listen, Listening } from './listen/listening.ts'
export { nodeListener } from './listen/node-listener.ts'
export { arrivalTimes, spareDescriptors } from './listen/slow-requests.ts'
export { sendsHsts, setHeaders, setOnEach, standingHeaders } from './listen/standing-headers.ts'
export { refuseUnreadable } from './listen/unreadable.ts'
