import { createHash } from 'node:crypto'
import type { ServerEvent } from '@grantkit/core'
import { type StepEvent, signInAttempts } from '@grantkit/explain'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, bodyOf, redirectOf, register, type TokenAnswer } from './client.ts'
import { newRecording } from './recorded-answers/recording.ts'
import { ISSUER, type Message, REDIRECT_URI, type Service } from './service.ts'

/** What a request may bring and no step may have, each with a mark. */
const MARKED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['state', 'nonce', 'login_hint', 'id_token_hint', 'request_uri', 'sign_in_ticket', 'code_challenge'],
      ...['code_verifier', 'subject_token', 'device_code', 'user_code', 'ticket', 'logout_hint'],
      ...['client_secret', 'client_assertion', 'client_name', 'software_id', 'contacts'],
    ].map((name) => [name, `marked_${name}`]),
  ),
  code: `gkc_${'g'.repeat(22)}.marked_code`,
  refresh_token: `gkr_${'g'.repeat(22)}.marked_refresh_token`,
  token: `gka_${'g'.repeat(22)}.marked_token`,
  code_verifier: `marked_verifier_${'x'.repeat(40)}`,
}
/** What is left out, so that requests get further. */
const OMITTED = [[], ['request_uri'], ['request_uri', 'client_secret', 'client_assertion']]
const ADDRESS = '203.0.113.77'
const REDIRECT = 'https://marked_user:marked_password@app.example/callback?marked_query#marked_fragment'
const VERIFIER = `marked_verifier_${'x'.repeat(40)}`
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** A server with every feature, and the steps that it reports. */
function open() {
  const steps: StepEvent[] = []
  const onEvent = (event: ServerEvent | StepEvent) => void (event.type === 'step' && steps.push(event))
  const { service } = newRecording({ observer: signInAttempts, onEvent })
  const send = (method: string, path: string, message: Message = {}) =>
    service.send(method, path, {
      ...message,
      remoteAddress: ADDRESS,
      headers: {
        'user-agent': 'marked_agent',
        cookie: 'marked_cookie',
        ...message.headers,
      },
    })
  return { steps, service, send }
}

const PLAIN = { redirect_uri: REDIRECT, resource: `${ISSUER}?marked_query`, scope: 'courses:read' }

function withoutMembers(
  omitted: readonly string[],
  all: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !omitted.includes(name)))
}

/** The ways to authenticate: with none, only the form names the client. */
const AUTHORIZATIONS = [
  undefined,
  `Basic ${Buffer.from('app:marked_secret').toString('base64')}`,
  'Bearer marked_token',
  'DPoP marked_token',
]

describe('a step', () => {
  it('has no marked value, whatever endpoint it is sent to', async () => {
    const { steps, service, send } = open()
    const { clientId } = await register(service)
    const { endpoints, grantTypes } = service.server.description
    for (const { path, methods } of endpoints)
      for (const client_id of [clientId, 'unknown', ''])
        for (const { name: grant_type } of grantTypes)
          for (const omitted of OMITTED) {
            const form = withoutMembers(omitted, { ...MARKED, ...PLAIN, client_id, grant_type })
            for (const authorization of AUTHORIZATIONS)
              for (const method of methods) {
                const sent = method === 'POST' ? { form } : { query: form }
                await send(method, path, { ...sent, headers: { authorization, dpop: 'marked_proof' } })
              }
            await send('POST', path, { json: { ...form, redirect_uris: [REDIRECT] } })
          }
    expect(new Set(steps.map(({ reason }) => reason)).size).toBeGreaterThan(15)
    expect(JSON.stringify(steps)).not.toMatch(/marked/i)
    expect(JSON.stringify(steps)).not.toContain(ADDRESS)
    expect(steps.every(({ network }) => network === undefined || network === '203.0.113.0/24')).toBe(true)
  })

  it('has no secret of a sign-in that succeeds, and no name of its user or client', async () => {
    const { steps, service, send } = open()
    const { clientId } = await register(service, { client_name: 'Marked name' })
    const secrets = await signedIn(service, send, clientId)
    const names = new Set(steps.map(({ step }) => step))
    expect([...names]).toEqual(
      [
        'registered',
        'requested',
        'client_found',
        'signed_in',
        'consent_shown',
        'allowed',
        'sent_back',
      ].concat(['code_redeemed', 'first_call', 'refreshed', 'ended']),
    )
    for (const secret of [...secrets, 'arked', 'Liddell', 'alice@', ADDRESS])
      expect(JSON.stringify(steps)).not.toContain(secret)
  })
})

/** A whole sign-in, with a refresh and a revocation. @returns its secrets */
async function signedIn(
  service: Service,
  send: ReturnType<typeof open>['send'],
  client_id: string,
): Promise<string[]> {
  const { state, nonce } = MARKED
  const query = authorizationQuery(client_id, { state, nonce, code_challenge: CHALLENGE })
  const headers = { cookie: 'user=alice' }
  await send('GET', '/oauth/authorize', { query, headers })
  const { ticket = '', action = '' } = service.shown.consent ?? {}
  const form: [string, string][] = [
    ['ticket', ticket],
    ['decision', 'allow'],
    ...['openid', 'profile', 'courses:read'].map((scope): [string, string] => ['scope', scope]),
  ]
  const { code = '' } = redirectOf(
    await send('POST', '/oauth/consent', { query: action.split('?')[1] ?? '', headers, form }),
  )
  const request = { client_id, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }
  const exchange = { ...request, grant_type: 'authorization_code', code }
  const tokens = bodyOf<TokenAnswer>(await send('POST', '/api/oauth/token', { form: exchange }))
  const authorization = `Bearer ${tokens.access_token}`
  await send('GET', '/api/oauth/userinfo', { headers: { authorization } })
  const { refresh_token } = tokens
  const refreshed = { client_id, grant_type: 'refresh_token', refresh_token }
  const next = bodyOf<TokenAnswer>(await send('POST', '/api/oauth/token', { form: refreshed }))
  await send('POST', '/api/oauth/revoke', { form: { client_id, token: next.refresh_token } })
  const issued = [code, tokens.access_token, refresh_token, next.access_token, next.refresh_token]
  return [ticket, VERIFIER, CHALLENGE, tokens.id_token, ...issued.map((text) => text.split('.')[1] ?? text)]
}
