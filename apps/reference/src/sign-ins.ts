/** A sign-in, as its user is shown it. */
export interface SignIn {
  /** Of the session that it began. */
  readonly sessionId: string
  /** Epoch seconds. */
  readonly at: number
  /** Where it came from, as far as the service can tell. */
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

/** In this process alone, until it stops: a help for the user who looks, and no audit log, which the events are. */
export function signInsInMemory(mostUsers = MOST_USERS): SignIns {
  const bySubject = new Map<string, readonly SignIn[]>()
  return {
    add(subject, signIn) {
      const earlier = bySubject.get(subject) ?? []
      // Put in anew, so that the first in the map is the user who has not signed in for longest.
      bySubject.delete(subject)
      bySubject.set(subject, [signIn, ...earlier].slice(0, PER_USER))
      const [longestAgo] = bySubject.keys()
      if (bySubject.size > mostUsers && longestAgo !== undefined) bySubject.delete(longestAgo)
    },
    list: (subject) => bySubject.get(subject) ?? [],
  }
}
