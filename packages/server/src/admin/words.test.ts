import { ERRORS } from '@grantkit/core/errors'
import { expect, it } from 'vitest'
import { eventWords, type SignInReason } from '../events.ts'
import { factWords, reasonWords } from './words.ts'

it('has different words for each reason of a refusal', () => {
  const reasons = new Map<string, string>()
  for (const reason of Object.keys(ERRORS)) {
    expect(reasons.get(reasonWords(reason)), reason).toBeUndefined()
    reasons.set(reasonWords(reason), reason)
  }
})

/** Complete, or a type error. */
const SIGN_IN_REASONS = Object.keys({
  wrong_password: true,
  wrong_passkey: true,
  passkey_required: true,
  passkey_missing: true,
  not_connected: true,
  too_many_attempts: true,
  provider_denied: true,
  unreachable: true,
  client_rejected: true,
  response_invalid: true,
  state_expired: true,
  not_fresh: true,
  too_long: true,
  account_disabled: true,
  sign_up_off: true,
  email_missing: true,
  email_unverified: true,
  domain_not_allowed: true,
  tenant_not_allowed: true,
  group_missing: true,
  groups_overage: true,
  email_in_use: true,
  identity_in_use: true,
  admin_refused: true,
  application_denied: true,
  application_invalid: true,
  application_unreachable: true,
  application_expired: true,
  application_not_fresh: true,
  application_too_long: true,
  application_account_disabled: true,
  application_account_removed: true,
  application_account_taken: true,
} satisfies Record<SignInReason, true>)

it.each(SIGN_IN_REASONS)('has words of its own for a sign-in that failed with %s', (reason) => {
  const others = [...SIGN_IN_REASONS, ...Object.keys(ERRORS)].filter((other) => other !== reason)
  expect(others.map(reasonWords)).not.toContain(reasonWords(reason))
  expect(reasonWords(reason)).toMatch(/^[A-Z][^_]+$/)
})

it('has words for what it does not know', () => {
  expect([eventWords('order_placed'), reasonWords('no_order'), factWords('orderId')]).toEqual([
    'order placed',
    'no order',
    'order id',
  ])
  expect(eventWords('toString')).toBe('tostring')
})
