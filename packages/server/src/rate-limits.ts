/**
 * Rate limits of an authorization server and of its sign-in, in one process or for all replicas together.
 *
 * @module
 */
export {
  type CreateCounter,
  countersInMemory,
  countersInRedis,
  noCounters,
  type OnError,
  sharedCounters,
} from './limits/counters.ts'
export {
  type CallerCounter,
  callerCounter,
  rateLimiter,
  type SignInLimits,
  signInLimits,
} from './limits/rate-limiter.ts'
