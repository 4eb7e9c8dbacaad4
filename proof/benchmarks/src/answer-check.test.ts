import { expect, it } from 'vitest'
import { tokensOf } from './answer-check.ts'

const answer = (token: string) => JSON.stringify({ access_token: token, refresh_token: `refresh ${token}` })

it('answers with all members and different tokens are right', () => {
  expect(tokensOf('code', [answer('one'), answer('two')])).toEqual(['one', 'two'])
})

it.each([
  ['one lacks a member', 'refresh', [answer('one'), '{"access_token":"two"}'], /Answered/],
  ['two have one token', 'refresh', [answer('one'), answer('one')], /Two answers have one access_token/],
  ['a live token is called inactive', 'introspect', ['{"active":false}'], /Answered/],
  ['a tool fails', 'mcp', ['{"jsonrpc":"2.0","result":{"isError":true}}'], /Answered/],
] as const)('answers are wrong when %s', (_, workload, bodies, why) => {
  expect(() => tokensOf(workload, bodies)).toThrow(why)
})
