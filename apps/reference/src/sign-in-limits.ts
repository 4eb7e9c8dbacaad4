import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** Slows down whoever guesses passwords, for one account and for the service as a whole. */
export interface SignInLimits {
  /** Counts an attempt; more than 0 means that it must not be made yet. */
  secondsToWait(email: string): Promise<number>
  /** A right password wipes the slate of its account. */
  forgive(email: string): Promise<void>
}

const PER_ACCOUNT = { points: 10, duration: 15 * 60 }
/** Password hashing is deliberately slow, so the sum of all attempts is bounded too. */
const PER_SERVICE = { points: 600, duration: 60 }

export function signInLimits(): SignInLimits {
  const accounts = new RateLimiterMemory({ keyPrefix: 'account', ...PER_ACCOUNT })
  const service = new RateLimiterMemory({ keyPrefix: 'service', ...PER_SERVICE })
  return {
    async secondsToWait(email) {
      return Math.max(await secondsUntilFree(accounts, keyOf(email)), await secondsUntilFree(service, 'all'))
    },
    async forgive(email) {
      await accounts.delete(keyOf(email))
    },
  }
}

async function secondsUntilFree(limiter: RateLimiterMemory, key: string): Promise<number> {
  try {
    await limiter.consume(key)
    return 0
  } catch (full) {
    if (full instanceof RateLimiterRes) return Math.ceil(full.msBeforeNext / 1000)
    throw full
  }
}

function keyOf(email: string): string {
  return email.trim().toLowerCase()
}
