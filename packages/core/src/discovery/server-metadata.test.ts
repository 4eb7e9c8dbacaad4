import { expect, it } from 'vitest'
import { metadataDocuments, serverMetadata } from './server-metadata.ts'

it('joins the members of all modules, of which a later one may override a false', () => {
  const parts = [{ a: false, b: undefined, c: 1 }, { a: true }, { b: 2, d: undefined }]
  expect(serverMetadata(parts)).toStrictEqual({ a: true, b: 2, c: 1 })
})

it('rejects a member that two modules set', () => {
  expect(() => serverMetadata([{ a: 1 }, { a: 2 }])).toThrow('metadata: a is set twice')
})

it('has both documents below the path of an issuer too, for a proxy that passes on nothing else', () => {
  const pathsOf = (issuer: string) => metadataDocuments(issuer, {}).map(({ path }) => path)
  expect(pathsOf('https://auth.example/auth')).toEqual([
    '/.well-known/oauth-authorization-server/auth',
    '/.well-known/openid-configuration/auth',
    '/auth/.well-known/openid-configuration',
    '/auth/.well-known/oauth-authorization-server',
  ])
  expect(pathsOf('https://auth.example')).toHaveLength(2)
})
