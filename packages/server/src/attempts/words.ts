import type { Compared, Party, StepEvent, StepName } from '@grantkit/explain'
import type { FoundAttempt } from './attempt-reader.ts'

/** The words of pages and commands for the steps of a sign-in attempt, and for who can remove a fault. */

export const STEP_WORDS: Readonly<Record<StepName, string>> = {
  registered: 'The app registered itself',
  requested: 'The app requested access',
  client_found: 'The client was found',
  request_refused: 'The request was refused',
  sign_in_shown: 'The user saw the sign-in page',
  signed_in: 'The user was signed in',
  consent_shown: 'The user saw the consent page',
  allowed: 'The user allowed access',
  denied: 'The user denied access',
  expired: 'The consent page had expired',
  sent_back: 'The user was sent back to the app with a code',
  code_redeemed: 'The app got its first tokens',
  refreshed: 'The app refreshed its tokens',
  first_call: 'The app called the API',
  ended: 'The grant ended',
}

/** The same for a step that was tried. */
export const TRIED_WORDS: Readonly<Partial<Record<StepName, string>>> = {
  registered: 'The app tried to register itself',
  client_found: 'The client was looked up',
  signed_in: 'The user tried to sign in',
  allowed: 'The user answered the consent page',
  sent_back: 'The app was to get its answer',
  code_redeemed: 'The app tried to redeem the code',
  refreshed: 'The app tried to refresh its tokens',
}

export const PARTY_WORDS: Readonly<Record<Party, string>> = {
  app: 'the app',
  operator: 'the operator of this service',
  user: 'the user',
  network: 'the network between them',
  server: 'this service',
  none: 'none: there is no fault',
}

/** Where an attempt was found, if it has no rows. */
export const KEPT_WORDS: Readonly<Partial<Record<FoundAttempt['keptIn'], string>>> = {
  memory: 'Only this process has seen this sign-in, and keeps it in memory for a while.',
}

/** What the app sent, of the facts of a verdict. The others are of this server, or of other callers. */
export function sentValues(compared: readonly Compared[]): readonly Compared[] {
  return compared.filter(({ label }) => label.endsWith(' sent') || label.endsWith(' requested'))
}

/** The time between two steps: `+12 s`. */
export function since(before: Pick<StepEvent, 'at'> | undefined, step: Pick<StepEvent, 'at'>): string {
  if (before === undefined) return ''
  const seconds = step.at - before.at
  if (seconds < 120) return `+${seconds} s`
  return seconds < 7200 ? `+${Math.round(seconds / 60)} min` : `+${Math.round(seconds / 3600)} h`
}
