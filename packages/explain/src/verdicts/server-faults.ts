import type { VerdictTexts } from './verdict-text.ts'

const NOT_YOUR_APP = 'The server was at fault, not your app. Try again after the time in `Retry-After`.'

/** Faults of the server, its store or its configuration. */
export const SERVER_VERDICTS = {
  store_unavailable: {
    by: 'server',
    sentence: 'The server could not reach its store.',
    fix: 'Look at the store and at the network to it; the event `failed` has the cause.',
    toDeveloper: NOT_YOUR_APP,
  },
  contention: {
    by: 'server',
    sentence: 'Too many requests changed the same grant at once.',
    fix: 'If one app does this for long, it refreshes without waiting for answers. Otherwise it passes by itself.',
    toDeveloper: 'Let one process refresh at a time, and try again after the time in `Retry-After`.',
  },
  unexpected: {
    by: 'server',
    sentence: 'The server failed; the event `failed` has the cause.',
    fix: 'Look up the cause in the log at this time. It is a fault of the server, of a page, or of a callback of your code.',
    toDeveloper: 'The server was at fault, not your app. The operator has the details.',
  },
  claims_unavailable: {
    by: 'server',
    sentence: 'The server could not look up the user.',
    fix: 'Look at the source of the users: the callback `claims`, and the database behind it.',
    toDeveloper: NOT_YOUR_APP,
  },
  token_claims_unavailable: {
    by: 'server',
    sentence: 'The server could not look up the claims of the token.',
    fix: 'Look at the callback `tokenClaims`, and what it asks: it failed, or had no result within two seconds.',
    toDeveloper: NOT_YOUR_APP,
  },
  signing_key_unavailable: {
    by: 'server',
    sentence: 'The server has no key to sign with.',
    fix: 'Look at the source of the keys (`keys`, `KEYS_FILE`); the event `signing_keys_refused` has the cause.',
    toDeveloper: NOT_YOUR_APP,
    doctorCheck: 'keys',
  },
} as const satisfies VerdictTexts
