import { createSecretKey } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { KEY } from './server-with-users.ts'

const SHARED = createSecretKey(Buffer.from(KEY))

/** An application next to the server. Whoever comes is signed in there as `user`. */
export interface Application {
  readonly url: string
  /** What it says of the user, or `error`. Without `auth_time` the user has signed in this moment. */
  user: JWTPayload
  /** The requests that it got, the latest last. */
  readonly requests: JWTPayload[]
  close(): void
}

export async function startApplication(issuer: string): Promise<Application> {
  const server = createServer(async (request, response) => {
    const jwt = new URL(request.url ?? '', application.url).searchParams.get('request') ?? ''
    const { payload } = await jwtVerify(jwt, SHARED, { issuer, audience: application.url })
    application.requests.push(payload)
    response.writeHead(303, { location: `${payload.return_to}?response=${await answerTo(payload)}` }).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
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
    close: () => void server.close(),
  }
  return application
}
