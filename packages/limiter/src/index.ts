/**
 * Rate limits of an authorization server and of its sign-in, in one process or for all replicas together.
 *
 * @module
 */
export { type CallerCounter, callerCounter } from './caller-counter.ts'
export { type CreateCounter, countersInMemory, noCounters } from './counters.ts'
export { countersInRedis } from './counters-in-redis.ts'
export { rateLimiter } from './rate-limiter.ts'
export { type OnError, sharedCounters } from './shared-counters.ts'
export { type SignInLimits, signInLimits } from './sign-in-limits.ts'
