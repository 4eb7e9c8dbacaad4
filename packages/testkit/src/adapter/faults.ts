import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { type RawResponse, send, values } from './raw-http.ts'
import { INTERNAL_DETAIL } from './recorder.ts'
import type { Target } from './target.ts'

function expectNothingGivenAway(response: RawResponse): void {
  expect(response.status).toBe(500)
  const wire = JSON.stringify(response)
  for (const secret of [INTERNAL_DETAIL, 'stack', 'at ', 'node_modules', '.ts'])
    expect(wire).not.toContain(secret)
}

/** Faults stay internal: the client only learns that there was one, and the next request is served. */
export function faultPromises(target: Target): void {
  async function expectServed(): Promise<void> {
    target.recorder.reset()
    expect((await send(target.url, { target: '/echo' })).status).toBe(200)
  }

  describe('a fault', () => {
    it.each(['/rejects', '/throws'])('in handle is a 500 that gives nothing away: %s', async (path) => {
      const logged = vi.spyOn(console, 'error').mockReturnValue()
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await send(target.url, { method, target: path, headers: [['Accept', 'text/html']] })
        expect(values(response, 'content-type').join()).toMatch(/^application\/json\b/)
        expect(JSON.parse(response.body)).toMatchObject({ error: 'server_error' })
        expectNothingGivenAway(response)
      }
      expect(logged.mock.calls.join(), 'the operator gets it').toContain(INTERNAL_DETAIL)
      logged.mockRestore()
      await expectServed()
    })

    it('in an answer that HTTP cannot carry is a 500 that gives nothing away', async () => {
      for (const headers of [{ location: '/\u{1f4a5}' }, { 'x-line': 'a\nb' }]) {
        target.recorder.answer = { status: 303, headers, body: 'x' }
        expectNothingGivenAway(await send(target.url, { target: '/echo' }))
      }
      await expectServed()
    })

    it('of a client that disconnects halfway reaches no route', async () => {
      const { hostname, port } = new URL(target.url)
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf')
      target.recorder.reset()
      // When later requests are answered, the server has seen the half, and then its end.
      await send(target.url, { target: '/echo' })
      socket.destroy()
      for (let later = 0; later < 2; later++) await send(target.url, { target: '/echo' })
      expect(target.recorder.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET'])
      await expectServed()
    })
  })
}
