import { promises as dns } from 'node:dns'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { publicAddressesOf } from './resolve.ts'

type Family = readonly string[] | Error

const NO_ANSWER = new Error('queryAaaa SERVFAIL')
/** The operator learns which name. */
const NAMED = expect.stringContaining('app.example')
const noDeadline = () => new AbortController().signal

/** What the name servers return. */
function nameServersReturn(ipv4: Family, ipv6: Family): void {
  const result = (family: Family) => () =>
    family instanceof Error ? Promise.reject(family) : Promise.resolve([...family])
  vi.spyOn(dns.Resolver.prototype, 'resolve4').mockImplementation(result(ipv4) as never)
  vi.spyOn(dns.Resolver.prototype, 'resolve6').mockImplementation(result(ipv6) as never)
}

afterEach(() => vi.restoreAllMocks())

describe('the addresses of a name', () => {
  it.each([
    [
      'one of each family, IPv4 first',
      ['1.1.1.1', '8.8.8.8'],
      ['2606:4700::1', '2606:4700::2'],
      ['1.1.1.1', '2606:4700::1'],
    ],
    ['the other family, where one has none', [], ['2606:4700::1'], ['2606:4700::1']],
    ['IPv4, where the name servers fail on IPv6', ['1.1.1.1'], NO_ANSWER, ['1.1.1.1']],
    ['IPv6, where the name servers fail on IPv4', NO_ANSWER, ['2606:4700::1'], ['2606:4700::1']],
  ])('are %s', async (_, ipv4, ipv6, addresses) => {
    nameServersReturn(ipv4, ipv6)
    expect(await publicAddressesOf('app.example', noDeadline())).toStrictEqual(addresses)
  })

  it.each([
    ['the first', ['127.0.0.1', '1.1.1.1'], []],
    ['one that would not be used', ['1.1.1.1', '10.0.0.1'], []],
    ['one of the other family', ['1.1.1.1'], ['2606:4700::1', 'fd00::1']],
    ['one, while the other family fails', NO_ANSWER, ['::1']],
  ])('are refused all, if %s is not public', async (_, ipv4, ipv6) => {
    nameServersReturn(ipv4, ipv6)
    const refused = publicAddressesOf('app.example', noDeadline())
    await expect(refused).rejects.toMatchObject({ code: 'address', message: NAMED })
  })

  it('are missing with the reason of the name servers', async () => {
    nameServersReturn([], NO_ANSWER)
    const refused = publicAddressesOf('app.example', noDeadline())
    await expect(refused).rejects.toMatchObject({ code: 'dns', cause: NO_ANSWER, message: NAMED })
  })

  it('are not waited for once the deadline has passed', async () => {
    nameServersReturn(['1.1.1.1'], [])
    await expect(publicAddressesOf('app.example', AbortSignal.abort('late'))).rejects.toBe('late')
    expect(dns.Resolver.prototype.resolve4, 'nothing is asked').not.toHaveBeenCalled()
  })

  it('are not used if the deadline passes meanwhile', async () => {
    nameServersReturn(['1.1.1.1'], [])
    const deadline = new AbortController()
    const found = publicAddressesOf('app.example', deadline.signal)
    deadline.abort('late')
    await expect(found).rejects.toBe('late')
  })

  it('are missing without a reason where the name has none', async () => {
    nameServersReturn([], [])
    const refused = publicAddressesOf('app.example', noDeadline())
    await expect(refused).rejects.toMatchObject({ code: 'dns', cause: undefined })
  })
})
