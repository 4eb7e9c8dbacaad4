/** A host that signs users in, as Clerk does: its page sets a session as a signed JWT, whose keys it publishes. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

const FORM =
  '<form method="post"><input name="user"><input name="password" type="password"><button>Sign in</button></form>'

export interface SignInHost {
  readonly url: string
  /** A session of Alice, with the claims given in place of its own. */
  sessionToken(claims?: JWTPayload): Promise<string>
  /** The same, signed with a key of somebody else. */
  forgedToken(): Promise<string>
  close(): Promise<void>
}

/** On another port of this computer. Cookies do not know ports, so its cookies reach the application too. */
export async function startSignInHost(): Promise<SignInHost> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'host', alg: 'RS256' }] })
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    if (pathname === '/.well-known/jwks.json')
      return response.setHeader('content-type', 'application/json').end(jwks)
    if (request.method !== 'POST') return response.setHeader('content-type', 'text/html').end(FORM)
    const { password } = Object.fromEntries(new URLSearchParams(await text(request)))
    if (password !== 'wonderland') return response.writeHead(403).end()
    const location = searchParams.get('redirect_url') ?? ''
    const cookie = `__session=${await sessionToken()}; Path=/; SameSite=Lax`
    return response.writeHead(303, { location, 'set-cookie': cookie }).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const signed = (claims: JWTPayload, key: typeof privateKey) =>
    new SignJWT({ iss: url, sub: 'user_alice', sid: 'sess_1', fva: [0, -1], ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'host' })
      .setIssuedAt()
      .setExpirationTime('60 s')
      .sign(key)
  const sessionToken = (claims: JWTPayload = {}) => signed(claims, privateKey)
  return {
    url,
    sessionToken,
    forgedToken: async () => signed({}, (await generateKeyPair('RS256')).privateKey),
    close: () => new Promise((closed) => void server.close(() => closed())),
  }
}
