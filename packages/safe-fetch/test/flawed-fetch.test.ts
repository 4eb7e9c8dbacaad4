import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { Bench, type CreateDocumentFetch } from './document-fetch/bench.ts'
import { type Flaws, flawedFetch } from './document-fetch/flawed-fetch.ts'
import { STATEMENTS } from './document-fetch/statements.ts'

/** Each flaw with statements that only it breaks. */
const CAUGHT: [Flaws, string[]][] = [
  [{ redirects: 'followed' }, ['does not follow 301 Moved to https://inside.dev/client.json']],
  [{ addresses: 'unchecked' }, ['connects to no address of a name that is 127.0.0.1']],
  [
    { addresses: 'checked, then looked up again' },
    ['looks a name up once, so a second answer moves nothing'],
  ],
  [{ addresses: 'one checked' }, ['connects to no address of a name of which the last is inside']],
  [
    { time: 'idle' },
    [
      'gives up on a host that sends a byte now and then, within the headers',
      'gives up on a host that sends a byte now and then, within the body',
    ],
  ],
  [
    { certificates: 'unverified' },
    ['an expired certificate', 'a certificate of another name'].map(
      (what) => `sends nothing to a host with ${what}`,
    ),
  ],
  [{ size: 'unlimited' }, ['refuses a body without a length that is larger', 'refuses endless chunks']],
  [{ size: 'as sent' }, ['unpacks no gzip bomb']],
  [{ connections: 'kept' }, ['has a look-up and a connection of its own for every document']],
]

describe('the statements about a fetch', () => {
  it.each(CAUGHT)('catch a fetch with %j', async (flaws, broken) => {
    expect(await kept(broken, (options) => flawedFetch(flaws, options), HASTY)).toEqual([])
  })

  it('find nothing of that in the same fetch without a flaw', async () => {
    const names = CAUGHT.flatMap(([, broken]) => broken)
    expect(new Set(await kept(names, (options) => flawedFetch({}, options)))).toEqual(new Set(names))
  })

  it('catch the fetch that Node has built in', async () => {
    const authorities = getCACertificates('default')
    const broken = [
      'does not follow 302 Found to /elsewhere.json',
      'connects to no address of a name that is 169.254.169.254',
      'unpacks no gzip bomb',
      'waits for no answer longer than its deadline',
    ]
    try {
      expect(await kept(broken, builtIn, HASTY)).toEqual([])
    } finally {
      setDefaultCACertificates(authorities)
    }
  })
})

/** Milliseconds. A fetch that reads without an end breaks its statement by the time, too. */
const HASTY = 400

/** The statements of these names that a fetch keeps. */
async function kept(
  names: readonly string[],
  create: CreateDocumentFetch,
  deadline?: number,
): Promise<string[]> {
  const bench = new Bench(create, deadline)
  try {
    const results: string[] = []
    for (const { name, prove } of STATEMENTS.filter((one) => names.includes(one.name))) {
      const keeps = await prove(bench).then(
        () => true,
        () => false,
      )
      if (keeps) results.push(name)
      bench.reset()
    }
    return results
  } finally {
    bench.close()
  }
}

const builtIn: CreateDocumentFetch = ({ ca }) => {
  setDefaultCACertificates([ca])
  return async (url, { accept, headers, signal }) => {
    const answer = await fetch(url, { headers: { ...headers, accept }, signal })
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() }
  }
}
