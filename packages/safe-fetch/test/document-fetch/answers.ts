import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { answering, type Bench, DOCUMENT, OTHER_PUBLIC_ADDRESS, PUBLIC_ADDRESS, sending } from './bench.ts'
import type { Serve } from './host.ts'
import type { Statement } from './statement.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const MAX_BYTES = 5120
const REDIRECTS = [
  ['301 Moved', 'https://inside.dev/client.json'],
  ['302 Found', 'https://169.254.169.254/latest/meta-data/'],
  ['302 Found', '/elsewhere.json'],
  ['303 See Other', 'https://inside.dev/client.json'],
  ['307 Temporary', 'http://app.dev/client.json'],
  ['308 Permanent', '//inside.dev/client.json'],
] as const

export const answerStatements: readonly Statement[] = [
  {
    name: 'gives the status, the headers and the body as they were sent',
    async prove(bench) {
      const head = [
        'ETag: "a"',
        'Cache-Control: max-age=60',
        'cache-control: public',
        'Content-Encoding: identity',
      ]
      await bench.host({ serve: answering('\ufeff{"é":1}', head) })
      const { status, headers, body } = await bench.fetch()
      expect({ status, body }).toEqual({ status: 200, body: '\ufeff{"é":1}' })
      expect(headers).toMatchObject({ etag: '"a"', 'cache-control': 'max-age=60, public' })
    },
  },
  ...['304 Not Modified', '404 Not Found', '410 Gone', '403 Forbidden', '500 Oops', '503 Later'].map(
    (status) =>
      answered(
        `gives the answer ${status} as one`,
        answering('', [], status),
        `answer ${status.slice(0, 3)}`,
      ),
  ),
  answered(
    'gives the status of an answer whose page is too large',
    answering('x'.repeat(MAX_BYTES + 1), [], '404 Not Found'),
    'answer 404',
  ),
  ...REDIRECTS.map(([status, location]) => ({
    name: `does not follow ${status} to ${location}`,
    async prove(bench: Bench) {
      const inside = await bench.host({ name: 'inside.dev', answers: [[OTHER_PUBLIC_ADDRESS]] })
      const host = await bench.host({ serve: answering('', [`Location: ${location}`], status) })
      expect(await bench.faultOf()).toBe(`answer ${status.slice(0, 3)}`)
      expect(bench.internet.dialled).toEqual([`${PUBLIC_ADDRESS}:443`])
      expect([host, inside].map(({ requests }) => requests.length)).toEqual([1, 0])
    },
  })),
  answered(
    'does not follow Refresh',
    answering(DOCUMENT, ['Refresh: 0; url=https://inside.dev/']),
    'answer 200',
  ),
  answered('accepts a body of the largest size', answering('x'.repeat(MAX_BYTES)), 'answer 200'),
  answered('refuses a body that says to be larger', sending(OK, 'Content-Length: 5121\r\n\r\n'), 'size'),
  answered('refuses a body that is larger', answering('x'.repeat(MAX_BYTES + 1)), 'size'),
  answered('refuses a body without a length that is larger', endless(`${OK}\r\n`, 'x'.repeat(1000)), 'size'),
  answered(
    'refuses endless chunks',
    endless(`${OK}Transfer-Encoding: chunked\r\n\r\n`, `3e8\r\n${'x'.repeat(1000)}\r\n`),
    'size',
  ),
  answered('refuses endless headers', endless(OK, `X-More: ${'x'.repeat(1000)}\r\n`), 'size'),
  answered('refuses one endless header', endless(`${OK}X-More: `, 'x'.repeat(1000)), 'size'),
  answered('refuses headers of 9 KiB', answering(DOCUMENT, [`X-More: ${'x'.repeat(9 * 1024)}`]), 'size'),
  answered(
    'refuses interim answers without end',
    endless('', `HTTP/1.1 103 Early Hints\r\nLink: <${'x'.repeat(1000)}>\r\n\r\n`),
    'size',
  ),
  {
    name: 'reads no further than the length that was said',
    async prove(bench) {
      await bench.host({ serve: sending(OK, 'Content-Length: 2\r\nConnection: close\r\n\r\n{}{"more":1}') })
      const body = await bench.fetch().then(
        (answer) => answer.body,
        () => '{}',
      )
      expect(body).toBe('{}')
    },
  },
  answered('refuses a body that breaks off', sending(OK, 'Content-Length: 99\r\n\r\n{}'), 'connect'),
  answered(
    'refuses chunks that break off',
    sending(OK, 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n'),
    'connect',
  ),
  answered('refuses two lengths', sending(OK, 'Content-Length: 2\r\nContent-Length: 4\r\n\r\n{}'), 'connect'),
  answered('refuses an answer that is no HTTP', sending('SSH-2.0-OpenSSH_9.9\r\n'), 'connect'),
  answered('refuses a connection that is closed', sending(''), 'connect'),
  answered('refuses a connection that is reset', (_connection, _request, host) => host.reset(), 'connect'),
  answered(
    'refuses a body in which the connection is reset',
    resetAfter(`${OK}Content-Length: 99\r\n\r\n{`),
    'connect',
  ),
  ...['gzip', 'br', 'deflate', 'zstd', 'x-gzip', 'identity, gzip'].map((coding) =>
    answered(`refuses a body in ${coding}`, answering(DOCUMENT, [`Content-Encoding: ${coding}`]), 'encoding'),
  ),
  {
    name: 'unpacks no gzip bomb',
    async prove(bench) {
      const bomb = gzipSync(Buffer.alloc(4_000_000))
      const head = `${OK}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
      await bench.host({ serve: sending(head, bomb) })
      expect(['encoding', 'size']).toContain(await bench.faultOf())
    },
  },
  answered(
    'refuses a body that is not UTF-8',
    sending(OK, '\r\n', Buffer.from([0x22, 0xff, 0x22])),
    'encoding',
  ),
]

function answered(name: string, serve: Serve, expected: string): Statement {
  return {
    name,
    async prove(bench) {
      const host = await bench.host({ serve })
      expect(await bench.faultOf()).toBe(expected)
      await bench.settled(host)
      expect(host.open.size, 'connections that are still open').toBe(0)
    },
  }
}

function resetAfter(text: string): Serve {
  return (connection, _request, host) => void connection.write(text, () => host.reset())
}

/** Sends the same again and again, while the reader reads; four megabytes at most. */
function endless(head: string, part: string): Serve {
  return (connection) => {
    connection.write(head)
    let left = 4_000_000
    const send = () => {
      while (left > 0 && connection.writable) {
        left -= part.length
        if (!connection.write(part)) return void connection.once('drain', send)
      }
      connection.end()
    }
    send()
  }
}
