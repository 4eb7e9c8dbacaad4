import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { USAGE } from './command-line.ts'

/** Runs the program as a shell does. Its findings are tested with the reference service. */
async function run(...given: string[]) {
  const program = spawn(process.execPath, [fileURLToPath(new URL('bin.ts', import.meta.url)), ...given])
  const [output, complaint, [status]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'close'),
  ])
  return { status, output, complaint }
}

describe('grantkit-doctor', () => {
  it('prints its usage, and exits with 0', async () => {
    expect(await run('--help')).toEqual({ status: 0, output: `${USAGE}\n`, complaint: '' })
  })

  it('ends with 2 and prints its usage for wrong arguments', async () => {
    const complaint = `Unknown option '--jsno'.\n\n${USAGE}\n`
    expect(await run('https://server.example', '--jsno')).toEqual({ status: 2, output: '', complaint })
  })

  it('ends with 2 and one line if there is no answer', async () => {
    const port = await silentPort()
    for (const host of ['127.0.0.1', 'localhost']) {
      const { status, output, complaint } = await run(`http://${host}:${port}`, '--json')
      expect({ status, output }).toEqual({ status: 2, output: '' })
      expect(complaint).toMatch(/^Nothing answers at http:\S+: .*ECONNREFUSED.*\n$/)
    }
  })

  it('examines a client instead of the deployment, which gets no request', async () => {
    const baseUrl = `http://127.0.0.1:${await silentPort()}`
    const { status, output } = await run(baseUrl, '--client', 'https://localhost/client.json', '--json')
    expect(status).toBe(1)
    expect(JSON.parse(output)[0]).toMatchObject({ id: 'client-id', verdict: 'failed' })
  })

  it('examines a known client, whose name it must know', async () => {
    const server = createServer((_, response) => void response.writeHead(404).end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const cursor = await run(baseUrl, '--client', 'cursor', '--json')
    const unknown = await run(baseUrl, '--client', 'cursr')
    server.close()
    expect(cursor.status).toBe(1)
    expect(JSON.parse(cursor.output)).toContainEqual(
      expect.objectContaining({ id: 'client-authorization', title: expect.stringContaining('Cursor') }),
    )
    expect([unknown.status, unknown.complaint]).toEqual([2, expect.stringContaining('cursor')])
  })

  it('escapes what a server or an argument says, so that neither forges a line', async () => {
    const hostile = '\u001b[2J\u202e\u009b1m'
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ issuer: `x\n  ✓ All is well${hostile}` })),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const printed = [await run(`http://127.0.0.1:${port}`), await run(`http://127.0.0.1:${port}`, '--json')]
    printed.push(await run('https://server.example', '--client', hostile), await run(hostile))
    server.close()
    for (const { output, complaint } of printed) {
      expect(output + complaint).toContain('\\u202e\\u009b1m')
      for (const raw of ['\u001b[2J', '\u202e', '\u009b', '\n  ✓ All is well'])
        expect(output + complaint).not.toContain(raw)
    }
  })

  it('ends with 1 when a check failed', async () => {
    const server = createServer((_, response) => void response.writeHead(404).end())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { status, output } = await run(`http://127.0.0.1:${port}`)
    server.close()
    expect(status).toBe(1)
    expect(output).toContain('the answer was 404')
  })
})

async function silentPort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((closed) => probe.close(closed))
  return port
}
