import type { UpstreamReason } from './upstream/refusal.ts'

/** A sign-in, for the operator to log or count. `subject` is absent if nobody has what was presented. */
export type SignInEvent =
  | { readonly type: 'sign_in_succeeded'; readonly subject: string }
  | {
      readonly type: 'sign_in_failed'
      readonly reason: 'wrong_password' | 'wrong_passkey' | 'too_many_attempts' | `provider_${UpstreamReason}`
      readonly subject: string | undefined
      /** The id of the OpenID provider, and what it said. */
      readonly provider?: string
      readonly detail?: string
    }
  | { readonly type: 'passkey_added' | 'passkey_removed'; readonly subject: string; readonly passkey: string }
  | {
      readonly type: 'identity_linked' | 'identity_removed'
      readonly subject: string
      readonly issuer: string
    }

/** A sign-in, as shown to its user. */
export interface SignIn {
  /** The id of the session it started. */
  readonly sessionId: string
  /** Epoch seconds. */
  readonly at: number
  /** The IP address, if known. */
  readonly address?: string | undefined
}

/** The last few sign-ins of each user. */
export interface SignIns {
  add(subject: string, signIn: SignIn): void
  /** The newest first. */
  list(subject: string): readonly SignIn[]
}

const PER_USER = 5
const MOST_USERS = 10_000

/** Kept in this process only. It helps users to notice strangers; it is no audit log, which the events are. */
export function signInsInMemory(mostUsers = MOST_USERS): SignIns {
  const bySubject = new Map<string, readonly SignIn[]>()
  return {
    add(subject, signIn) {
      const earlier = bySubject.get(subject) ?? []
      // Inserted again, so that the first entry is the user with the oldest sign-in.
      bySubject.delete(subject)
      bySubject.set(subject, [signIn, ...earlier].slice(0, PER_USER))
      const [longestAgo] = bySubject.keys()
      if (bySubject.size > mostUsers && longestAgo !== undefined) bySubject.delete(longestAgo)
    },
    list: (subject) => bySubject.get(subject) ?? [],
  }
}
