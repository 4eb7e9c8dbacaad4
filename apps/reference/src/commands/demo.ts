import { styleText } from 'node:util'
import { terminalText } from '@grantkit/core/feature'
import open from 'open'
import * as oidc from 'openid-client'
import { readCommandLine } from './command-line.ts'
import { registerDemo } from './demo-registration.ts'
import { deviceClient, signInOnDevice } from './device-sign-in.ts'
import { type LoopbackListener, listenOnLoopback } from './loopback-listener.ts'

/**
 * A command-line client of the service, built on a certified client library. It registers itself, sends the user to
 * sign-in and consent in a browser, calls the API, refreshes and revokes. Run it while `start` runs.
 */

const USAGE = `pnpm demo [--url <base URL>] [--no-open] [--dpop]
pnpm demo --device [--client-id <client_id>] [--url <base URL>]

  --url        where the service runs; BASE_URL or http://127.0.0.1:3000 if left out
  --no-open    only print the address to sign in at
  --dpop       binds the tokens to a key; the service needs DPOP=on
  --device     sign in by a code that you type in a browser anywhere
  --client-id  an integration with --grant device; without one, the demo registers itself`

const { values } = readCommandLine(USAGE, {
  options: {
    url: { type: 'string', default: process.env.BASE_URL ?? 'http://127.0.0.1:3000' },
    'no-open': { type: 'boolean', default: false },
    dpop: { type: 'boolean', default: false },
    device: { type: 'boolean', default: false },
    'client-id': { type: 'string' },
  },
})
const SCOPE = 'openid profile email courses:read'

try {
  await (values.device ? demonstrateDevice(values.url) : demonstrate(values.url))
} catch (error) {
  console.error(styleText('red', `\nThe demo stopped: ${explain(error)}`))
  process.exitCode = 1
}

async function demonstrate(baseUrl: string): Promise<void> {
  const listener = await listenOnLoopback()
  try {
    const client = await registerAt(baseUrl, listener.redirectUri)
    const proofs = values.dpop ? await newKey(client) : {}
    await useTokens(client, baseUrl, await signIn(client, listener, proofs), proofs)
  } finally {
    listener.close()
  }
}

async function demonstrateDevice(baseUrl: string): Promise<void> {
  step('Asking for a code')
  const client = await deviceClient(baseUrl, values['client-id'])
  await useTokens(client, baseUrl, await signInOnDevice(client, SCOPE))
}

async function useTokens(
  client: oidc.Configuration,
  baseUrl: string,
  tokens: Tokens,
  proofs: oidc.DPoPOptions = {},
): Promise<void> {
  await showClaims(client, tokens, proofs)
  await showCourses(client, baseUrl, tokens.access_token, proofs)
  const refreshed = await refresh(client, tokens, proofs)
  await revoke(client, baseUrl, refreshed)
}

type Tokens = Awaited<ReturnType<typeof signIn>>

async function registerAt(baseUrl: string, redirectUri: string): Promise<oidc.Configuration> {
  step('Discovering the server and registering this client')
  const client = await registerDemo(baseUrl, { redirect_uris: [redirectUri] })
  show('issuer', client.serverMetadata().issuer)
  show('client_id', client.clientMetadata().client_id)
  return client
}

/** The handle that makes a proof for each request (RFC 9449 4). */
async function newKey(client: oidc.Configuration): Promise<oidc.DPoPOptions> {
  step('Making a key that the tokens are bound to')
  const DPoP = oidc.getDPoPHandle(client, await oidc.randomDPoPKeyPair('ES256'))
  show('its thumbprint', await DPoP.calculateThumbprint())
  return { DPoP }
}

async function signIn(client: oidc.Configuration, listener: LoopbackListener, proofs: oidc.DPoPOptions) {
  step('Asking you to sign in and to allow access')
  const verifier = oidc.randomPKCECodeVerifier()
  const state = oidc.randomState()
  const nonce = oidc.randomNonce()
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: listener.redirectUri,
    scope: SCOPE,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  })
  console.log(`\n  Open this address in a browser:\n\n  ${styleText('cyan', terminalText(url.href))}\n`)
  if (!values['no-open']) await open(url.href).catch(() => undefined)
  const callback = await listener.callback
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
  return oidc.authorizationCodeGrant(client, callback, { ...checks, idTokenExpected: true }, {}, proofs)
}

async function showClaims(
  client: oidc.Configuration,
  tokens: Tokens,
  proofs: oidc.DPoPOptions,
): Promise<void> {
  step('Signed in')
  show('granted', tokens.scope)
  show('token_type', tokens.token_type)
  const user = await oidc.fetchUserInfo(
    client,
    tokens.access_token,
    tokens.claims()?.sub ?? oidc.skipSubjectCheck,
    proofs,
  )
  for (const [name, value] of Object.entries(user)) show(name, value)
}

async function showCourses(
  client: oidc.Configuration,
  baseUrl: string,
  accessToken: string,
  proofs: oidc.DPoPOptions,
): Promise<void> {
  step('A few courses, read with the access token')
  const response = await oidc.fetchProtectedResource(
    client,
    accessToken,
    coursesAt(baseUrl),
    'GET',
    undefined,
    undefined,
    proofs,
  )
  const { items } = (await response.json()) as { items: { id: string; title: string }[] }
  for (const course of items.slice(0, 4)) show(course.id, course.title)
}

async function refresh(
  client: oidc.Configuration,
  { refresh_token }: { refresh_token?: string },
  proofs: oidc.DPoPOptions,
) {
  step('Refreshing')
  const next = await oidc.refreshTokenGrant(client, refresh_token ?? '', {}, proofs)
  show('a new access token, good for', `${next.expires_in} s`)
  return next
}

async function revoke(
  client: oidc.Configuration,
  baseUrl: string,
  tokens: { access_token: string; refresh_token?: string },
): Promise<void> {
  step('Revoking')
  await oidc.tokenRevocation(client, tokens.refresh_token ?? '')
  const response = await fetch(coursesAt(baseUrl), {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  })
  show('the access token now answers', `${response.status} ${await response.text()}`)
}

function coursesAt(baseUrl: string): URL {
  return new URL(`${baseUrl}/api/courses`)
}

function step(title: string): void {
  console.log(`\n${styleText('bold', title)}`)
}

function show(name: string, value: unknown): void {
  console.log(`  ${styleText('dim', terminalText(name))}  ${terminalText(String(value))}`)
}

function explain(error: unknown): string {
  if (error instanceof oidc.ResponseBodyError)
    return terminalText(`${error.error}: ${error.error_description}`)
  if (error instanceof oidc.AuthorizationResponseError)
    return terminalText(`${error.error}: ${error.error_description}`)
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  const message = error instanceof Error ? error.message : String(error)
  return /ECONNREFUSED/.test(cause + message)
    ? `nothing answers at ${values.url}; run "npx -y pnpm@12 start" first`
    : `${message} ${cause}`
}
