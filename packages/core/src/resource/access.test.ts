import { expect, it } from 'vitest'
import { type AccessToken, toAuthInfo } from './access.ts'

it('a tool of MCP learns who calls, and not the token', () => {
  const token = {
    clientId: 'app',
    scopes: ['a', 'b'],
    expiresAt: 1000,
    subject: 'alice',
  } as unknown as AccessToken
  expect(toAuthInfo(token, 'https://notes.example/mcp')).toEqual({
    token: '',
    clientId: 'app',
    scopes: ['a', 'b'],
    expiresAt: 1000,
    resource: new URL('https://notes.example/mcp'),
    extra: { subject: 'alice' },
  })
})
