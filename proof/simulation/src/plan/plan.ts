/** What an app, its user or a thief does next. */
export const ACTS = [
  'refresh',
  'use',
  'introspect',
  'exchange',
  'useExchanged',
  'revokeAccess',
  'revoke',
  /** A refresh and a revocation at once. */
  'raceRevoke',
  'endByUser',
  /** The user ends all grants, those of other apps too. */
  'signOutEverywhere',
  /** A refresh and that at once. */
  'raceSignOut',
  'stealRefresh',
  'thiefRefreshes',
  /** The thief comes back after the retry window, with a token that was used long ago. */
  'thiefReturns',
] as const

export type Act = (typeof ACTS)[number]

export interface Action {
  readonly act: Act
  /** Milliseconds before it. */
  readonly wait: number
  /** Which of the processes that share the tokens. */
  readonly process: 0 | 1
}

/** How the code of an app is used. `late`: after it has expired. */
export const CODE_USES = [
  'once',
  'twice',
  'late',
  'stolen',
  'stolenAfter',
  'deniedBefore',
  'deniedMeanwhile',
] as const

/** How an app on a device gets its tokens. `deviceTwice`: two processes poll. */
export const DEVICE_USES = ['device', 'deviceTwice', 'deviceDenied', 'deviceDeniedMeanwhile'] as const

export type CodeUse = (typeof CODE_USES)[number]
export type DeviceUse = (typeof DEVICE_USES)[number]

export function isOfDevice(use: CodeUse | DeviceUse): use is DeviceUse {
  return DEVICE_USES.some((name) => name === use)
}

export interface AppPlan {
  /** Of everything that is drawn for this app. */
  readonly seed: number
  readonly startsAt: number
  /** It also asks for an ID token, which is signed outside of virtual time. Default: no. */
  readonly openid?: boolean
  readonly redemption: CodeUse | DeviceUse
  readonly actions: readonly Action[]
}

/** What happens to a replica, or to the store. Times are milliseconds from the start. */
export type Incident =
  /** All that a replica was doing stops between two steps; it starts again. */
  | { readonly kind: 'crash'; readonly at: number; readonly replica: number; readonly downMs: number }
  | { readonly kind: 'clockJump'; readonly at: number; readonly replica: number; readonly byMs: number }
  /** The store answers nobody for a time. */
  | { readonly kind: 'freeze'; readonly at: number; readonly forMs: number }
  /** A replica of the store takes over that has not got the last writes. */
  | { readonly kind: 'failover'; readonly at: number; readonly lostMs: number }

/** Probabilities, of each step of the store or each request. */
export interface FaultRates {
  readonly rejectedBefore: number
  readonly rejectedAfter: number
  readonly appliedTwice: number
  readonly requestLost: number
  readonly answerLost: number
  readonly duplicated: number
}

/** A whole run. The same plan always gives the same history. */
export interface Plan {
  /** Of everything that is drawn during the run. */
  readonly seed: number
  readonly store: 'memory' | 'sqlite'
  /** How far the clock of each replica is ahead, in milliseconds. */
  readonly clocks: readonly number[]
  readonly apps: readonly AppPlan[]
  readonly rates: FaultRates
  /** The most that a message or a step of the store takes, in milliseconds. */
  readonly networkMs: number
  readonly storeMs: number
  /** The guard of the API reads from a replica of the store that is so far behind, in milliseconds. */
  readonly guardLagMs: number
  readonly incidents: readonly Incident[]
}

/** Two clocks differ by less than this, in seconds. */
export const MAX_SKEW_SECONDS = 4
export const MAX_OFFSET_MS = 1900
