import { expect } from 'vitest'
import type { App, Tokens } from './app.ts'
import type { Bench } from './bench.ts'
import type { Answer } from './wire.ts'

/** The only safe answers to a bad request, each as one expectation. `about` says which request it was. */

/** A page without links onward and without text of an attacker. */
export function expectPage(answer: Answer, about = '', status: number | readonly number[] = 400): void {
  expect([status].flat(), about).toContain(answer.status)
  expect(answer.header('location'), about).toBeUndefined()
  expect(answer.header('content-type'), about).toBe('text/html; charset=utf-8')
  expectGuardedPage(answer, about)
}

/** The way back to the form: the same request from its beginning, at this server, and no code. */
export function expectAnew(answer: Answer, about = ''): void {
  expect(answer.status, about).toBe(303)
  expect(answer.header('location'), about).toMatch(/^\/oauth\/authorize\?[\w&=%.+-]+&consent_form=expired$/)
  expect(answer.header('location'), about).not.toMatch(/[?&]code=/)
  expect(answer.header('cache-control'), about).toBe('no-store')
}

/** Every page: not framed, not cached, and without scripts. */
export function expectGuardedPage(answer: Answer, about = ''): void {
  const policy = answer.header('content-security-policy') ?? ''
  expect(policy, about).toContain("frame-ancestors 'none'")
  expect(policy, about).not.toMatch(/unsafe-inline|unsafe-eval|https?:\/\/(?!127\.0\.0\.1|\[::1\]|localhost)/)
  expect(answer.header('x-frame-options'), about).toBe('DENY')
  expect(answer.header('referrer-policy'), about).toBe('same-origin')
  expect(answer.header('x-content-type-options'), about).toBe('nosniff')
  expect(answer.header('cache-control'), about).toBe('no-store')
  expect(answer.body, about).not.toMatch(/<script|<iframe|\son\w+\s*=\s*["']|(?:src|href)="(?:https?:)?\/\//i)
}

/** An error that goes back to the client, with its state and our issuer, without a code. */
export function expectRedirect(
  app: App,
  answer: Answer,
  errors: string | readonly string[],
  about = '',
): void {
  expect(answer.status, `${about} ${answer.body}`).toBe(303)
  expect(answer.header('location')?.startsWith(`${app.redirectUri}?`), about).toBe(true)
  expect(answer.header('location'), about).not.toContain('#')
  const response = answer.redirected()
  expect([errors].flat(), about).toContain(response.get('error'))
  expect(response.get('error_description'), about).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  expect([response.get('state'), response.get('iss')], about).toEqual(['st-4711', app.bench.base])
  expect([response.has('code'), response.has('access_token'), response.has('id_token')], about).toEqual(NONE)
}
const NONE = [false, false, false]

/** The members of an error body; `error_description` ends with the reference of the sign-in attempt, if there is one. */
export function errorMembers(answer: Answer, about = ''): string[] {
  const { reference, ...body } = answer.json()
  if (reference !== undefined)
    expect(body.error_description, about).toMatch(new RegExp(` \\(ref ${reference}\\)$`))
  return Object.keys(body).sort()
}

/** The error body of RFC 6749 5.2. */
export function expectError(
  answer: Answer,
  errors: string | readonly string[],
  about = '',
  statuses: readonly number[] = [400],
): void {
  expect(statuses, `${about} ${answer.body}`).toContain(answer.status)
  expect(answer.header('content-type'), about).toBe('application/json')
  expect(answer.header('cache-control'), about).toBe('no-store')
  const body = answer.json()
  expect(errorMembers(answer, about), about).toEqual(['error', 'error_description'])
  expect([errors].flat(), about).toContain(body.error)
  expect(body.error_description, about).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
}

export function expectInvalidClient(answer: Answer, about = ''): void {
  expectError(answer, 'invalid_client', about, [401])
}

/** 401 with the challenge of RFC 6750 3.1 and RFC 9728 5.1; never quietly anonymous. */
export function expectInvalidToken(bench: Bench, answer: Answer, about = ''): void {
  expectError(answer, 'invalid_token', about, [401])
  expectChallenge(bench, answer, 'invalid_token', about)
}

export function expectInsufficientScope(bench: Bench, answer: Answer, scope: string, about = ''): void {
  expectError(answer, 'insufficient_scope', about, [403])
  expectChallenge(bench, answer, 'insufficient_scope', about)
  expect(answer.header('www-authenticate'), about).toContain(`scope="${scope}"`)
}

function expectChallenge(bench: Bench, answer: Answer, error: string, about: string): void {
  const challenge = answer.header('www-authenticate') ?? ''
  expect(challenge, about).toMatch(/^Bearer /)
  expect(challenge, about).toContain(`error="${error}"`)
  expect(challenge, about).toContain(`resource_metadata="${bench.base}/.well-known/oauth-protected-resource`)
}

/** The victim is not affected. */
export async function expectNoEffect(app: App, tokens: Tokens, about = ''): Promise<void> {
  expect((await app.call(tokens.access_token)).status, about).toBe(200)
  expect((await app.refresh(tokens.refresh_token)).status, about).toBe(200)
}
