import { expect, it } from 'vitest'
import { refuseResponseParameters } from './redirect-uri-policy.ts'

it.each([
  ['https://app.example/cb', 'no query'],
  ['com.example.app:/cb;a=1&code=x', 'a path that looks like a query'],
  ['https://app.example/cb?a=code', 'the name as a value'],
  ['https://app.example/cb?co?de=1', 'a question mark in a name'],
])('accepts %s: %s', (uri) => {
  expect(() => refuseResponseParameters([uri])).not.toThrow()
})

it.each([
  ['https://app.example/cb?a=1&code=x', 'the name of a response parameter'],
  ['https://app.example/cb?a=1;code=x', 'a semicolon as separator'],
  ['https://app.example/cb??code=x', 'a second question mark, which URL parsers drop'],
  ['https://app.example/cb?a=?&code=x', 'a later question mark'],
  ['app:/cb\n?code=x', 'a line break before the query'],
])('refuses %j: %s', (uri) => {
  expect(() => refuseResponseParameters(['https://app.example/cb', uri])).toThrow('redirect_uris[1]')
})
