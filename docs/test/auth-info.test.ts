import { type AccessToken, toAuthInfo } from '@grantkit/core'
import type { AuthInfo as AuthInfo1 } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { AuthInfo as AuthInfo2 } from '@modelcontextprotocol/server'
import { expect, expectTypeOf, it } from 'vitest'

const TOKEN: AccessToken = {
  grantId: 'grant',
  subject: 'alice',
  clientId: 'editor',
  scopes: ['notes:read'],
  resources: [],
  issuedAt: 1_800_000_000,
  expiresAt: 1_800_003_600,
}

it('the SDK of MCP, in either version, takes what the guard knows, and no token with it', () => {
  const info = toAuthInfo(TOKEN, 'https://notes.example/mcp')
  expectTypeOf(info).toExtend<AuthInfo1>()
  expectTypeOf(info).toExtend<AuthInfo2>()
  expect(info).toEqual({
    token: '',
    clientId: 'editor',
    scopes: ['notes:read'],
    expiresAt: 1_800_003_600,
    resource: new URL('https://notes.example/mcp'),
    extra: { subject: 'alice' },
  })
})
