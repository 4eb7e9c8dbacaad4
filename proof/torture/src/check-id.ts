/** The checks of the kit, by the names that `--only`, the report and a history use. */
export const CHECK_IDS = [
  'code-twice',
  'refresh-twice',
  'replay-contained',
  'same-second',
  'lost-answer',
  'lost-code-answer',
  'refresh-vs-revoke',
  'redeem-vs-deny',
  'after-revoke',
  'after-logout',
  'after-replay',
  'neighbours',
  'other-client',
  'other-key',
  'never-more',
  'expired-code',
  'expired-token',
  'device-twice',
  'exchange-outlives',
  'crash',
  'clock',
  'replicas',
  'quiet',
] as const

export type CheckId = (typeof CHECK_IDS)[number]
