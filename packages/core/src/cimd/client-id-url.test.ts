import { describe, expect, it } from 'vitest'
import { clientIdUrlFault } from './client-id-url.ts'

const issuer = 'https://school.example.org/auth'
const faultOf = (id: string) => clientIdUrlFault(id, { issuer })

describe('the address of a document', () => {
  it.each([
    'https://claude.ai/oauth/claude-code-client-metadata',
    'https://vscode.dev/oauth/client-metadata.json',
    'https://chatgpt.com/oauth/codex/client.json',
    'https://xn--bcher-kva.ch/c.json',
    `https://app.dev/${'x'.repeat(512 - 16)}`,
  ])('is accepted: %s', (id) => {
    expect(faultOf(id)).toBeUndefined()
  })

  it.each([
    [`https://app.dev/${'x'.repeat(513 - 16)}`, 'is longer than 512 characters'],
    ['http://app.dev/c.json', 'is no https address'],
    ['HTTPS://app.dev/c.json', 'is no https address'],
    ['https:/app.dev/c.json', 'is no https address'],
    ['https:app.dev/c.json', 'is no https address'],
    ['https://app.dev\\@evil.dev/c', 'is no https address'],
    ['https://app\t.dev/c.json', 'is no https address'],
    ['https://app.dev/c.json\n', 'is no https address'],
    [' https://app.dev/c.json', 'is no https address'],
    ['https://app.dev/c json', 'is no https address'],
    ['https://app.dev/{c}', 'is no https address'],
    ['https://app.dev/c"', 'is no https address'],
    ['https://app.dev/c`', 'is no https address'],
    ['https://app.dev/é', 'is no https address'],
    ['https://①②⑦.⓪.⓪.①/c', 'is no https address'],
    ['https://app.dev/c#', 'has a fragment'],
    ['https://app.dev/c#x', 'has a fragment'],
    ['https://app.dev/c?', 'has a query'],
    ['https://app.dev/c?x=1', 'has a query'],
    ['https://app.dev', 'has no path'],
    ['https://app.dev/', 'has no path'],
    ['https://app.dev/./c', 'has a dot segment'],
    ['https://app.dev/a/../c', 'has a dot segment'],
    ['https://app.dev/%2e%2E/c', 'has a dot segment'],
    ['https://app.dev/a/.%2e', 'has a dot segment'],
    ['https://user@app.dev/c', 'has a user'],
    ['https://@app.dev/c', 'has a user'],
    ['https://claude.ai:x@evil.dev/c', 'has a user'],
    ['https:///c', 'is not in its normal form'],
    ['https://APP.dev/c', 'is not in its normal form'],
    ['https://app.dev:443/c', 'is not in its normal form'],
    ['https://app.dev:/c', 'is not in its normal form'],
    ['https://app.dev:99999/c', 'is not in its normal form'],
    ['https://%61pp.dev/c', 'is not in its normal form'],
    ['https://0x7f.1/c', 'is not in its normal form'],
    ['https://2130706433/c', 'is not in its normal form'],
    ['https://127.1/c', 'is not in its normal form'],
    ['https://[::ffff:127.0.0.1]/c', 'is not in its normal form'],
    ['https://app.dev:8443/c', 'has a port'],
    ['https://127.0.0.1/c', 'is at an IP address'],
    ['https://169.254.169.254/latest/meta-data', 'is at an IP address'],
    ['https://8.8.8.8/c', 'is at an IP address'],
    ['https://[::1]/c', 'is at an IP address'],
    ['https://[::ffff:7f00:1]/c', 'is at an IP address'],
    ['https://[64:ff9b::a9fe:a9fe]/c', 'is at an IP address'],
    ['https://[2002:7f00:1::]/c', 'is at an IP address'],
    ['https://app.dev./c', 'is at no public name'],
    ['https://intranet/c', 'is at no public name'],
    ['https://localhost/c', 'is at no public name'],
    ['https://a.localhost/c', 'is at no public name'],
    ['https://metadata.google.internal/c', 'is at no public name'],
    ['https://printer.local/c', 'is at no public name'],
    ['https://router.home.arpa/c', 'is at no public name'],
    ['https://1.0.0.127.in-addr.arpa/c', 'is at no public name'],
    ['https://app.test/c', 'is at no public name'],
    ['https://app.example/c', 'is at no public name'],
    ['https://app.invalid/c', 'is at no public name'],
    ['https://hidden.onion/c', 'is at no public name'],
    ['https://name.alt/c', 'is at no public name'],
    ['https://school.example.org/auth/oauth/authorize', 'is an address of this server'],
  ])('is refused: %s %s', (id, fault) => {
    expect(faultOf(id)).toBe(fault)
  })
})
