import { expect, it } from 'vitest'
import { parseConfig } from './config.ts'

/** Addresses of issuers whose assertions are accepted, as they would be fetched. */

const parse = (kind: 'trusts' | 'workloads', keys: object) => {
  const rule = { issuer: 'https://idp.example', scopes: ['notes:write'], ...keys }
  const more = kind === 'workloads' ? { claims: { sub: 'job' }, client: 'deployment' } : {}
  const config = { features: { jwtBearer: { [kind]: [{ ...rule, ...more }] } } }
  return () => parseConfig({ config: config as never, environment: { NODE_ENV: 'test' } })
}

const LOOPBACK = 'http://127.0.0.1:8080'

it.each(['trusts', 'workloads'] as const)('the keys of %s are at an https address', (kind) => {
  expect(parse(kind, { jwksUri: 'https://idp.example/keys' })).not.toThrow()
  expect(parse(kind, { jwksUri: `${LOOPBACK}/keys` })).toThrow(
    `features.jwtBearer.${kind}[0].jwksUri must be an https address`,
  )
})

it.each(['trusts', 'workloads'] as const)('an issuer of %s on localhost needs a way to its keys', (kind) => {
  const issuer = LOOPBACK
  expect(parse(kind, { issuer })).toThrow(`features.jwtBearer.${kind}[0].issuer must be https`)
  expect(parse(kind, { issuer, jwks: { keys: [] } })).not.toThrow()
  expect(parse(kind, { issuer, jwksUri: 'https://idp.example/keys' })).not.toThrow()
})
