import { describe, expect, it } from 'vitest'
import { filledAddress, filledRequest } from './message.ts'

describe('filledAddress', () => {
  it('encodes what it fills into the query, and nothing else', () => {
    const values = { endpoint: 'https://notes.example/authorize', state: 'a+b/c=', scope: 'read write' }
    expect(filledAddress('{endpoint}?state={state}&scope={scope}', values)).toBe(
      'https://notes.example/authorize?state=a%2Bb%2Fc%3D&scope=read+write',
    )
  })

  it('names what it has no value for', () => {
    expect(() => filledAddress('https://notes.example/?code={code}', {})).toThrow('{code}')
  })
})

describe('filledRequest', () => {
  const values = { url: 'https://notes.example/token', token: 'a+b', tool: 'add' }

  it('encodes what it fills into a form', () => {
    const form = 'POST {url}\nContent-Type: application/x-www-form-urlencoded\n\nrefresh_token={token}'
    expect(filledRequest(form, values)).toEqual({
      url: 'https://notes.example/token',
      request: {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'refresh_token=a%2Bb',
      },
    })
  })

  it('fills headers and JSON as they are', () => {
    const call =
      '\nPOST {url}\nAuthorization: Bearer {token}\nContent-Type: application/json\n\n{"id":0,"name":"{tool}"}'
    expect(filledRequest(call, values).request).toMatchObject({
      headers: { Authorization: 'Bearer a+b' },
      body: '{"id":0,"name":"add"}',
    })
  })

  it('needs no headers and no body', () => {
    expect(filledRequest('GET {url}', values).request).toEqual({ method: 'GET', headers: {}, body: '' })
  })
})
