import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { send, values } from './raw-http.ts'
import { INTERNAL_DETAIL } from './recorder.ts'
import type { Target } from './target.ts'

/** Faults stay internal: the client only learns that there was one, and the next request is served. */
export function faultPromises(target: Target): void {
  async function expectServed(): Promise<void> {
    target.recorder.reset()
    expect((await send(target.url, { target: '/echo' })).status).toBe(200)
  }

  describe('a fault', () => {
    it.each(['/rejects', '/throws'])('in handle is a 500 that gives nothing away: %s', async (path) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await send(target.url, { method, target: path, headers: [['Accept', 'text/html']] })
        expect(response.status).toBe(500)
        expect(values(response, 'content-type').join()).toMatch(/^application\/json\b/)
        expect(JSON.parse(response.body)).toMatchObject({ error: 'server_error' })
        const wire = JSON.stringify(response)
        for (const secret of [INTERNAL_DETAIL, 'stack', 'at ', 'node_modules', '.ts']) {
          expect(wire).not.toContain(secret)
        }
      }
      await expectServed()
    })

    it('of a client that disconnects halfway reaches no route', async () => {
      const { hostname, port } = new URL(target.url)
      const socket = connect(Number(port), hostname)
      socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf')
      await sleep(50)
      socket.destroy()
      await sleep(50)
      expect(target.recorder.requests).toHaveLength(0)
      await expectServed()
    })
  })
}
