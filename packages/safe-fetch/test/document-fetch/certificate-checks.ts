import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { certificateAuthority } from '@grantkit/test-servers/certificate-authority'
import { expect } from 'vitest'
import { type Bench, PUBLIC_ADDRESS } from './bench.ts'
import { withEnvironment } from './environment.ts'
import type { Statement } from './statement.ts'

export const certificateStatements: readonly Statement[] = [
  refused('a certificate of another name', ({ authority }) => authority.issue('evil.dev')),
  refused('a certificate of a name above', ({ authority }) => authority.issue('dev')),
  refused('a certificate of the address', ({ authority }) => authority.issue(PUBLIC_ADDRESS)),
  refused('a certificate of another authority', () => certificateAuthority().issue('app.dev')),
  refused('a certificate that signed itself', () => certificateAuthority('app.dev').issue('app.dev')),
  refused('an expired certificate', ({ authority }) => authority.issue('app.dev', { validity: [-9, -1] })),
  refused('a certificate of the future', ({ authority }) => authority.issue('app.dev', { validity: [1, 9] })),
  refused('TLS 1.1', ({ authority }) => ({
    ...authority.issue('app.dev'),
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  })),
  {
    name: 'verifies certificates although the environment says not to',
    async prove(bench) {
      const host = await bench.host({ tls: certificateAuthority().issue('app.dev') })
      const fault = await withEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, () => bench.faultOf())
      expect(fault).toBe('tls')
      expect(host.requests).toEqual([])
    },
  },
  {
    name: 'speaks to no server without TLS',
    async prove(bench) {
      const plain = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
      await once(plain, 'listening')
      bench.internet.names.set('app.dev', [PUBLIC_ADDRESS])
      bench.internet.route(`${PUBLIC_ADDRESS}:443`, (plain.address() as AddressInfo).port)
      expect(await bench.faultOf()).toBe('tls')
      plain.close()
      plain.closeAllConnections()
    },
  },
]

function refused(what: string, tls: (bench: Bench) => TlsOptions): Statement {
  return {
    name: `sends nothing to a host with ${what}`,
    async prove(bench) {
      const host = await bench.host({ tls: tls(bench) })
      expect(await bench.faultOf()).toBe('tls')
      expect(host.requests).toEqual([])
    },
  }
}
