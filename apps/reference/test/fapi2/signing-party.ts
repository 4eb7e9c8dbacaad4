import { randomUUID } from 'node:crypto'
import type { Overrides } from '@grantkit/testkit/client'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import type { Claims, Key } from './key.ts'
import { type Answer, type Changes, Party } from './party.ts'

const now = () => Math.floor(Date.now() / 1000)

/** A client of the plan that signs its requests, and verifies signed answers. */
export class SigningParty extends Party {
  /** As the suite makes it: of its first client without `typ`. */
  object(claims: Claims = {}, by: Key = this.key, header: object = {}): Promise<string> {
    const about = { iss: this.clientId, aud: this.base, nbf: now(), exp: now() + 300 }
    // The challenge of the suite is new in each request. Equal objects are one, with one answer.
    return by.jwt({ ...about, jti: randomUUID(), ...this.request(), ...claims }, header)
  }

  pushObject(request: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const form = { client_id: this.clientId, request, ...more }
    return this.post('/api/oauth/par', form, { proof: false })
  }

  override async push(overrides: Overrides = {}, changes: Changes = {}): Promise<Answer> {
    const form = { client_id: this.clientId, request: await this.object(overrides) }
    return this.post('/api/oauth/par', form, { proof: false, ...changes })
  }

  /** What a signed answer says; the answer itself if it is not signed. */
  async answerOf({ searchParams }: URL): Promise<Readonly<Record<string, string>>> {
    const { response, ...beside } = Object.fromEntries(searchParams)
    if (response === undefined) return beside
    const keys = createRemoteJWKSet(new URL(`${this.base}/api/oauth/jwks`))
    const expected = { issuer: this.base, audience: this.clientId, algorithms: ['ES256'] }
    const { payload } = await jwtVerify<Record<string, string>>(response, keys, expected)
    return { ...payload, ...beside }
  }

  override async callback(
    overrides: Overrides = {},
    changes: Changes = {},
  ): Promise<Readonly<Record<string, string>>> {
    const { request_uri } = (await this.push(overrides, changes)).body
    return this.answerOf(await this.browser(this.address(request_uri)))
  }
}
