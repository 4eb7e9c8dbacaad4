import * as z from 'zod'
import { field, listed, toggle } from './fields.ts'
import { type Origin, path } from './references.ts'

const DOCUMENT = /^https:\/\/\S+$/
const ADDRESS = /^((?:\d+\.){3}\d+:\d+|\[[\da-f:]+\]:\d+)$/i
const HOSTS_EXPECTED = 'must be names with an address and a port, app.dev=127.0.0.1:8443, separated by commas'

/** Client ID metadata documents (CIMD). */
export const clientDocumentFields = (origin: Origin) => ({
  enabled: field(toggle(true), '`off`: no client ID metadata documents, neither pinned nor fetched', {
    variable: 'CIMD',
    guide: 'how-to/client-documents.md',
  }),
  pinned: field(
    path(origin).optional(),
    'a file with a JSON list of client ID metadata documents, as their hosts publish them; these are never fetched',
    { variable: 'CIMD_PINNED', path: true },
  ),
  admit: field(
    z
      .array(z.string())
      .refine((ids) => ids.every((id) => DOCUMENT.test(id)), {
        error: 'must be https addresses of documents, separated by commas',
      })
      .default([]),
    'the URLs of documents whose https redirect URIs are accepted too. All others may only use loopback redirect URIs',
    { variable: 'CIMD_ADMIT', otherwise: 'none' },
  ),
  testCa: field(
    path(origin).optional(),
    'for tests on one machine: a PEM file with the certificate authority of the hosts, also those of `jwksUri`, Discovery and back-channel logout. Invalid in production',
    { variable: 'CIMD_TEST_CA', path: true },
  ),
  testResolve: field(
    z
      .record(z.string(), z.string(), { error: HOSTS_EXPECTED })
      .refine((hosts) => Object.entries(hosts).every(isHost), { error: HOSTS_EXPECTED })
      .default({}),
    'for tests on one machine: names of such hosts mapped to addresses, `app.dev=127.0.0.1:8443,other.dev=127.0.0.1:8444`. Invalid in production',
    { variable: 'CIMD_TEST_RESOLVE', read: hostsOf, otherwise: 'none' },
  ),
})

function isHost([name, address]: readonly [string, string]): boolean {
  return /^[\w.-]+$/.test(name) && ADDRESS.test(address)
}

function hostsOf(variable: string): Record<string, string> {
  return Object.fromEntries(listed(variable).map((host) => [host.split('=')[0], host.split('=')[1] ?? '']))
}
