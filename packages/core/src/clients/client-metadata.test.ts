import { describe, expect, it } from 'vitest'
import { clientMetadata } from './client-metadata.ts'

const REGISTRABLE = {
  authMethods: ['none'],
  grantTypes: ['authorization_code', 'refresh_token'],
  signingAlgorithms: ['RS256'],
} as const
const METADATA = { redirect_uris: ['https://app.example/cb'] }

describe('the metadata of a client', () => {
  const read = (members: object) => clientMetadata(REGISTRABLE).safeParse({ ...METADATA, ...members })

  it.each([
    ['', undefined],
    [undefined, undefined],
    ['courses:read', 'courses:read'],
  ])('names scopes, or none at all: %j', (scope, expected) => {
    expect(read({ scope }).data).toMatchObject({ scope: expected })
  })

  it('names an algorithm of ID tokens that the server has a key for', () => {
    expect(read({ id_token_signed_response_alg: 'RS256' }).success).toBe(true)
    const refused = read({ id_token_signed_response_alg: 'ES256' }).error?.issues
    expect(refused).toMatchObject([{ message: 'no key for ES256 here' }])
  })

  it('names any algorithm of ID tokens where nothing is signed', () => {
    const unsigned = clientMetadata({ ...REGISTRABLE, signingAlgorithms: [] })
    const metadata = { ...METADATA, id_token_signed_response_alg: 'ES256' }
    expect(unsigned.parse(metadata)).toMatchObject({ id_token_signed_response_alg: 'ES256' })
  })
})
