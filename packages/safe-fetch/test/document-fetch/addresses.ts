import { expect } from 'vitest'
import { type Bench, OTHER_PUBLIC_ADDRESS, PUBLIC_ADDRESS } from './bench.ts'
import type { Statement } from './statement.ts'

/** Spellings of addresses inside, of names inside, and of what parsers read in two ways. */
const REFUSED_UNSEEN = [
  ...[
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '9.9.9.9',
    '[::1]',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
  ],
  ...['[64:ff9b::a9fe:a9fe]', '[2002:7f00:1::]', '[2001::1]', '[fe80::1%25eth0]', '[2620:fe::fe]'],
  ...['0x7f.1', '0177.0.0.1', '127.1', '2130706433', '①②⑦.⓪.⓪.①', '127.0.0.1.', 'app.dev.', 'intranet'],
  ...['localhost', 'a.localhost', 'printer.local', 'metadata.google.internal', 'router.home.arpa'],
  ...['1.0.0.127.in-addr.arpa', 'app.test', 'app.example', 'app.invalid', 'hidden.onion'],
  ...['app\t.dev', 'app.dev\\@evil.dev', 'user@app.dev', 'user:x@app.dev', '%61pp.dev', 'APP.dev'],
  ...['app.dev:80', 'app.dev:8443', 'app.dev:22', ''],
].map((host) => `https://${host}/client.json`)

const REFUSED_WHOLE = [
  ...['http://app.dev/client.json', 'https:/app.dev/client.json', 'https:app.dev/client.json', '//app.dev/c'],
  ...[
    'file:///etc/passwd',
    'data:application/json,{}',
    'ftp://app.dev/client.json',
    'gopher://app.dev/',
    'client.json',
  ],
  ...[' https://app.dev/client.json', 'https://app.dev/client.json\n', 'https://app.dev/a/../client.json'],
]

/** What names must not lead to. `@grantkit/safe-fetch` has the whole registry of IANA in its own tests. */
const INSIDE = [
  ...[
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '192.0.0.192',
  ],
  ...[
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::1',
    '::',
    'fe80::1',
    'fd00:ec2::254',
  ],
  ...[
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
    '2001::1',
    'ff02::1',
  ],
]

export const addressStatements: readonly Statement[] = [
  ...[...REFUSED_UNSEEN, ...REFUSED_WHOLE].map((url) => ({
    name: `refuses ${JSON.stringify(url)} without a packet`,
    async prove(bench: Bench) {
      await bench.host()
      for (const name of ['intranet', 'localhost', 'app.dev.', 'app.test'])
        bench.internet.names.set(name, [PUBLIC_ADDRESS])
      expect(await bench.faultOf(url)).toBe('address')
      expect([...bench.internet.names.lookedUp, ...bench.internet.dialled]).toEqual([])
    },
  })),
  ...INSIDE.map((address) => refusedAnswers(`that is ${address}`, [address])),
  refusedAnswers('of which the first is inside', ['10.0.0.1', PUBLIC_ADDRESS]),
  refusedAnswers('of which the last is inside', [PUBLIC_ADDRESS, OTHER_PUBLIC_ADDRESS, '10.0.0.1']),
  refusedAnswers('of which the other family is inside', [PUBLIC_ADDRESS, 'fd00::1']),
  {
    name: 'looks a name up once, so a second answer moves nothing',
    async prove(bench) {
      const host = await bench.host({ answers: [[PUBLIC_ADDRESS], ['127.0.0.1']] })
      expect(await bench.faultOf()).toBe('answer 200')
      expect(bench.internet.dialled).toEqual([`${PUBLIC_ADDRESS}:443`])
      expect(host.requests).toHaveLength(1)
      expect(new Set(bench.internet.names.lookedUp).size).toBe(bench.internet.names.lookedUp.length)
    },
  },
  {
    name: 'reaches a host by IPv6',
    async prove(bench) {
      await bench.host({ answers: [['2620:fe::fe']] })
      expect(await bench.faultOf()).toBe('answer 200')
    },
  },
  {
    name: 'reports that a name has no address',
    async prove(bench) {
      expect(await bench.faultOf('https://unknown.dev/client.json')).toBe('dns')
    },
  },
  {
    name: 'reports that the connection is refused',
    async prove(bench) {
      bench.internet.names.set('app.dev', [PUBLIC_ADDRESS])
      expect(await bench.faultOf()).toBe('connect')
    },
  },
]

function refusedAnswers(which: string, addresses: readonly string[]): Statement {
  return {
    name: `connects to no address of a name ${which}`,
    async prove(bench) {
      await bench.host({ answers: [addresses] })
      expect(await bench.faultOf()).toBe('address')
      expect(bench.internet.dialled).toEqual([])
    },
  }
}
