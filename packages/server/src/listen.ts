/** For a service that listens with a framework of its own choice. */

export { listenForIssuers, listenOnHono } from './listen/hono.ts'
export type { Listen, Listening } from './listen/listening.ts'
export {
  arrivalTimes,
  draining,
  nodeListener,
  refuseUnreadable,
  rememberCallers,
  sendsHsts,
  setHeaders,
  setOnEach,
  spareDescriptors,
  standingHeaders,
} from './listen/listening.ts'
