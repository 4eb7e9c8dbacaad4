import { createResourceServer } from '@grantkit/core'
import { dpop, dpopProofs } from '@grantkit/core/dpop'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
import { createPublicKey, verify } from 'node:crypto'
import { bodyOf, register, tokensFor, codeFor, redeem } from './client.ts'
import { proven as proven0, redemptionOf, token } from './dpop-service.ts'
import { hashOf, provingKey } from './dpop-key.ts'
import { ISSUER, openService } from './service.ts'
const API = `${ISSUER}/mcp`
const SECRET = 'a secret of the tests, long enough to pass'
const now = () => 1_800_000_000
const service = openService({ onEvent: () => {}, features: [jwtAccessTokens({ resources: { [API]: { lifetime: 600 } } }), dpop()] })
const client = await register(service)
const opaque = (await tokensFor(service, client, {})).access_token
const many: string[] = []
for (let i = 0; i < 60; i++) many.push((await tokensFor(service, await register(service), { resource: API })).access_token)
const jwt = (await tokensFor(service, client, { resource: API })).access_token
const jwks = bodyOf<any>(await service.send('GET', '/api/oauth/jwks'))
const scopes = { 'courses:read': { description: 'x' } }
const common = { store: service.store, scopes, now }
const store = createResourceServer({ ...common, resource: ISSUER })
const storeJwt = createResourceServer({ ...common, resource: API, accessTokens: service.server.accessTokens })
const remote = createJwtResourceServer({ issuer: ISSUER, resource: API, scopes, keys: jwks, now })
const req = (headers: any) => ({ method: 'GET', path: '/mcp', query: '', body: '', headers })
const dp: Record<string, any> = {}
for (const alg of ['ES256', 'EdDSA'] as const) {
  const key = provingKey(alg)
  const { form } = await redemptionOf(service)
  const r = bodyOf<any>(await token(service, form, proven0(service, '/api/oauth/token', {}, key)))
  const proof = (jti: string) => key.proof({ jti, htm: 'GET', htu: `${ISSUER}/mcp`, iat: now(), ath: hashOf(r.access_token) })
  const proofs = Array.from({ length: 300 }, (_, i) => proof(`j${i}`))
  const [a, b, s] = proofs[0]!.split('.')
  dp[alg] = { token: r.access_token, proofs, signed: Buffer.from(`${a}.${b}`), sig: Buffer.from(s!, 'base64url'), k: createPublicKey({ key: key.jwk as any, format: 'jwk' }) }
}
const proven = createResourceServer({ ...common, resource: ISSUER, proofs: dpopProofs({ secret: SECRET }) })
let n = 0
const ok = async (p: Promise<any>) => { const r = await p; if (r.kind !== 'authorized') throw new Error(JSON.stringify(r)) }
const tests: Record<string, [number, () => any]> = {
  opaque: [3000, () => ok(store.access(req({ authorization: `Bearer ${opaque}` }), 'courses:read'))],
  jwt1: [3000, () => ok(remote.access(req({ authorization: `Bearer ${jwt}` }), 'courses:read'))],
  jwt60: [3000, () => ok(remote.access(req({ authorization: `Bearer ${many[n++ % 60]}` }), 'courses:read'))],
  storeJwt: [3000, () => ok(storeJwt.access(req({ authorization: `Bearer ${jwt}` }), 'courses:read'))],
  es: [300, () => verify('sha256', dp.ES256.signed, { key: dp.ES256.k, dsaEncoding: 'ieee-p1363' }, dp.ES256.sig)],
  dpopES: [300, () => ok(proven.access(req({ authorization: `DPoP ${dp.ES256.token}`, dpop: dp.ES256.proofs[n++ % 300] }), 'courses:read'))],
  ed: [300, () => verify(null, dp.EdDSA.signed, dp.EdDSA.k, dp.EdDSA.sig)],
  dpopEd: [300, () => ok(proven.access(req({ authorization: `DPoP ${dp.EdDSA.token}`, dpop: dp.EdDSA.proofs[n++ % 300] }), 'courses:read'))],
}
const all: Record<string, number[]> = {}
for (let round = 0; round < 25; round++) for (const [name, [N, f]] of Object.entries(tests)) {
  const t = process.hrtime.bigint(); for (let i = 0; i < N; i++) await f(); (all[name] ??= []).push(Number(process.hrtime.bigint() - t) / 1000 / N)
}
for (const [name, v] of Object.entries(all)) { v.sort((a, b) => a - b); console.log(name, 'min', v[0]!.toFixed(2), 'median', v[12]!.toFixed(2)) }
process.exit(0)
