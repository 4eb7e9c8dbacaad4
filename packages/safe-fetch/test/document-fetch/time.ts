import { expect } from 'vitest'
import { type Bench, DOCUMENT, PUBLIC_ADDRESS } from './bench.ts'
import type { Serve } from './host.ts'
import type { Statement } from './statement.ts'

const HEAD = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${DOCUMENT.length}\r\n\r\n`

export const timeStatements: readonly Statement[] = [
  {
    name: 'waits for no name server longer than its deadline',
    async prove(bench) {
      bench.internet.names.set('app.dev', 'silence')
      const ended = longAfter(bench.hasty)
      expect(await Promise.race([bench.hastyFault(), ended])).toBe('timeout')
      bench.internet.names.cancel()
    },
  },
  {
    name: 'waits for no handshake longer than its deadline',
    async prove(bench) {
      // A host that never completes a handshake: it waits for the certificate itself.
      const tls = { SNICallback: () => {} }
      const host = await bench.host({ tls })
      await expectTimeout(bench, host)
    },
  },
  late('waits for no answer longer than its deadline', () => {}),
  late(
    'gives up on a host that sends a byte now and then, within the headers',
    dripping(`${HEAD}${DOCUMENT}`),
  ),
  late('gives up on a host that sends a byte now and then, within the body', (connection, ...more) => {
    connection.write(HEAD)
    dripping(DOCUMENT)(connection, ...more)
  }),
  {
    name: 'closes the connection when the caller aborts',
    async prove(bench) {
      const caller = new AbortController()
      const host = await bench.host({ serve: () => caller.abort() })
      await expect(bench.fetch(undefined, { signal: caller.signal })).rejects.toThrow()
      await bench.settled(host)
      expect(host.open.size).toBe(0)
    },
  },
  {
    name: 'does not begin if the caller has aborted',
    async prove(bench) {
      await bench.host()
      await expect(bench.fetch(undefined, { signal: AbortSignal.abort() })).rejects.toThrow()
      expect(bench.internet.dialled).toEqual([])
    },
  },
  {
    name: 'works after all of this',
    async prove(bench) {
      await bench.host()
      expect(await bench.faultOf()).toBe('answer 200')
      expect(bench.internet.dialled).toEqual([`${PUBLIC_ADDRESS}:443`])
    },
  },
]

/** Timers of one process fire in their order, however busy the machine is. */
function longAfter(deadline: number): Promise<string> {
  return new Promise((end) => setTimeout(end, deadline * 4, 'waits'))
}

function late(name: string, serve: Serve): Statement {
  return { name, prove: async (bench) => expectTimeout(bench, await bench.host({ serve })) }
}

async function expectTimeout(bench: Bench, host: Parameters<Bench['settled']>[0]): Promise<void> {
  const ended = longAfter(bench.hasty)
  expect(await Promise.race([bench.hastyFault(), ended])).toBe('timeout')
  await bench.settled(host)
  expect(host.open.size, 'connections that are still open').toBe(0)
}

/** Sends all of a text, so slowly that it takes many deadlines, and so steadily that the connection is never idle. */
function dripping(text: string): Serve {
  return (connection) => {
    let sent = 0
    const timer = setInterval(() => {
      if (sent < text.length) connection.write(text[sent++] ?? '')
      else connection.end()
    }, 50)
    connection.once('close', () => clearInterval(timer))
  }
}
