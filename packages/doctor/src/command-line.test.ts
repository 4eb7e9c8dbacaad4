import { describe, expect, it } from 'vitest'
import { readCommandLine } from './command-line.ts'

const URL = 'https://server.example'

describe('readCommandLine', () => {
  it('registers a client and prints for people by default', () => {
    const defaults = {
      kind: 'examination',
      baseUrl: URL,
      json: false,
      register: true,
      follow: false,
      idToken: undefined,
      client: undefined,
      resource: undefined,
    }
    expect(readCommandLine([URL])).toEqual(defaults)
    const expected = { ...defaults, json: true, register: false, follow: true, idToken: 'a.b.c' }
    expect(readCommandLine(['--json', '--no-register', '--follow', '--id-token', 'a.b.c', URL])).toEqual(
      expected,
    )
  })

  it('keeps the base URL byte for byte', () => {
    expect(readCommandLine(['HTTP://Server.example/'])).toMatchObject({ baseUrl: 'HTTP://Server.example/' })
  })

  it('takes the address of a client', () => {
    expect(readCommandLine([URL, '--client', 'https://app.dev/c'])).toMatchObject({
      baseUrl: URL,
      client: 'https://app.dev/c',
    })
  })

  it('takes the resource to look at', () => {
    const resource = `${URL}/mcp`
    expect(readCommandLine([URL, '--resource', resource])).toMatchObject({ baseUrl: URL, resource })
  })

  it('gives help without a base URL', () => {
    expect(readCommandLine(['--help'])).toEqual({ kind: 'help' })
  })

  it.each([
    ['no URL', [], 'The base URL is missing.'],
    ['a host without a scheme', ['server.example'], '"server.example" is not an http or https URL.'],
    ['another scheme', ['mailto:a@b.example'], '"mailto:a@b.example" is not an http or https URL.'],
    ['a resource that is no URL', [URL, '--resource', '/mcp'], '"/mcp" is not an http or https URL.'],
    ['two URLs', [URL, URL], 'Only one base URL can be examined at a time.'],
    ['an unknown option', [URL, '--jsno'], "Unknown option '--jsno'."],
    ['an option without its value', [URL, '--id-token'], "Option '--id-token <value>' argument missing."],
    [
      'an option in the place of a value',
      [URL, '--id-token', '--json'],
      "Option '--id-token' argument is ambiguous.",
    ],
    ['a value that no option takes', [URL, '--json=yes'], "Option '--json' does not take an argument."],
  ])('refuses %s in one sentence', (_, given, reason) => {
    expect(readCommandLine(given)).toEqual({ kind: 'refused', reason })
  })
})
