import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'

/** Runs the audit against a local registry that gives this answer; returns its output and exit code. */
async function audit(status: number, body: string): Promise<{ code: number; output: string }> {
  const registry = createServer((_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body),
  )
  await new Promise<void>((listening) => registry.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`
  const script = ['scripts/audit.ts', '--registry', url]
  const { promise, resolve } = Promise.withResolvers<{ code: number; output: string }>()
  const child = execFile(process.execPath, script, (_error, stdout, stderr) =>
    resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
  )
  const result = await promise
  registry.close()
  return result
}

function advisory(severity: string): string {
  const found = {
    id: 1,
    url: 'https://advisories.example/1',
    title: 'Leaks',
    severity,
    vulnerable_versions: '<99',
  }
  return JSON.stringify({ hono: [{ ...found, cwe: [], cvss: { score: 7, vectorString: null } }] })
}

describe('the audit', () => {
  it.each(['high', 'critical'])('fails for a %s vulnerability and says where it is', async (severity) => {
    const { code, output } = await audit(200, advisory(severity))
    expect(output).toMatch(
      new RegExp(`^${severity}: hono [0-9.]+ \\(<99\\): Leaks https://advisories.example/1`),
    )
    expect(code).toBe(1)
  })

  it('reports a moderate one and passes', async () => {
    const { code, output } = await audit(200, advisory('moderate'))
    expect(output).toContain('moderate: hono')
    expect(code).toBe(0)
  })

  it('passes when nothing is known', async () => {
    expect(await audit(200, '{}')).toMatchObject({ code: 0, output: expect.stringContaining(' 0 known') })
  })

  it.each([
    [405, ''],
    [404, 'unknown'],
    [200, 'no JSON'],
  ])('passes, and says that it checked nothing, when the registry answers %s %s', async (status, body) => {
    const { code, output } = await audit(status, body)
    expect(output).toMatch(/^Not checked for known vulnerabilities: no registry gave an answer/)
    expect(output).not.toContain('127.0.0.1')
    expect(code).toBe(0)
  })
})
