import { createSecretKey } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { formBrowser, testClient } from '@grantkit/testkit/client'
import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'
import { type ExternalSignInOptions, externalSignIn } from '../../src/config/users.ts'
import { KEY, serverWithUsers } from './server-with-users.ts'
import { throughApplication } from './through-application.ts'

const SHARED = createSecretKey(Buffer.from(KEY))

/** An application next to the server. Whoever comes is signed in there as `user`. */
export interface Application {
  readonly url: string
  /** What it says of the user, or `error`. Without `auth_time` the user has signed in this moment. */
  user: JWTPayload
  /** The requests that it got, the latest last. */
  readonly requests: JWTPayload[]
}

/** For the current test: a server, the application that has its users, and a client. */
export async function openWithApplication(options: Partial<ExternalSignInOptions> = {}, environment = {}) {
  const { promise, resolve } = Promise.withResolvers<Application>()
  const server = await serverWithUsers(async (baseUrl) => {
    const application = await startApplication(baseUrl)
    resolve(application)
    return externalSignIn({ url: application.url, key: KEY, ...options })
  }, environment)
  const application = await promise
  const { baseUrl } = server
  const send = throughApplication(new URL(application.url).origin)
  const browser = formBrowser({ origin: baseUrl, typed: { none: '' }, send })
  const client = await testClient(baseUrl, { browser, metadata: { client_name: 'Notes app' } })
  return { server, application, send, client }
}

async function startApplication(issuer: string): Promise<Application> {
  const server = createServer(async (request, response) => {
    const jwt = new URL(request.url ?? '', application.url).searchParams.get('request') ?? ''
    const { payload } = await jwtVerify(jwt, SHARED, { issuer, audience: application.url })
    application.requests.push(payload)
    response.writeHead(303, { location: `${payload.return_to}?response=${await answerTo(payload)}` }).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const answerTo = ({ jti = '' }: JWTPayload) => {
    const now = Math.floor(Date.now() / 1000)
    const envelope = { jti, iss: application.url, aud: issuer, exp: now + 60 }
    const payload = { auth_time: now, ...application.user, ...envelope }
    return new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(SHARED)
  }
  const application: Application = {
    url: `http://127.0.0.1:${port}/sign-in`,
    user: { sub: 'alice' },
    requests: [],
  }
  return application
}
