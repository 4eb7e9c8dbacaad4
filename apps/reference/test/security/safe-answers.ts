import { expect } from 'vitest'
import type { Bench } from './bench.ts'
import type { Answer } from './wire.ts'

/** The only safe answers to a bad request, each as one expectation. `about` says which request it was. */

/** The error body of RFC 6749 5.2; `error_description` ends with the reference of the sign-in attempt, if there is one. */
export function expectError(answer: Answer, error: string, about: string, status: number): void {
  expect(answer.status, `${about} ${answer.body}`).toBe(status)
  expect(answer.header('content-type'), about).toBe('application/json')
  expect(answer.header('cache-control'), about).toBe('no-store')
  const { reference, error_description, ...rest } = answer.json()
  expect(rest, about).toEqual({ error })
  expect(error_description, about).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  if (reference !== undefined)
    expect(error_description, about).toMatch(new RegExp(` \\(ref ${reference}\\)$`))
}

/** 401 with the challenge of RFC 6750 3.1 and RFC 9728 5.1; never quietly anonymous. */
export function expectInvalidToken(bench: Bench, answer: Answer, about = ''): void {
  expectError(answer, 'invalid_token', about, 401)
  const challenge = answer.header('www-authenticate') ?? ''
  expect(challenge, about).toMatch(/^Bearer /)
  expect(challenge, about).toContain('error="invalid_token"')
  expect(challenge, about).toContain(`resource_metadata="${bench.base}/.well-known/oauth-protected-resource`)
}
